import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { toMergePatch } from '../../../src/core/merge/to-merge-patch.ts';
import { parseRunId, parseSha, type Sha, toPullRequestKey } from '../../../src/core/model/ids.ts';
import { renderSuggestion } from '../../../src/core/render/render-suggestion.ts';
import type { MergeTree } from '../../../src/ports/git.ts';
import { aFixup } from '../../support/builders.ts';
import {
  createTestSession,
  type FileSpec,
  HEAD_BRANCH,
  keepWorkspace,
  PULL_NUMBER,
  placeAgain,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';

type Files = Readonly<Record<string, FileSpec>>;

/** A session at `headSha` whose base branch has moved on to `baseSha`. */
interface Diverged extends TestSession {
  readonly baseSha: Sha;
}

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** `common` is in both, `ours` only on the pull request's branch, `theirs` only on the base. */
async function diverge(common: Files, ours: Files, theirs: Files): Promise<Diverged> {
  const session = await createTestSession(ours, { common });
  ends.push(session.remove);
  const baseSha = await session.remote.commit('main', theirs);
  return { ...session, baseSha, repository: await reopen(session, baseSha) };
}

async function reopen(session: TestSession, baseSha: Sha): Promise<TestSession['repository']> {
  const { git, remote, headSha, signal, runId } = session;
  const want = { number: PULL_NUMBER, headSha, baseRef: 'main' };
  const mirror = await git.ensureMirror(REPOSITORY, want, remote.access, signal);
  const key = toPullRequestKey(REPOSITORY.repositoryId, PULL_NUMBER);
  return git.prepareSession(mirror, { id: runId, key, headSha, alsoKeep: [baseSha] }, signal);
}

async function merge({ git, repository, headSha, baseSha, signal }: Diverged): Promise<MergeTree> {
  return git.mergeTree(repository, { ours: headSha, theirs: baseSha }, signal);
}

async function mergeConflicted(session: Diverged): Promise<MergeTree & { readonly kind: 'conflicted' }> {
  const merged = await merge(session);
  if (merged.kind !== 'conflicted') throw new Error(`the merge is ${merged.kind}`);
  return merged;
}

function text(change: Readonly<Record<number, string>> = {}): string {
  return `${LINES.map((line, index) => change[index] ?? line).join('\n')}\n`;
}

/** Which sides have the path: B(ase), O(urs), T(heirs). */
function stagesOf(merged: MergeTree & { readonly kind: 'conflicted' }): Readonly<Record<string, string>> {
  return Object.fromEntries(
    merged.files.map(({ path, baseBlob, ourBlob, theirBlob }) => [
      path,
      [baseBlob === null ? '' : 'B', ourBlob === null ? '' : 'O', theirBlob === null ? '' : 'T'].join(''),
    ]),
  );
}

describe('mergeTree', () => {
  it('merges cleanly what git can merge', async () => {
    const session = await diverge({ f: text() }, { f: text({ 0: 'ours' }) }, { f: text({ 6: 'theirs' }) });

    const merged = await merge(session);

    expect(merged.kind).toBe('clean');
    if (merged.kind !== 'clean') return;
    const want = { treeish: merged.treeSha, paths: ['f'], maxBytes: 1000 };
    expect(await session.git.readFiles(session.repository, want, session.signal)).toEqual({
      f: text({ 0: 'ours', 6: 'theirs' }),
    });
  });

  it.each<[string, readonly [common: Files, ours: Files, theirs: Files], Readonly<Record<string, string>>]>([
    [
      'UU: both changed the same lines',
      [{ f: text() }, { f: text({ 3: 'o' }) }, { f: text({ 3: 't' }) }],
      { f: 'BOT' },
    ],
    ['AA: both added it', [{}, { f: 'ours\n' }, { f: 'theirs\n' }], { f: 'OT' }],
    ['UD: theirs deleted what ours changed', [{ f: text() }, { f: text({ 3: 'o' }) }, { f: null }], { f: 'BO' }],
    ['DU: ours deleted what theirs changed', [{ f: text() }, { f: null }, { f: text({ 3: 't' }) }], { f: 'BT' }],
    [
      'AU and UA: both renamed it, each to another name',
      [{ f: text() }, { f: null, 'f-ours': text() }, { f: null, 'f-theirs': text() }],
      { f: 'B', 'f-ours': 'O', 'f-theirs': 'T' },
    ],
    [
      'a renamed file that both changed',
      [{ f: text() }, { f: null, g: text({ 3: 'o' }) }, { f: text({ 3: 't' }) }],
      { g: 'BOT' },
    ],
  ])('tells the sides of a conflict apart: %s (trap 88)', async (_what, sides, expected) => {
    const merged = await mergeConflicted(await diverge(...sides));

    expect(stagesOf(merged)).toEqual(expected);
    expect(merged.files.every(({ isText }) => isText)).toBe(true);
    expect(merged.named).toEqual(expect.arrayContaining(Object.keys(expected)));
    expect(merged.messages).toContain('CONFLICT');
  });

  it.each<[string, FileSpec, FileSpec, FileSpec]>([
    ['a binary file', 'a\0b\n', 'a\0c\n', 'a\0d\n'],
    ['a link', { mode: '120000', text: 'a' }, { mode: '120000', text: 'b' }, { mode: '120000', text: 'c' }],
    ['a file that became a link', 'a\n', 'b\n', { mode: '120000', text: 'c' }],
    [
      'a submodule',
      { mode: '160000', text: '1'.repeat(40) },
      { mode: '160000', text: '2'.repeat(40) },
      { mode: '160000', text: '3'.repeat(40) },
    ],
  ])('says that %s is no text', async (_what, common, ours, theirs) => {
    const merged = await mergeConflicted(await diverge({ x: common }, { x: ours }, { x: theirs }));

    expect(merged.files.length).toBeGreaterThan(0);
    expect(merged.files.some(({ isText }) => !isText)).toBe(true);
  });

  it('finds a merge base where histories have crossed', async () => {
    const session = await diverge({ f: text(), g: '1\n' }, { f: text({ 0: 'ours' }) }, { g: '2\n' });
    const { remote, headSha, baseSha } = session;
    const merge1 = await remote.mergeCommit('cross-1', [headSha, baseSha], { f: text({ 0: 'ours' }), g: '2\n' });
    const merge2 = await remote.mergeCommit('cross-2', [baseSha, headSha], { f: text({ 0: 'ours' }), g: '2\n' });
    const ours = await remote.commit('cross-1', { f: text({ 0: 'ours', 6: 'x' }) }, { parent: merge1 });
    const theirs = await remote.commit('cross-2', { g: '3\n' }, { parent: merge2 });
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, ours]);
    await remote.git(['update-ref', 'refs/heads/main', theirs]);
    const repository = await reopen({ ...session, headSha: ours }, theirs);

    const merged = await session.git.mergeTree(repository, { ours, theirs }, session.signal);

    expect(merged.kind).toBe('clean');
  });

  it('says when there is nothing to merge (trap 19)', async () => {
    const session = await diverge({}, { f: 'ours\n' }, {});
    const base = await session.remote.git(['rev-parse', `${session.headSha}^`]);

    expect(await merge({ ...session, baseSha: parseSha(base) })).toEqual({ kind: 'merged' });
  });

  it('says when the two have no common commit', async () => {
    const session = await diverge({}, { f: 'ours\n' }, {});
    const lone = await session.remote.commit('main', { z: 'z\n' }, { parent: null });
    const repository = await reopen(session, lone);

    const merged = await session.git.mergeTree(repository, { ours: session.headSha, theirs: lone }, session.signal);

    expect(merged).toEqual({ kind: 'unrelated' });
  });

  it('fails for later when the base is not to be had', async () => {
    const session = await diverge({}, { f: 'ours\n' }, {});

    await expect(merge({ ...session, baseSha: parseSha('f'.repeat(40)) })).rejects.toMatchObject({
      code: 'FETCH_FAILED',
      retry: 'later',
    });
  });

  it('runs no merge driver, and lets no attribute hide a conflict', async () => {
    const attributes = '* merge=evil\nunion merge=union\nbinary merge=binary\n';
    const common = { '.gitattributes': attributes, driven: text(), union: text() };
    const session = await diverge(
      common,
      { driven: text({ 3: 'o' }), union: text({ 3: 'o' }) },
      { driven: text({ 3: 't' }), union: text({ 3: 't' }) },
    );
    const canary = join(session.root, 'canary');
    await placeAgain(session, session.headSha);
    // Even where somebody got a driver into the workspace's own configuration.
    const config = `[merge "evil"]\n\tdriver = touch ${canary}\n`;
    await writeFile(join(session.workDir, '.git', 'config'), config, { flag: 'a' });

    const merged = await mergeConflicted(session);

    expect(Object.keys(stagesOf(merged)).toSorted()).toEqual(['driven', 'union']);
    await expect(access(canary)).rejects.toThrow();
  });

  it.each(['-rf', 'a b\tc', 'new\nline', '$(touch x)', '"quoted"', 'ünï/ço∂é', '--stdin'])(
    'takes the name %j as a name only',
    async (name) => {
      const merged = await mergeConflicted(
        await diverge({ [name]: text() }, { [name]: text({ 3: 'o' }) }, { [name]: text({ 3: 't' }) }),
      );

      expect(stagesOf(merged)).toEqual({ [name]: 'BOT' });
    },
  );
});

describe('placeTree and writeTree', () => {
  it('takes a commit for its tree where nothing is to be written: equal content has one name', async () => {
    const session = await createTestSession({ 'a.txt': 'a\n' });
    ends.push(session.remove);
    const { git, headSha, remote, repository, signal } = session;
    const own = await git.writeTree(repository, { treeSha: headSha, files: {} }, signal);

    expect(own).toBe(await remote.git(['rev-parse', `${headSha}^{tree}`]));
    expect(await git.writeTree(repository, { treeSha: own, files: {} }, signal)).toBe(own);
  });

  it('puts what git made of the merge, markers and all, before the agent, and measures its work from there (trap 32)', async () => {
    const session = await diverge(
      { f: text(), 'lib/brought.txt': 'old\n' },
      { f: text({ 3: 'o' }) },
      { f: text({ 3: 't' }), 'lib/brought.txt': 'new\n', '.github/workflows/ci.yml': 'on: push\n' },
    );
    const { git, repository, signal } = session;
    const { treeSha } = await mergeConflicted(session);
    await placeAgain(session, treeSha);
    const file = join(session.workDir, 'f');

    expect(await readFile(file, 'utf8')).toContain('<<<<<<<');
    expect(await readFile(join(session.workDir, 'lib/brought.txt'), 'utf8')).toBe('new\n');
    await writeFile(file, text({ 3: 'both' }));
    const imported = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 10_000, against: treeSha },
      signal,
    );

    expect(imported.changes.map(({ path }) => path)).toEqual(['f']);
    expect(imported.against).toBe(treeSha);
    expect(imported.patch).toContain('+both');
  });

  it('keeps excluded paths as the merge has them, not as the head has them', async () => {
    const session = await diverge(
      { f: text(), 'CLAUDE.md': 'old\n' },
      { f: text({ 3: 'o' }) },
      { f: text({ 3: 't' }), 'CLAUDE.md': 'new\n' },
    );
    const { git, repository, signal } = session;
    const { treeSha } = await mergeConflicted(session);
    await placeAgain(session, treeSha);
    await writeFile(join(session.workDir, 'CLAUDE.md'), 'of the agent\n');

    const want = { folder: session.workDir, exclude: ['CLAUDE.md'], maxPatchBytes: 10_000, against: treeSha };
    const imported = await git.importTree(repository, want, signal);

    expect(imported.changes).toEqual([]);
    expect(imported.treeSha).toBe(treeSha);
  });

  it('refuses a merged tree with more than fits', async () => {
    const session = await diverge({ f: text() }, { f: text({ 3: 'o' }) }, { f: text({ 3: 't' }) });
    const { git, repository, signal } = session;
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`many/${String(index)}`, 'x']));
    const treeSha = await git.writeTree(repository, { treeSha: session.headSha, files: many }, signal);
    const small = await createTestSession({}, { limits: { maxTreeEntries: 20 } });
    ends.push(small.remove);
    const grown = await small.git.writeTree(small.repository, { treeSha: small.headSha, files: many }, signal);

    await expect(placeAgain(session, treeSha)).resolves.toBeUndefined();
    await expect(placeAgain(small, grown)).rejects.toMatchObject({ code: 'REPO_TOO_LARGE' });
  });

  it('replaces, adds and removes files, keeps modes, and changes nothing else', async () => {
    const session = await createTestSession({
      'bin/run': { mode: '100755', text: 'a\n' },
      gone: 'x\n',
      kept: 'k\n',
      link: { mode: '120000', text: 'kept' },
    });
    ends.push(session.remove);
    const { git, repository, headSha, signal } = session;
    const files = { 'bin/run': 'b\n', gone: null, link: '../elsewhere', 'new/file': 'n\n', missing: null };

    const treeSha = await git.writeTree(repository, { treeSha: headSha, files }, signal);

    const { changes } = await git.diffTrees(repository, { from: headSha, to: treeSha, maxPatchBytes: 1000 }, signal);
    expect(changes.map(({ kind, path, newMode }) => [kind, path, newMode])).toEqual([
      ['modified', 'bin/run', '100755'],
      ['deleted', 'gone', '000000'],
      ['type_changed', 'link', '100644'],
      ['added', 'new/file', '100644'],
    ]);
    expect((await readdir(repository.controlDir)).filter((name) => name.startsWith('write-'))).toEqual([]);
  });

  it('builds a commit of exactly the head and the base (S15, trap 33)', async () => {
    const session = await diverge({ f: text() }, { f: text({ 0: 'o' }) }, { f: text({ 6: 't' }) });
    const { git, repository, headSha, baseSha, signal, remote } = session;
    const merged = await merge(session);
    if (merged.kind !== 'clean') throw new Error(merged.kind);
    const parents = [headSha, baseSha];
    const identity = { name: 'a', email: 'a@example.org' };
    const commit = { treeSha: merged.treeSha, message: 'Merge\n', parents, identity, at: 1_764_000_000_000 };
    const commitSha = await git.createCommit(repository, commit, signal);
    await git.keepCommit(repository, { commitSha, as: 'intent' }, signal);

    const push = { runId: session.runId, commitSha, branch: HEAD_BRANCH, oldSha: headSha };
    expect(await git.pushKept(repository.mirror, push, remote.access, signal)).toEqual({ kind: 'pushed' });
    expect(await remote.git(['rev-list', '--parents', '-1', HEAD_BRANCH])).toBe([commitSha, ...parents].join(' '));
  });
});

describe('the patch of a merge that is only suggested', () => {
  it('applies as the check run says: what a person commits is the tree that was judged (S15)', async () => {
    const session = await diverge(
      { f: text(), gone: text(), 'old name': text({ 1: 'x' }), 'lib/brought': 'old\n' },
      { f: text({ 3: 'o' }), gone: null, 'new name': text({ 1: 'x', 3: 'o' }), 'old name': null, both: 'ours\n' },
      {
        f: text({ 3: 't' }),
        gone: text({ 3: 't' }),
        'old name': text({ 1: 'x', 3: 't' }),
        both: 'theirs\n',
        'lib/brought': 'new\n',
      },
    );
    const { git, repository, headSha, baseSha, signal, remote, root } = session;
    const { treeSha: against } = await mergeConflicted(session);
    const files = {
      f: text({ 3: 'both' }),
      gone: null,
      'new name': text({ 1: 'x', 3: 'both' }),
      both: 'ours\ntheirs\n',
    };
    const treeSha = await git.writeTree(repository, { treeSha: against, files }, signal);
    const { patch } = await git.diffTrees(repository, { from: against, to: treeSha, maxPatchBytes: 100_000 }, signal);
    const fixup = aFixup({ action: 'FIX_MERGE_CONFLICT', headSha, baseSha });
    const [shown = '', steps = ''] = renderSuggestion({ patch: toMergePatch(patch, headSha) }, fixup);

    const cwd = join(root, 'person');
    const own = {
      ...process.env,
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    const run = async (command: string): Promise<string> => {
      const options = { cwd, env: { ...own, GIT_CONFIG_GLOBAL: '/dev/null' }, reject: false } as const;
      return (await execa('sh', ['-c', command], options)).stdout;
    };
    await execa('git', ['clone', '-q', '--branch', HEAD_BRANCH, remote.gitDir, cwd]);
    await writeFile(join(cwd, 'fix.patch'), `${/```+diff\n([^]*)\n```+\n/u.exec(shown)?.[1] ?? ''}\n`);
    await run(/```+sh\n([^]*)\n```+/u.exec(steps)?.[1] ?? 'exit 1');

    expect(await run('git rev-parse "HEAD^{tree}"')).toBe(treeSha);
    expect(await run('git rev-parse HEAD^1 HEAD^2')).toBe(`${headSha}\n${baseSha}`);
    expect(await run('git status --short')).toBe('?? fix.patch');
  });
});

describe('diffTrees and patchId', () => {
  it('gives the same id to the same change on another head, and none to no change', async () => {
    const session = await createTestSession({ f: text(), g: 'x\n' });
    ends.push(session.remove);
    const { git, repository, headSha, signal } = session;
    const write = (treeSha: Sha, files: Record<string, string>): Promise<Sha> =>
      git.writeTree(repository, { treeSha, files }, signal);
    const changed = await write(headSha, { f: text({ 3: 'changed' }) });
    const moved = await write(headSha, { g: 'y\n' });
    const changedThere = await write(moved, { f: text({ 3: 'changed' }) });
    const other = await write(headSha, { f: text({ 3: 'otherwise' }) });

    const id = await git.patchId(repository, headSha, changed, signal);

    expect(id).toMatch(/^[0-9a-f]{40}$/);
    expect(await git.patchId(repository, moved, changedThere, signal)).toBe(id);
    expect(await git.patchId(repository, headSha, other, signal)).not.toBe(id);
    expect(await git.patchId(repository, headSha, headSha, signal)).toBeNull();
  });

  it('gives binary files an id as well', async () => {
    const session = await createTestSession({ b: 'a\0b\n' });
    ends.push(session.remove);
    const { git, repository, headSha, signal } = session;
    const changed = await git.writeTree(repository, { treeSha: headSha, files: { b: 'a\0c\n' } }, signal);

    expect(await git.patchId(repository, headSha, changed, signal)).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe('prepareSession, for a merge', () => {
  it('keeps the base as well as the head while the session lives (trap 34)', async () => {
    const session = await diverge({}, { f: 'o\n' }, { g: 't\n' });
    const { repository, headSha, baseSha, git } = session;
    const refs = async (): Promise<string> =>
      (
        await execa('git', ['for-each-ref', '--format=%(objectname)', 'refs/ratchet/ws', 'refs/ratchet/ws-also'], {
          cwd: repository.mirror.gitDir,
        })
      ).stdout;

    expect((await refs()).split('\n').toSorted()).toEqual([headSha, baseSha].toSorted());
    await git.removeSession(session.runId, REPOSITORY.repositoryId);
    expect(await refs()).toBe('');
  });

  it('does without a base that is not there', async () => {
    const session = await createTestSession({ f: 'x\n' });
    ends.push(session.remove);

    await expect(reopen(session, parseSha('e'.repeat(40)))).resolves.toMatchObject({ headSha: session.headSha });
  });

  it('lists what the merge tracks', async () => {
    const session = await diverge({}, { f: 'o\n' }, { g: 't\n' });
    const merged = await merge(session);
    if (merged.kind !== 'clean') throw new Error(merged.kind);

    expect(await session.git.listFiles(session.repository, session.signal, merged.treeSha)).toEqual([
      'README.md',
      'f',
      'g',
    ]);
  });
});

describe('resolutions', () => {
  const COMMON = { f: text(), g: text() };
  const OURS = { f: text({ 3: 'o' }), g: text({ 3: 'O' }) };
  const THEIRS = { f: text({ 3: 't' }), g: text({ 3: 'T' }) };

  async function resolveIn(session: Diverged, files: Readonly<Record<string, string>>): Promise<void> {
    const { git, repository, headSha, baseSha, signal } = session;
    const { treeSha } = await mergeConflicted(session);
    await placeAgain(session, treeSha);
    for (const [path, content] of Object.entries(files)) await writeFile(join(session.workDir, path), content);
    const resolved = await keepWorkspace(session);
    await git.rememberResolutions(repository.mirror, { ours: headSha, theirs: baseSha, resolved }, signal);
  }

  it('recalls nothing that was never resolved', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, headSha, baseSha, signal } = session;

    expect(await git.recallResolutions(repository.mirror, { ours: headSha, theirs: baseSha }, signal)).toEqual({});
  });

  it('recalls what was remembered, also for another head with the same conflict, and only that', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, baseSha, signal, remote } = session;
    await resolveIn(session, { f: text({ 3: 'both' }) });
    await git.removeSession(session.runId, REPOSITORY.repositoryId);
    const headSha = await remote.commit(HEAD_BRANCH, { f: text({ 0: 'new', 3: 'o' }), h: 'h\n' });
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, headSha]);
    const again = await reopen({ ...session, headSha, runId: parseRunId('session-2') }, baseSha);

    const recalled = await git.recallResolutions(again.mirror, { ours: headSha, theirs: baseSha }, signal);

    expect(recalled).toEqual({ f: text({ 0: 'new', 3: 'both' }) });
    expect(await readdir(join(repository.mirror.gitDir, 'scratch'))).toEqual([]);
  });

  it('forgets what was learned from a merge that nobody wanted, and forgets nothing where there is nothing', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, headSha, baseSha, signal } = session;
    const pair = { ours: headSha, theirs: baseSha };
    await resolveIn(session, { f: text({ 3: 'bad' }) });

    await git.forgetResolutions(repository.mirror, pair, signal);
    const forgotten = await git.recallResolutions(repository.mirror, pair, signal);
    await git.forgetResolutions(repository.mirror, pair, signal);
    await resolveIn(session, { f: text({ 3: 'good' }) });

    expect(forgotten).toEqual({});
    expect(await git.recallResolutions(repository.mirror, pair, signal)).toEqual({ f: text({ 3: 'good' }) });
  });

  it('learns nothing from a file that still has markers', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, headSha, baseSha, signal } = session;
    await resolveIn(session, {});

    expect(await git.recallResolutions(repository.mirror, { ours: headSha, theirs: baseSha }, signal)).toEqual({});
  });

  it('learns from two merges at a time', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, headSha, baseSha, signal } = session;
    const pair = { ours: headSha, theirs: baseSha };
    await resolveIn(session, { f: text({ 3: 'both' }), g: text({ 3: 'both' }) });

    const all = await Promise.all([
      git.recallResolutions(repository.mirror, pair, signal),
      git.recallResolutions(repository.mirror, pair, signal),
    ]);

    expect(all.map((recalled) => Object.keys(recalled))).toEqual([
      ['f', 'g'],
      ['f', 'g'],
    ]);
  });

  it('keeps what it remembers through a sweep, and leaves no file of a merge in the mirror', async () => {
    const session = await diverge(COMMON, OURS, THEIRS);
    const { git, repository, headSha, baseSha, signal } = session;
    await resolveIn(session, { f: text({ 3: 'both' }) });
    await git.sweep({ live: [session.runId], held: [] }, signal);

    const recalled = await git.recallResolutions(repository.mirror, { ours: headSha, theirs: baseSha }, signal);

    expect(Object.keys(recalled)).toEqual(['f']);
  });
});

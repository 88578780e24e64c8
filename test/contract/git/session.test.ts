import { access, chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRunId, parseSha, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { TreeChange } from '../../../src/core/model/tree-change.ts';
import {
  createTestGit,
  createTestSession,
  keepWorkspace,
  NOW,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';

const FILES = {
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'src/old.js': 'old\n',
  'bin/run': { mode: '100755', text: '#!/bin/sh\n' },
  link: { mode: '120000', text: 'src/sum.js' },
  '.gitignore': 'node_modules\n*.log\n',
  '.claude/settings.json': '{}\n',
  'bytes.bin': 'a\0b\n',
} as const;

let session: TestSession;

beforeEach(async () => {
  session = await createTestSession(FILES);
});

afterEach(async () => {
  await session.remove();
});

function inWork(...parts: readonly string[]): string {
  return join(session.workDir, ...parts);
}

async function importChanges(exclude: readonly string[] = []): Promise<readonly TreeChange[]> {
  const { git, repository, signal } = session;
  return (
    await git.importTree(
      repository,
      { folder: session.workDir, exclude, maxPatchBytes: 100_000, against: repository.headSha },
      signal,
    )
  ).changes;
}

describe('prepareSession', () => {
  it('checks the head out into a workspace that the agent can use git in, without a remote (CARD.R7)', async () => {
    const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
    const git = async (args: readonly string[]): Promise<string> =>
      (await execa('git', args, { cwd: inWork(), env, extendEnv: false })).stdout;

    expect(await git(['status', '--porcelain'])).toBe('');
    expect(await git(['rev-parse', 'HEAD'])).toBe(session.headSha);
    expect(await git(['remote'])).toBe('');
    expect(await git(['log', '--format=%s', '-1'])).toContain('change');
    expect(await readFile(inWork('src/sum.js'), 'utf8')).toContain('a - b');
    expect((await stat(inWork('bin/run'))).mode & 0o111).not.toBe(0);
  });

  it('keeps the control repository closed to everyone else', async () => {
    expect((await stat(session.repository.controlDir)).mode & 0o777).toBe(0o700);
  });

  it('starts over when the session folder is there already', async () => {
    await writeFile(inWork('left-over'), 'x');
    const { git, repository, runId, headSha, signal } = session;
    const again = { id: runId, key: toPullRequestKey(7, 3), headSha };

    await git.prepareSession(repository.mirror, again, signal);

    expect(await readdir(join(session.workDir, '..'))).toEqual([]);
  });

  it('lists the tracked paths of the head', async () => {
    const { git, repository, signal } = session;

    expect(await git.listFiles(repository, signal)).toEqual(
      [...Object.keys(FILES), 'README.md'].toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('lists the submodules of a tree, which are among its paths, and no folder or file beside them (E5)', async () => {
    const { git, repository, signal, headSha } = session;
    const env = { GIT_INDEX_FILE: join(session.root, 'with-submodule') };
    const at = ['--git-dir', repository.controlDir];
    const run = async (...args: readonly string[]): Promise<string> =>
      (await execa('git', [...at, ...args], { env })).stdout.trim();
    await run('read-tree', headSha);
    await run('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},vendor/li b.js`);
    const treeSha = parseSha(await run('write-tree'));

    expect(await git.listSubmodules(repository, signal, treeSha)).toEqual(['vendor/li b.js']);
    expect(await git.listSubmodules(repository, signal, headSha)).toEqual([]);
    expect(await git.listFiles(repository, signal, treeSha)).toContain('vendor/li b.js');
  });

  it('reads regular files of the head only, whatever the workspace says', async () => {
    const { git, repository, signal, headSha } = session;
    await writeFile(inWork('src/sum.js'), 'changed');
    const paths = ['src/sum.js', 'link', 'missing', 'bin/run', 'src', '__proto__'];

    const files = await git.readFiles(repository, { treeish: headSha, paths, maxBytes: 1000 }, signal);

    expect(files).toEqual({ 'src/sum.js': FILES['src/sum.js'], 'bin/run': '#!/bin/sh\n' });
  });

  it('leaves files beyond the size out', async () => {
    const { git, repository, signal, headSha } = session;
    const paths = ['src/sum.js', 'src/old.js'];

    const files = await git.readFiles(repository, { treeish: headSha, paths, maxBytes: 10 }, signal);

    expect(files).toEqual({ 'src/old.js': 'old\n' });
  });
});

describe('a head that stands for more than it weighs (T27)', () => {
  async function prepare(limits: Parameters<typeof createTestGit>[1]): Promise<unknown> {
    const git = createTestGit(join(session.root, 'data'), limits);
    const { repository, headSha, signal } = session;
    const id = parseRunId('session-2');
    return git.prepareSession(repository.mirror, { id, key: toPullRequestKey(7, 3), headSha }, signal);
  }

  it.each([
    ['too many files', { maxTreeEntries: 3 }],
    ['too many bytes, however well they compress', { maxRepositoryBytes: 20 }],
  ])('is refused with %s before one of them is written', async (_what, limits) => {
    await expect(prepare({ limits })).rejects.toMatchObject({ code: 'REPO_TOO_LARGE', retry: 'never' });

    expect(await readdir(join(session.root, 'data', 'sessions', 'session-2', 'sites'))).toEqual([]);
  });

  it('is refused when a few trees name billions of files', async () => {
    const { remote, git, repository, signal } = session;
    let tree = await remote.git(
      ['mktree'],
      `100644 blob ${await remote.git(['hash-object', '-w', '--stdin'], 'x')}\tf\n`,
    );
    for (let level = 0; level < 9; level += 1) {
      const entries = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\td${String(index)}\n`);
      tree = await remote.git(['mktree'], entries.join(''));
    }
    const commit = await remote.git([
      ...['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit-tree', tree, '-p', session.headSha, '-m', 'x'],
    ]);
    await remote.git(['update-ref', 'refs/pull/3/head', commit]);
    const headSha = parseSha(commit);
    await git.ensureMirror(REPOSITORY, { number: 3, headSha, baseRef: 'main' }, remote.access, signal);
    const bomb = { id: parseRunId('bomb'), key: toPullRequestKey(7, 3), headSha };

    await expect(git.prepareSession(repository.mirror, bomb, signal)).rejects.toMatchObject({
      code: 'REPO_TOO_LARGE',
    });
  });
});

describe('placeTree', () => {
  it('writes any tree as plain files, without the masked ones', async () => {
    const { git, repository, signal, workDir } = session;
    await writeFile(inWork('new.txt'), 'new\n');
    const want = { folder: workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha };
    const { treeSha } = await git.importTree(repository, want, signal);
    const folder = join(workDir, '..', 'validate');
    const masked = ['.claude/settings.json', 'link', 'missing/CLAUDE.md'];

    await git.placeTree(repository, { treeSha, folder, masked, hasHistory: false }, signal);

    expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('new\n');
    const names = await readdir(folder, { recursive: true });
    expect(names).toEqual(expect.arrayContaining(['.claude', 'src/sum.js']));
    for (const name of ['.git', '.claude/settings.json', 'link']) expect(names).not.toContain(name);
  });

  it('masks a link without what it points to, and a submodule, which is a folder', async () => {
    const own = await createTestSession({
      'docs/agents.txt': 'x\n',
      'CLAUDE.md': { mode: '120000', text: 'docs' },
      'AGENTS.md': { mode: '160000', text: '1'.repeat(40) },
    });
    const { git, repository, headSha, signal, workDir } = own;
    const folder = join(workDir, '..', 'masked');
    const want = { treeSha: headSha, folder, masked: ['CLAUDE.md', 'AGENTS.md'], hasHistory: false };

    await git.placeTree(repository, want, signal);

    expect((await readdir(folder)).toSorted()).toEqual(['README.md', 'docs']);
    expect(await readdir(join(folder, 'docs'))).toEqual(['agents.txt']);
    await own.remove();
  });

  it('leaves no index behind, and refuses a folder that is there', async () => {
    const { git, repository, headSha, signal, workDir } = session;
    const want = { treeSha: headSha, folder: workDir, masked: [], hasHistory: false };

    await expect(git.placeTree(repository, want, signal)).rejects.toMatchObject({ code: 'EEXIST' });

    expect((await readdir(repository.controlDir)).filter((name) => name.startsWith('place-'))).toEqual([]);
  });
});

describe('importTree', () => {
  it('finds nothing in an untouched workspace', async () => {
    const { git, repository, signal } = session;

    const imported = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha },
      signal,
    );

    expect(imported).toMatchObject({ changes: [], patch: '', patchTruncated: false });
  });

  it('reports each kind of change with modes, counts and sizes', async () => {
    await writeFile(inWork('src/sum.js'), 'export const sum = (a, b) => a + b;\n');
    await writeFile(inWork('added.txt'), 'one\ntwo\n');
    await rm(inWork('src/old.js'));
    await chmod(inWork('bin/run'), 0o644);
    await rm(inWork('link'));
    await writeFile(inWork('link'), 'no link\n');
    await writeFile(inWork('bytes.bin'), 'c\0d\n');

    const changes = await importChanges();

    expect(changes).toEqual([
      {
        kind: 'added',
        path: 'added.txt',
        oldMode: '000000',
        newMode: '100644',
        insertions: 2,
        deletions: 0,
        newBytes: 8,
      },
      {
        kind: 'modified',
        path: 'bin/run',
        oldMode: '100755',
        newMode: '100644',
        insertions: 0,
        deletions: 0,
        newBytes: 10,
      },
      expect.objectContaining({ kind: 'modified', path: 'bytes.bin', insertions: null, deletions: null, newBytes: 4 }),
      expect.objectContaining({ kind: 'type_changed', path: 'link', oldMode: '120000', newMode: '100644' }),
      expect.objectContaining({ kind: 'deleted', path: 'src/old.js', newMode: '000000', newBytes: 0 }),
      expect.objectContaining({ kind: 'modified', path: 'src/sum.js', insertions: 1, deletions: 1 }),
    ]);
  });

  it('keeps names apart that are made to confuse', async () => {
    const names = ['tab\tname', 'line\nbreak', ':(top)x', '-rf', '"quoted"', 'ünïcode', ' space ', '*'];
    for (const name of names) await writeFile(inWork(name), `${name}\n`);

    expect((await importChanges()).map(({ path }) => path).toSorted()).toEqual(names.toSorted());
  });

  it('leaves ignored files out and shows excluded paths as at the head', async () => {
    await mkdir(inWork('node_modules'));
    await writeFile(inWork('node_modules/x.js'), 'x');
    await writeFile(inWork('debug.log'), 'x');
    await mkdir(inWork('deps'));
    await writeFile(inWork('deps/y.js'), 'y');
    await rm(inWork('.claude'), { recursive: true });
    await writeFile(inWork('src/sum.js'), 'changed\n');

    const changes = await importChanges(['deps', '.claude/settings.json']);

    expect(changes.map(({ path }) => path)).toEqual(['src/sum.js']);
  });

  it('takes the rest of the tree where an excluded path is also ignored', async () => {
    await mkdir(inWork('node_modules/x'), { recursive: true });
    await writeFile(inWork('node_modules/x/index.js'), 'x');
    await writeFile(inWork('debug.log'), 'x');
    await writeFile(inWork('src/sum.js'), 'changed\n');
    await writeFile(inWork('src/new.js'), 'new\n');

    const changes = await importChanges(['node_modules', 'debug.log']);

    expect(changes.map(({ path }) => path)).toEqual(['src/new.js', 'src/sum.js']);
  });

  it('keeps a new file whose name only begins like an excluded path, and a file in place of a folder', async () => {
    await writeFile(inWork('deps-list'), 'x');
    await mkdir(inWork('ünïcode'));
    await writeFile(inWork('ünïcode/y.js'), 'y');
    await rm(inWork('bin'), { recursive: true });
    await writeFile(inWork('bin'), 'x');

    const changes = await importChanges(['deps', 'ünïcode']);

    expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
      ['added', 'bin'],
      ['deleted', 'bin/run'],
      ['added', 'deps-list'],
    ]);
  });

  it('sees a change whose size and times are as before', async () => {
    const before = await stat(inWork('src/sum.js'));
    await writeFile(inWork('src/sum.js'), 'export const sum = (a, b) => a * b;\n');
    await utimes(inWork('src/sum.js'), before.atime, before.mtime);

    expect((await importChanges()).map(({ path }) => path)).toEqual(['src/sum.js']);
  });

  it.each<[string, string, string]>([
    ['CRLF under `text`', 'a.txt text', 'a\r\nb\r\n'],
    ['CRLF under `eol=crlf`', 'a.txt text eol=crlf', 'a\r\nb\r\n'],
    ['an expanded `ident`', 'a.txt ident', '$Id: 1 $\n'],
  ])('takes no file for changed that attributes alone make differ: %s', async (_what, attributes, text) => {
    const own = await createTestSession({ '.gitattributes': `${attributes}\n`, 'a.txt': text, 'b.txt': 'b\n' });
    const { git, repository, signal, headSha } = own;
    const want = { folder: own.workDir, exclude: [], maxPatchBytes: 1000, against: headSha };

    const untouched = await git.importTree(repository, want, signal);
    await writeFile(join(own.workDir, 'b.txt'), 'changed\n');
    const beside = await git.importTree(repository, want, signal);
    await writeFile(join(own.workDir, 'a.txt'), 'changed\n');
    const touched = await git.importTree(repository, want, signal);

    expect(untouched.changes).toEqual([]);
    expect(beside.changes.map(({ path }) => path)).toEqual(['b.txt']);
    expect(touched.changes.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    await own.remove();
  });

  it('prints files into the patch that attributes call binary, and counts them as binary no more', async () => {
    await writeFile(inWork('.gitattributes'), '* -diff -text\n* binary\n');
    await writeFile(inWork('hidden.js'), 'const secret = 1;\n');
    const { git, repository, signal } = session;

    const imported = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 100_000, against: repository.headSha },
      signal,
    );

    expect(imported.patch).toContain('+const secret = 1;');
    expect(imported.changes.find(({ path }) => path === 'hidden.js')).toMatchObject({ insertions: 1 });
  });

  it('cuts the patch at the limit and says so', async () => {
    await writeFile(inWork('big.txt'), 'line\n'.repeat(10_000));
    const { git, repository, signal } = session;

    const imported = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha },
      signal,
    );

    expect(imported.patchTruncated).toBe(true);
    expect(imported.patch.length).toBeLessThanOrEqual(1000);
    expect(imported.changes).toHaveLength(1);
  });

  it('imports files and folders whose permissions were taken away', async () => {
    await mkdir(inWork('closed'));
    await writeFile(inWork('closed/file'), 'x\n');
    await writeFile(inWork('closed-file'), 'x\n');
    await chmod(inWork('closed'), 0);
    await chmod(inWork('closed-file'), 0);

    expect((await importChanges()).map(({ path }) => path)).toEqual(['closed-file', 'closed/file']);
  });

  it('refuses a workspace with too many entries', async () => {
    const git = createTestGit(join(session.root, 'data'), { limits: { maxTreeEntries: 3 } });

    const attempt = git.importTree(
      session.repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: session.headSha },
      session.signal,
    );

    await expect(attempt).rejects.toMatchObject({ code: 'GIT_FAILED', retry: 'never' });
  });
});

describe('createCommit', () => {
  it('makes the commit that was asked for: one parent, the given author, time and message', async () => {
    const { git, repository, signal, headSha } = session;
    await writeFile(inWork('src/sum.js'), 'fixed\n');
    const { treeSha } = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha },
      signal,
    );
    const message = 'fix: sum\n\nRatchet-Attempt: 1\n';
    const identity = { name: 'our-app[bot]', email: '7+our-app[bot]@users.noreply.github.com' };
    const commit = { treeSha, message, parents: [headSha], identity, at: NOW };

    const sha = await git.createCommit(repository, commit, signal);
    const again = await git.createCommit(repository, commit, signal);
    await git.keepCommit(repository, { commitSha: sha, as: 'intent' }, signal);

    const gitDir = repository.mirror.gitDir;
    const { stdout } = await execa('git', ['--git-dir', gitDir, 'cat-file', 'commit', sha]);
    expect(again).toBe(sha);
    expect(stdout).toBe(
      [
        `tree ${treeSha}`,
        `parent ${headSha}`,
        'author our-app[bot] <7+our-app[bot]@users.noreply.github.com> 1795737600 +0000',
        'committer our-app[bot] <7+our-app[bot]@users.noreply.github.com> 1795737600 +0000',
        '',
        message.trimEnd(),
      ].join('\n'),
    );
  });

  it('refuses any other first parent', async () => {
    const { git, repository, signal } = session;
    const { treeSha } = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha },
      signal,
    );
    const identity = { name: 'a', email: 'a@example.org' };
    const commit = { treeSha, message: 'x', parents: [treeSha], identity, at: NOW };

    await expect(git.createCommit(repository, commit, signal)).rejects.toMatchObject({ code: 'INVARIANT' });
  });
});

describe('removeSession', () => {
  it('removes folders and references, and does it twice without complaint', async () => {
    const { git, repository, runId } = session;
    await keepWorkspace(session);

    await git.removeSession(runId, REPOSITORY.repositoryId);
    await git.removeSession(runId, REPOSITORY.repositoryId);

    await expect(access(session.workDir)).rejects.toMatchObject({ code: 'ENOENT' });
    const { stdout } = await execa('git', ['--git-dir', repository.mirror.gitDir, 'for-each-ref']);
    expect(stdout).not.toMatch(/refs\/ratchet\/(?:ws|intent)/);
  });

  it('removes folders without permissions and paths beyond the limit of the system', async () => {
    const { git, runId } = session;
    await mkdir(inWork('closed/in'), { recursive: true });
    await chmod(inWork('closed'), 0);
    await execa('bash', ['-c', 'for i in $(seq 40); do mkdir -p $(printf "d%.0s" {1..200}) && cd d*; done'], {
      cwd: inWork(),
    });

    await git.removeSession(runId, REPOSITORY.repositoryId);

    await expect(access(session.workDir)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(join(session.root, 'data', 'trash'))).toEqual([]);
  });
});

describe('sweep', () => {
  it('removes sessions that are not live and keeps those that are', async () => {
    const { git, signal } = session;

    await git.sweep({ live: [session.runId], held: [] }, signal);
    await access(session.workDir);
    await git.sweep({ live: [], held: [] }, signal);

    await expect(access(session.workDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('evicts unused mirrors beyond the quota, but none with a live session or an open intent', async () => {
    const dataDir = join(session.root, 'data');
    const later = { now: () => NOW + 24 * 3_600_000 };
    const git = createTestGit(dataDir, { clock: later, limits: { maxMirrorBytes: 1 } });
    await keepWorkspace(session);

    await git.sweep({ live: [session.runId], held: [] }, session.signal);
    expect(await git.openMirror(REPOSITORY.repositoryId)).not.toBeNull();
    await git.sweep({ live: [], held: [] }, session.signal);
    expect(await git.openMirror(REPOSITORY.repositoryId)).not.toBeNull();
    await git.removeSession(session.runId, REPOSITORY.repositoryId);
    await git.sweep({ live: [], held: [] }, session.signal);

    expect(await git.openMirror(REPOSITORY.repositoryId)).toBeNull();
  });

  it('drops the intent of a session whose removal a crash prevented, when it is old', async () => {
    const dataDir = join(session.root, 'data');
    const later = (days: number) => ({
      clock: { now: () => NOW + days * 24 * 3_600_000 },
      limits: { maxMirrorBytes: 1 },
    });
    await keepWorkspace(session);

    await createTestGit(dataDir, later(6)).sweep({ live: [], held: [] }, session.signal);
    expect(await session.git.openMirror(REPOSITORY.repositoryId)).not.toBeNull();
    await createTestGit(dataDir, later(8)).sweep({ live: [session.runId], held: [] }, session.signal);
    expect(await session.git.openMirror(REPOSITORY.repositoryId)).not.toBeNull();
    await createTestGit(dataDir, later(8)).sweep({ live: [], held: [] }, session.signal);

    expect(await session.git.openMirror(REPOSITORY.repositoryId)).toBeNull();
  });

  it('keeps a commit that is held beyond its session, for as long as a person may accept it (S28)', async () => {
    const { git, repository, headSha, runId, signal } = session;
    const { gitDir } = repository.mirror;
    const readHeld = async (): Promise<string> =>
      (await execa('git', ['--git-dir', gitDir, 'for-each-ref', '--format=%(objectname)', 'refs/ratchet/held'])).stdout;
    const identity = { name: 'a', email: 'a@example.org' };
    const tree = await execa('git', ['--git-dir', gitDir, 'rev-parse', `${headSha}^{tree}`]);
    const commit = { treeSha: parseSha(tree.stdout), message: 'x', parents: [headSha], identity, at: NOW };
    const sha = await git.createCommit(repository, commit, signal);
    await git.keepCommit(repository, { commitSha: sha, as: 'held' }, signal);
    await git.removeSession(runId, REPOSITORY.repositoryId);
    const later = createTestGit(join(session.root, 'data'), {
      clock: { now: () => NOW + 24 * 3_600_000 },
      limits: { maxMirrorBytes: 1 },
    });

    await git.sweep({ live: [], held: [] }, signal);
    expect(await readHeld()).toBe(sha);
    expect(await git.readHeld(repository, runId, signal)).toEqual({ commitSha: sha, treeSha: tree.stdout });
    expect(await git.readHeld(repository, parseRunId('another'), signal)).toBeNull();
    await later.sweep({ live: [], held: [runId] }, signal);
    expect(await readHeld()).toBe(sha);
    await later.sweep({ live: [], held: [] }, signal);

    expect(await git.openMirror(REPOSITORY.repositoryId)).toBeNull();
  });

  it('joins many packs without losing an object that only a session still needs', async () => {
    const { repository, remote, signal, headSha } = session;
    const git = createTestGit(join(session.root, 'data'), { limits: { maxPacks: 4 } });
    for (let index = 0; index < 5; index += 1) {
      const next = await remote.commit('fix-it', { 'n.txt': String(index) });
      await remote.git(['update-ref', 'refs/pull/3/head', next]);
      await git.ensureMirror(REPOSITORY, { number: 3, headSha: next, baseRef: 'main' }, remote.access, signal);
    }

    await git.sweep({ live: [session.runId, parseRunId('other')], held: [] }, signal);

    const packs = (await readdir(join(repository.mirror.objectsDir, 'pack'))).filter((name) => name.endsWith('.pack'));
    expect(packs.length).toBeLessThan(3);
    const folder = join(session.workDir, '..', 'again');
    await git.placeTree(repository, { treeSha: headSha, folder, masked: [], hasHistory: false }, signal);
    expect(await readdir(folder)).toContain('src');
  });
});

describe('links in the workspace', () => {
  it('imports a link as a link and never what it points to', async () => {
    await symlink('/etc/passwd', inWork('leak'));
    const { git, repository, signal } = session;

    const imported = await git.importTree(
      repository,
      { folder: session.workDir, exclude: [], maxPatchBytes: 1000, against: repository.headSha },
      signal,
    );

    expect(imported.changes).toEqual([expect.objectContaining({ path: 'leak', newMode: '120000', newBytes: 11 })]);
    expect(imported.patch).not.toContain('root:');
  });
});

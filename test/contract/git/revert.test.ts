import { afterEach, describe, expect, it } from 'vitest';
import { parseSha, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { Git } from '../../../src/ports/git.ts';
import { fakeSha } from '../../support/builders.ts';
import {
  createTestSession,
  type FileSpec,
  HEAD_BRANCH,
  PULL_NUMBER,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';

type Files = Readonly<Record<string, FileSpec>>;

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const BEFORE = LINES.join('\n');
const FIXED = BEFORE.replace('two', 'TWO');

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Reverted {
  readonly session: TestSession;
  readonly result: Awaited<ReturnType<Git['revertTree']>>;
  /** Texts of the resulting tree. */
  readonly read: (...paths: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  readonly list: () => Promise<readonly string[]>;
}

/** A branch with `before`, a fixup with `fixup` on it, and `later` commits on top: the fixup is reverted on the last. */
async function revert(before: Files, fixup: Files, ...later: readonly Files[]): Promise<Reverted> {
  const session = await createTestSession(before);
  ends.push(session.remove);
  const { git, remote, signal, headSha: parentSha } = session;
  const commitSha = await remote.commit(HEAD_BRANCH, fixup);
  let onto = commitSha;
  for (const files of later) onto = await remote.commit(HEAD_BRANCH, files);
  const want = { number: PULL_NUMBER, headSha: onto, headRef: HEAD_BRANCH, baseRef: 'main' };
  const mirror = await git.ensureMirror(REPOSITORY, want, remote.access, signal);
  const key = toPullRequestKey(REPOSITORY.repositoryId, PULL_NUMBER);
  const keep = { id: session.runId, key, headSha: onto, alsoKeep: [commitSha, parentSha] };
  const repository = await git.prepareSession(mirror, keep, signal);
  const result = await git.revertTree(repository, { commitSha, parentSha, onto }, signal);
  const treeish = 'treeSha' in result ? result.treeSha : onto;
  return {
    ...{ session, result },
    read: (...paths) => git.readFiles(repository, { treeish, paths, maxBytes: 10_000 }, signal),
    list: () => git.listFiles(repository, signal, treeish),
  };
}

describe('revertTree (S26)', () => {
  it('restores exactly what the commit changed: lines, a new file, a deleted one', async () => {
    const { result, read, list } = await revert(
      { 'a.txt': BEFORE, 'gone.txt': 'was here' },
      { 'a.txt': FIXED, 'gone.txt': null, 'new.txt': 'added' },
    );

    expect(result.kind).toBe('clean');
    expect(await read('a.txt', 'gone.txt')).toEqual({ 'a.txt': BEFORE, 'gone.txt': 'was here' });
    expect(await list()).not.toContain('new.txt');
  });

  it('keeps what people committed on top, in the same file and in others', async () => {
    const { result, read } = await revert(
      { 'a.txt': BEFORE },
      { 'a.txt': FIXED },
      { 'a.txt': FIXED.replace('seven', 'SEVEN') },
      { 'b.txt': 'a person' },
    );

    expect(result.kind).toBe('clean');
    expect(await read('a.txt', 'b.txt')).toEqual({ 'a.txt': BEFORE.replace('seven', 'SEVEN'), 'b.txt': 'a person' });
  });

  it('reports a conflict where people changed the same lines, or a file that it would delete', async () => {
    const lines = await revert({ 'a.txt': BEFORE }, { 'a.txt': FIXED }, { 'a.txt': BEFORE.replace('two', '2') });
    const file = await revert({ 'a.txt': BEFORE }, { 'new.txt': 'added' }, { 'new.txt': 'changed by a person' });

    expect(lines.result).toMatchObject({ kind: 'conflicted', named: ['a.txt'] });
    expect(file.result).toMatchObject({ kind: 'conflicted', named: ['new.txt'] });
  });

  it('is told to have nothing to do where the change is gone, whoever took it back', async () => {
    const gone = await revert({ 'a.txt': BEFORE }, { 'a.txt': FIXED }, { 'a.txt': BEFORE });
    const beside = await revert({ 'a.txt': BEFORE }, { 'a.txt': FIXED }, { 'a.txt': BEFORE, 'b.txt': 'a person' });

    expect([gone.result.kind, beside.result.kind]).toEqual(['merged', 'merged']);
  });

  it('runs no merge driver that the branch names, and hides no conflict by one (T22)', async () => {
    const attributes = { '.gitattributes': '* merge=union\n' };
    const { result } = await revert(
      { ...attributes, 'a.txt': BEFORE },
      { 'a.txt': FIXED },
      { 'a.txt': BEFORE.replace('two', '2') },
    );

    expect(result.kind).toBe('conflicted');
  });

  it('says that a commit is missing, and does not take another object for one', async () => {
    const session = await createTestSession({ 'a.txt': BEFORE });
    ends.push(session.remove);
    const { git, repository, headSha, signal, remote } = session;
    const tree = parseSha(await remote.git(['rev-parse', `${headSha}^{tree}`]));
    for (const commitSha of [fakeSha('nowhere'), tree]) {
      const result = await git.revertTree(repository, { commitSha, parentSha: headSha, onto: headSha }, signal);
      expect(result).toEqual({ kind: 'missing' });
    }
  });
});

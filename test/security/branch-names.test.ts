import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRunId } from '../../src/core/model/ids.ts';
import {
  createTestSession,
  keepWorkspace,
  PULL_NUMBER,
  REPOSITORY,
  type TestSession,
} from '../support/git-repository.ts';

/** Names that git allows for a branch; each was made to be taken for something else (T23). */
const HOSTILE_NAMES: readonly string[] = [
  '--upload-pack=touch${IFS}CANARY',
  '--receive-pack=touch${IFS}CANARY',
  '--exec=touch${IFS}CANARY',
  '-oProxyCommand=touch${IFS}CANARY',
  '-ucanary',
  '--help',
  '--all',
  '--delete',
  '--mirror',
  '-',
  '--',
  '-f',
  '+force',
  '$(touch${IFS}CANARY)',
  '`touch${IFS}CANARY`',
  'a;touch${IFS}CANARY',
  'a|touch${IFS}CANARY',
  'a&&touch${IFS}CANARY',
  'a>CANARY',
  "a'b",
  'a"b',
  '${PATH}',
  '$HOME',
  '%PATH%',
  '!id',
  '#comment',
  'HEAD',
  'FETCH_HEAD',
  'refs/heads/main',
  'refs/heads/fix-it',
  'origin/main',
  'main@upstream',
  '@',
  'a,b',
  'a=b',
  'a(b)',
  'a<b',
  'file.git',
  '\u202egnp.exe',
  'zero\u200bwidth',
  'ünïcode-😀',
  'pull/1/head',
  'a/b/c/d/e/f/g',
  'x'.repeat(200),
];

/** Names that no branch can have: refused before git sees a remote. */
const IMPOSSIBLE_NAMES: readonly string[] = [
  '',
  'a b',
  'a..b',
  'a:b',
  'a:refs/heads/main',
  '+a:b',
  'a~1',
  'a^{commit}',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  'a@{1}',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a.lock',
  'a\nb',
  'a\0b',
  'a\u007f',
  'x'.repeat(300),
];

let session: TestSession;

beforeAll(async () => {
  session = await createTestSession({ 'a.txt': 'broken\n' });
  await writeFile(join(session.workDir, 'a.txt'), 'fixed\n');
});

afterAll(async () => {
  await session.remove();
});

describe('a hostile branch name', () => {
  it('is only ever a name: fetch, read and push go to exactly that branch, and nothing runs', async () => {
    const { git, repository, remote, runId, headSha, signal } = session;
    const commitSha = await keepWorkspace(session);
    const others = await remote.git(['for-each-ref', '--format=%(objectname) %(refname)']);
    for (const name of HOSTILE_NAMES) {
      await remote.git(['update-ref', '--stdin', '-z'], `create refs/heads/${name}\0${headSha}\0`);

      const want = { number: PULL_NUMBER, headSha, baseRef: name };
      await git.ensureMirror(REPOSITORY, want, remote.access, signal);
      const before = await git.readRemoteHead(name, remote.access, signal);
      const push = { runId, commitSha, branch: name, oldSha: headSha };
      const pushed = await git.pushKept(repository.mirror, push, remote.access, signal);

      expect([name, before, pushed, await remote.head(name)]).toEqual([name, headSha, { kind: 'pushed' }, commitSha]);
      await remote.git(['update-ref', '--stdin', '-z'], `delete refs/heads/${name}\0${commitSha}\0`);
    }
    expect(await remote.git(['for-each-ref', '--format=%(objectname) %(refname)'])).toBe(others);
    expect(await findCanaries()).toEqual([]);
  });

  it.each(IMPOSSIBLE_NAMES)('%j is refused', async (name) => {
    const { git, remote, headSha, signal, repository } = session;
    const push = { runId: parseRunId('other'), commitSha: headSha, branch: name, oldSha: headSha };
    const refusal = { code: 'FETCH_FAILED', retry: 'never' };

    await expect(git.readRemoteHead(name, remote.access, signal)).rejects.toMatchObject(refusal);
    await expect(git.pushKept(repository.mirror, push, remote.access, signal)).rejects.toMatchObject(refusal);
    const want = { number: PULL_NUMBER, headSha, baseRef: name };
    await expect(git.ensureMirror(REPOSITORY, want, remote.access, signal)).rejects.toMatchObject(refusal);
  });
});

/** Folders in which git ran. */
async function findCanaries(): Promise<readonly string[]> {
  const { repository, root, remote } = session;
  const folders = [root, join(root, 'data'), repository.mirror.gitDir, repository.controlDir, remote.gitDir, '.'];
  const names = await Promise.all(folders.map((folder) => readdir(folder)));
  return names.flat().filter((name) => name.includes('CANARY'));
}

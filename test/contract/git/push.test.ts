import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { PushResult } from '../../../src/ports/git.ts';
import {
  createTestSession,
  HEAD_BRANCH,
  keepWorkspace,
  REPOSITORY,
  type TestSession,
} from '../../support/git-repository.ts';

let session: TestSession;
let commitSha: Sha;

beforeEach(async () => {
  session = await createTestSession({ 'a.txt': 'broken\n' });
  await writeFile(join(session.workDir, 'a.txt'), 'fixed\n');
  commitSha = await keepWorkspace(session);
});

afterEach(async () => {
  await session.remove();
});

async function push(
  change?: Partial<{ branch: string; oldSha: Sha; commitSha: Sha; url: string }>,
): Promise<PushResult> {
  const { git, repository, remote, runId, headSha, signal } = session;
  const access = { ...remote.access, url: change?.url ?? remote.access.url };
  const what = { runId, commitSha, branch: HEAD_BRANCH, oldSha: headSha, ...change };
  return git.pushKept(repository.mirror, what, access, signal);
}

async function installHook(name: string, script: string): Promise<void> {
  const path = join(session.remote.gitDir, 'hooks', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

async function remoteHead(): Promise<Sha | null> {
  const { git, remote, signal } = session;
  return git.readRemoteHead(HEAD_BRANCH, remote.access, signal);
}

describe('pushKept', () => {
  it('moves the branch to the commit, and a repetition after a crash is a success too', async () => {
    await session.git.removeSession(session.runId, 999);

    expect(await push()).toEqual({ kind: 'pushed' });
    expect(await remoteHead()).toBe(commitSha);
    expect(await push()).toEqual({ kind: 'pushed' });
  });

  it('is stale when a person pushed meanwhile, and leaves their commit alone (traps 37 and 38)', async () => {
    const theirs = await session.remote.commit(HEAD_BRANCH, { 'b.txt': 'theirs\n' });

    expect(await push()).toEqual({ kind: 'stale', remoteSha: theirs });
    expect(await remoteHead()).toBe(theirs);
  });

  it('does not make a deleted branch again (F26)', async () => {
    await session.remote.git(['update-ref', '-d', `refs/heads/${HEAD_BRANCH}`]);

    expect(await push()).toEqual({ kind: 'stale', remoteSha: null });
    expect(await remoteHead()).toBeNull();
  });

  it('is stale after a force-push (F27)', async () => {
    const main = await session.remote.head('main');
    const theirs = await session.remote.commit(HEAD_BRANCH, { 'a.txt': 'rewritten\n' }, { parent: main });

    expect(await push()).toEqual({ kind: 'stale', remoteSha: theirs });
    expect(await remoteHead()).toBe(theirs);
  });

  it('never rewrites: a commit that does not descend from the remote head is refused before it is sent (F27, trap 36)', async () => {
    const main = await session.remote.head('main');
    const theirs = await session.remote.commit(HEAD_BRANCH, { 'a.txt': 'rewritten\n' }, { parent: main });
    // The mirror knows the new head, so that a lease on it alone would let the push through.
    await session.remote.git(['update-ref', 'refs/pull/3/head', theirs]);
    const want = { number: 3, headSha: theirs, baseRef: 'main' };
    await session.git.ensureMirror(REPOSITORY, want, session.remote.access, session.signal);

    expect(await push({ oldSha: theirs })).toMatchObject({ kind: 'refused' });
    expect(await remoteHead()).toBe(theirs);
  });

  it('tells the server’s own reason when it refuses', async () => {
    await installHook('pre-receive', 'echo "error: GH006: Protected branch update failed"; exit 1');

    const result = await push();

    expect(result).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(result)).toContain('GH006: Protected branch update failed');
    expect(await remoteHead()).toBe(session.headSha);
  });

  it('is stale when a person wins between the lease and the write', async () => {
    const theirs = await session.remote.commit('theirs', { 'b.txt': 'b\n' }, { parent: session.headSha });
    const quarantine = 'unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES';
    await installHook('update', `${quarantine}; git update-ref refs/heads/${HEAD_BRANCH} ${theirs}`);

    expect(await push()).toEqual({ kind: 'stale', remoteSha: theirs });
  });

  it('does not know how it ended when the remote cannot be reached', async () => {
    expect(await push({ url: 'file:///nonexistent/repository.git' })).toMatchObject({ kind: 'unknown' });
  });

  it('pushes nothing but the kept commit of the session', async () => {
    await expect(push({ commitSha: session.headSha })).rejects.toMatchObject({ code: 'INVARIANT' });
  });

  it('leaves no token in the mirror or the remote', async () => {
    await push();

    const { exitCode } = await execa('grep', ['-r', 'ghs_test', session.root], { reject: false });
    expect(exitCode).toBe(1);
  });
});

describe('readRemoteHead', () => {
  it('reads exactly the branch, not one whose name ends alike', async () => {
    await session.remote.git(['update-ref', 'refs/heads/refs/heads/only-nested', session.headSha]);
    const { git, remote, signal } = session;

    expect(await git.readRemoteHead('only-nested', remote.access, signal)).toBeNull();
    expect(await git.readRemoteHead('refs/heads/only-nested', remote.access, signal)).toBe(session.headSha);
  });
});

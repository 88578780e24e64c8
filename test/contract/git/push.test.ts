import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classifyPush } from '../../../src/adapters/git/classify-push.ts';
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

describe('classifyPush', () => {
  const ref = 'aaaa:refs/heads/b';
  const denied = (code: number): string =>
    `fatal: unable to access 'https://x/': The requested URL returned error: ${String(code)}\n`;
  const workflows = 'refusing to allow a GitHub App to create or update workflow';

  interface PushCase {
    readonly name: string;
    readonly exitCode: number | null;
    readonly stdout?: string;
    readonly stderr?: string;
    readonly kind: string;
  }

  it.each<PushCase>([
    { name: 'a fast-forward', exitCode: 0, stdout: ` \t${ref}\t1..2\nDone\n`, kind: 'pushed' },
    { name: 'a forced update', exitCode: 0, stdout: `+\t${ref}\t1...2\nDone\n`, kind: 'pushed' },
    { name: 'the same push again', exitCode: 0, stdout: `=\t${ref}\t[up to date]\nDone\n`, kind: 'pushed' },
    { name: 'a lost lease', exitCode: 1, stdout: `!\t${ref}\t[rejected] (stale info)\n`, kind: 'lost_race' },
    {
      name: 'a locked reference',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (cannot lock ref 'refs/heads/b')\n`,
      kind: 'lost_race',
    },
    {
      name: 'a refusing hook',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (pre-receive hook declined)\n`,
      kind: 'refused',
    },
    {
      name: 'a missing workflows permission',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (${workflows})\n`,
      kind: 'refused',
    },
    {
      name: 'a connection lost in the middle',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote failure] (remote failed to report status)\n`,
      kind: 'unknown',
    },
    ...[401, 403, 404, 408, 429, 500, 502, 503].map((status) => {
      return { name: `a ${String(status)}`, exitCode: 128, stderr: denied(status), kind: 'unknown' };
    }),
    ...[
      "remote: Permission to o/r.git denied to app[bot].\nfatal: unable to access 'https://x/': The requested URL returned error: 403",
      "fatal: Authentication failed for 'https://x/'",
      "fatal: could not read Username for 'https://x/': terminal prompts disabled",
      "remote: Repository not found.\nfatal: repository 'https://x/' not found",
      'fatal: protocol error: bad line length character: <htm',
      'fatal: https://x/info/refs not valid: could not determine hash algorithm; is this a git repository?',
      "fatal: unable to access 'https://x/': Could not resolve host: x",
      "fatal: unable to access 'https://x/': Failed to connect to x port 443 after 1 ms: Connection refused",
      'error: RPC failed; HTTP 500 curl 22 The requested URL returned error: 500\nsend-pack: unexpected disconnect while reading sideband packet',
      'fatal: the remote end hung up unexpectedly',
      'error: RPC failed; curl 56 Recv failure: Connection reset by peer',
    ].map((stderr) => ({ name: stderr.slice(0, 60), exitCode: 128, stderr: `${stderr}\n`, kind: 'unknown' })),
    {
      name: 'an archived repository',
      exitCode: 128,
      stderr: `remote: This repository was archived so it is read-only.\n${denied(403)}`,
      kind: 'refused',
    },
    {
      name: 'an address that is not allowed',
      exitCode: 128,
      stderr: `remote: The organization has an IP allow list enabled, and 1.2.3.4 is not permitted.\n${denied(403)}`,
      kind: 'refused',
    },
    ...[
      'Internal Server Error',
      'internal error',
      'fatal error in commit_refs',
      'unpacker error',
      'remote unpack failed',
      'Service Unavailable',
      'timed out',
      'timeout',
      'missing necessary objects',
    ].map((reason) => {
      return {
        name: `a rejection by ${reason}`,
        exitCode: 1,
        stdout: `!\t${ref}\t[remote rejected] (${reason})\n`,
        kind: 'unknown',
      };
    }),
    {
      name: 'a hook that GitHub could not run',
      exitCode: 1,
      stdout: `!\t${ref}\t[remote rejected] (pre-receive hook declined)\n`,
      stderr: 'remote: Internal Server Error\n',
      kind: 'unknown',
    },
    ...[
      ['pre-receive hook declined', 'remote: error: GH006: Protected branch update failed\nremote: error: timed out'],
      ['push declined due to repository rule violations', 'remote: error: GH013: Repository rule violations found'],
      ['protected branch hook declined', 'remote: internal server error'],
      ['pre-receive hook declined', 'remote: files above 100 MB are not allowed'],
      ['permission denied', ''],
    ].map(([reason = '', stderr = '']) => {
      return {
        name: `a rule: ${reason}, ${stderr}`,
        exitCode: 1,
        stdout: `!\t${ref}\t[remote rejected] (${reason})\n`,
        stderr,
        kind: 'refused',
      };
    }),
    { name: 'no answer in time', exitCode: null, kind: 'unknown' },
    { name: 'a success that git takes back', exitCode: 1, stdout: ` \t${ref}\t1..2\n`, kind: 'unknown' },
  ])('reads $name', ({ exitCode, stdout = '', stderr = '', kind }) => {
    expect(classifyPush({ exitCode, stdout, stderr }).kind).toBe(kind);
  });

  it('keeps the server’s words without control characters, cut to a length', () => {
    const stderr = `remote: \u001b[31mno\u0007 ${'x'.repeat(5000)}\n`;
    const verdict = classifyPush({ exitCode: 1, stdout: `!\t${ref}\t[remote rejected] (hook declined)\n`, stderr });

    expect(verdict).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(verdict)).not.toContain('\\u001b');
    expect(JSON.stringify(verdict).length).toBeLessThan(2200);
  });
});

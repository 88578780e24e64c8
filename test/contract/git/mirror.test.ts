import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSha, type Sha } from '../../../src/core/model/ids.ts';
import {
  createRemoteRepository,
  createTempFolder,
  createTestGit,
  NOW,
  PULL_NUMBER,
  REPOSITORY,
  type RemoteRepository,
} from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

const signal = NEVER;
let root: string;
let removeRoot: () => Promise<void>;
let remote: RemoteRepository;
let headSha: Sha;

beforeEach(async () => {
  ({ path: root, remove: removeRoot } = await createTempFolder({ inMemory: true }));
  remote = await createRemoteRepository(root);
  const base = await remote.commit('main', { 'a.txt': 'a\n' }, { parent: null });
  headSha = await remote.commit('topic', { 'b.txt': 'b\n' }, { parent: base });
  await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, headSha]);
});

afterEach(async () => {
  await removeRoot();
});

function want(sha: Sha = headSha): { number: number; headSha: Sha; baseRef: string } {
  return { number: PULL_NUMBER, headSha: sha, baseRef: 'main' };
}

describe('ensureMirror', () => {
  it('makes a bare mirror with the head, by the ref of its pull request, and the base on first use, and updates it later (trap 47)', async () => {
    const git = createTestGit(join(root, 'data'));
    const mirror = await git.ensureMirror(REPOSITORY, want(), remote.access, signal);
    const next = await remote.commit('topic', { 'c.txt': 'c\n' });
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, next]);

    const again = await git.ensureMirror(REPOSITORY, want(next), remote.access, signal);

    expect(again).toEqual(mirror);
    expect(mirror.gitDir).toBe(join(root, 'data', 'mirrors', '7.git'));
    expect(await git.openMirror(7)).toEqual(mirror);
    expect(await git.openMirror(8)).toBeNull();
  });

  it('waits for a head that the remote does not have yet', async () => {
    const git = createTestGit(join(root, 'data'));
    const unknown = parseSha('1'.repeat(40));

    for (const headRef of [null, 'topic', 'not-there-yet']) {
      const attempt = git.ensureMirror(REPOSITORY, { ...want(unknown), headRef }, remote.access, signal);
      await expect(attempt).rejects.toMatchObject({ code: 'REF_LAGS', retry: 'later' });
    }
  });

  it.each<[string, string | null, (pull: string) => Promise<unknown>]>([
    [
      'its branch, where the ref of the pull request is missing',
      'topic',
      (pull) => remote.git(['update-ref', '-d', pull]),
    ],
    [
      'its branch, where the ref of the pull request lags',
      'topic',
      async (pull) => remote.git(['update-ref', pull, 'main']),
    ],
    ['its name, where its branch is missing', 'topic', () => remote.git(['update-ref', '-d', 'refs/heads/topic'])],
    ['its name, where its branch lags', 'topic', () => remote.git(['update-ref', 'refs/heads/topic', 'main'])],
    ['its name, where the ref of a fork’s pull request lags', null, (pull) => remote.git(['update-ref', pull, 'main'])],
  ])('finds the head by %s', async (_what, headRef, lag) => {
    const git = createTestGit(join(root, 'data'));
    await remote.git(['update-ref', 'refs/keep/head', headSha]);
    await lag(`refs/pull/${String(PULL_NUMBER)}/head`);

    const mirror = await git.ensureMirror(REPOSITORY, { ...want(), headRef }, remote.access, signal);

    const found = await execa('git', ['-C', mirror.gitDir, 'rev-parse', `refs/ratchet/pr/${String(PULL_NUMBER)}`]);
    expect(found.stdout).toBe(headSha);
  });

  it('serialises fetches of one repository', async () => {
    const git = createTestGit(join(root, 'data'));

    const mirrors = await Promise.all(
      Array.from({ length: 4 }, () => git.ensureMirror(REPOSITORY, want(), remote.access, signal)),
    );

    expect(new Set(mirrors.map((mirror) => mirror.gitDir)).size).toBe(1);
  });

  it('refuses a repository beyond the quota and leaves nothing on the disk', async () => {
    const git = createTestGit(join(root, 'data'), { limits: { maxRepositoryBytes: 500 } });

    await expect(git.ensureMirror(REPOSITORY, want(), remote.access, signal)).rejects.toMatchObject({
      code: 'REPO_TOO_LARGE',
      retry: 'never',
    });

    expect(await readdir(join(root, 'data', 'mirrors'))).toEqual([]);
  });

  it('takes back only the new objects when a known repository grows beyond the quota', async () => {
    const git = createTestGit(join(root, 'data'), { limits: { maxRepositoryBytes: 20_000 } });
    const mirror = await git.ensureMirror(REPOSITORY, want(), remote.access, signal);
    const packs = await readdir(join(mirror.objectsDir, 'pack'));
    const noise = Array.from({ length: 20_000 }, (_, index) => String((index * 7919) % 104_729)).join(' ');
    const big = await remote.commit('topic', { 'big.txt': noise });
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, big]);

    await expect(git.ensureMirror(REPOSITORY, want(big), remote.access, signal)).rejects.toMatchObject({
      code: 'REPO_TOO_LARGE',
    });

    expect(await readdir(join(mirror.objectsDir, 'pack'))).toEqual(packs);
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, headSha]);
    await expect(git.ensureMirror(REPOSITORY, want(), remote.access, signal)).resolves.toEqual(mirror);
  });

  it('tells a missing base branch as a failed fetch', async () => {
    const git = createTestGit(join(root, 'data'));

    const attempt = git.ensureMirror(REPOSITORY, { ...want(), baseRef: 'gone' }, remote.access, signal);

    await expect(attempt).rejects.toMatchObject({ code: 'FETCH_FAILED', retry: 'never' });
    expect(await git.openMirror(7)).toBeNull();
  });

  it('goes on after a killed git left a lock file', async () => {
    const git = createTestGit(join(root, 'data'));
    const mirror = await git.ensureMirror(REPOSITORY, want(), remote.access, signal);
    const lock = join(mirror.gitDir, 'refs', 'ratchet', 'pr', `${String(PULL_NUMBER)}.lock`);
    await writeFile(lock, '');
    const anHourAgo = Date.now() / 1000 - 3600;
    await utimes(lock, anHourAgo, anHourAgo);
    const next = await remote.commit('topic', { 'c.txt': 'c\n' });
    await remote.git(['update-ref', `refs/pull/${String(PULL_NUMBER)}/head`, next]);

    await expect(git.ensureMirror(REPOSITORY, want(next), remote.access, signal)).resolves.toEqual(mirror);
  });

  it('removes what a killed git left of a pack, which would count as the repository for ever', async () => {
    const git = createTestGit(join(root, 'data'), { limits: { maxRepositoryBytes: 100_000 } });
    const mirror = await git.ensureMirror(REPOSITORY, want(), remote.access, signal);
    const packs = join(mirror.objectsDir, 'pack');
    for (const name of ['tmp_pack_Ab12Cd', 'tmp_idx_Ab12Cd', '.tmp-123-pack-x.pack']) {
      await writeFile(join(packs, name), 'x'.repeat(90_000));
    }

    await expect(git.ensureMirror(REPOSITORY, want(), remote.access, signal)).resolves.toEqual(mirror);

    expect((await readdir(packs)).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  it('stops at the time limit', async () => {
    const git = createTestGit(join(root, 'data'), { limits: { fetchTimeoutMs: 1 } });

    const attempt = git.ensureMirror(REPOSITORY, want(), remote.access, signal);

    await expect(attempt).rejects.toMatchObject({ code: 'FETCH_FAILED', retry: 'later' });
  });

  it('gives up at once when aborted', async () => {
    const git = createTestGit(join(root, 'data'));

    const attempt = git.ensureMirror(REPOSITORY, want(), remote.access, AbortSignal.abort(new Error('stopped')));

    await expect(attempt).rejects.toThrow('stopped');
  });

  it('keeps the mirrors closed to other users', async () => {
    const git = createTestGit(join(root, 'data'));
    await git.ensureMirror(REPOSITORY, want(), remote.access, signal);

    expect((await stat(join(root, 'data', 'mirrors'))).mode & 0o777).toBe(0o750);
  });
});

describe('access to the remote', () => {
  it.each([
    ['file transport when it is not allowed', 'file:///srv/repo.git'],
    ['plain http to a host of the internet', 'http://github.com/octo/demo.git'],
    ['ssh', 'ssh://git@github.com/octo/demo.git'],
    ['an external helper', 'ext::sh -c "touch /tmp/x"'],
    ['an option in place of an address', '--upload-pack=touch /tmp/x'],
    ['credentials in the address', 'https://user:secret@github.com/octo/demo.git'],
  ])('refuses %s', async (_name, url) => {
    const git = createTestGit(join(root, 'data'), { transports: { allowFile: false, plainHttpHosts: [] } });

    const attempt = git.readRemoteHead('main', { ...remote.access, url }, signal);

    await expect(attempt).rejects.toMatchObject({ code: 'FETCH_FAILED', retry: 'never' });
  });

  /** A server that denies the first requests like this; what git waited in between, and how many requests came. */
  async function denyFirst(
    statuses: readonly number[],
    mintedAt: number,
  ): Promise<{ readonly slept: readonly number[]; readonly requests: number }> {
    let requests = 0;
    const server = createServer((_request, response) => {
      const status = statuses[requests] ?? 500;
      requests += 1;
      response.writeHead(status, { 'content-type': 'text/plain' }).end('no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${String(port)}/octo/demo.git`;
    const slept: number[] = [];
    const git = createTestGit(join(root, 'data'), {
      transports: { allowFile: false, plainHttpHosts: [] },
      sleep: async (ms) => void slept.push(ms),
    });
    const access = { url, token: { token: 'ghs_new', expiresAt: 0, mintedAt } };
    await expect(git.readRemoteHead('main', access, signal)).rejects.toMatchObject({
      code: 'FETCH_FAILED',
      retry: 'later',
    });
    server.close();
    return { slept, requests };
  }

  it.each<[string, readonly number[], number, readonly number[]]>([
    ['asks again with a token that is not known everywhere yet', [401, 403, 404], NOW, [1000, 2000, 4000]],
    ['believes a denial in the end', [403, 403, 403, 403, 403], NOW, [1000, 2000, 4000]],
    ['believes a denial of an older token at once', [403], NOW - 10_000, []],
    ['leaves an outage to the queue', [502], NOW, []],
  ])('%s', async (...row) => {
    const [, statuses, mintedAt, waits] = row;

    const { slept, requests } = await denyFirst(statuses, mintedAt);

    expect(slept).toEqual(waits);
    expect(requests).toBe(waits.length + 1);
  });

  it('sends the token as a header, follows no redirect, and never repeats the token in an error', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(seen.length === 1 ? 403 : 302, { location: 'http://localhost:9/other' }).end('no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const access = {
      url: `http://127.0.0.1:${String(port)}/octo/demo.git`,
      token: { token: 'ghs_canary', expiresAt: 0 },
    };
    const git = createTestGit(join(root, 'data'), { transports: { allowFile: false, plainHttpHosts: [] } });
    const failures: string[] = [];

    for (let call = 0; call < 2; call += 1) {
      await git.readRemoteHead('main', access, signal).catch((error: unknown) => failures.push(String(error)));
    }
    server.close();

    const expected = `Basic ${Buffer.from('x-access-token:ghs_canary').toString('base64')}`;
    expect(seen.map((headers) => headers.authorization)).toEqual([expected, expected]);
    expect(failures).toHaveLength(2);
    expect(failures.join('\n')).not.toMatch(/ghs_canary|eC1hY2Nlc3M/);
  });
});

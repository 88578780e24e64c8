import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { watchReadiness } from '../../../src/compose/watch-readiness.ts';
import { GitHubError } from '../../../src/core/model/errors.ts';
import type { Readiness } from '../../../src/web/server.ts';
import { createTestLog } from '../../support/git-repository.ts';
import { startRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/store.ts';

const ROOMY = { freeBytes: 100 * 1024 ** 3, freeInodes: 10_000_000, totalInodes: 20_000_000 };
const APP = { slug: 'ratchet', owner: 'acme', permissions: {}, events: [] };

interface Change {
  readonly disk?: () => typeof ROOMY;
  readonly app?: () => Promise<typeof APP>;
  readonly sandbox?: { readonly kind: 'unavailable'; readonly why: string };
  readonly redisUrl?: string;
}

/** A service in which all is well but for the change. */
function watch(change: Change = {}): { readonly read: () => Promise<Readiness>; readonly path: string } {
  const folder = temporaryFolder();
  const path = join(folder.path, 'ratchet.db');
  const store = createStore({ path });
  const watched = watchReadiness(
    {
      ...{ store, log: createTestLog(), clock: { now: () => Date.now() }, redact: (text) => text },
      machine: { readDisk: async () => change.disk?.() ?? ROOMY },
      app: { readApp: change.app ?? (async () => APP) },
      sites: { probe: async () => change.sandbox ?? { kind: 'ok', profile: 'bubblewrap' } },
    },
    { dataDir: folder.path, redisUrl: change.redisUrl ?? null },
  );
  onTestFinished(() => {
    watched.stop();
    store.close();
    folder.remove();
  });
  return { read: watched.read, path };
}

/** Names of the parts that fail. */
async function failed(read: () => Promise<Readiness>): Promise<readonly string[]> {
  return (await read()).checks.filter(({ state }) => state === 'fail').map(({ name }) => name);
}

describe('the service is ready', () => {
  it('where nothing fails; a part that was not looked at yet, or an outage of GitHub, is no failure', async () => {
    const { read } = watch({ app: () => Promise.reject(new GitHubError('UNAVAILABLE', 'down', { retry: 'later' })) });

    expect((await read()).isReady).toBe(true);
    await expect.poll(async () => (await read()).checks.find(({ name }) => name === 'github')?.detail).toBe('down');
    expect((await read()).isReady).toBe(true);
  });

  it('not with a full disk', async () => {
    const { read } = watch({ disk: () => ({ ...ROOMY, freeBytes: 0 }) });

    expect(await failed(read)).toEqual(['disk']);
    expect((await read()).isReady).toBe(false);
  });

  it('not while another program holds the write lock, and again after it', async () => {
    const { read, path } = watch();
    const other = new SqliteDatabase(path);
    other.exec('BEGIN IMMEDIATE');

    expect(await failed(read)).toEqual(['database']);
    other.close();

    expect(await read()).toMatchObject({ isReady: true });
  });

  it('not with a password that Redis refuses, but without Redis, since it carries hints only', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'another-password');
    client.disconnect();
    const refused = watch({ redisUrl: redis.url.replace('redis://', 'redis://:a-password@') });
    const gone = watch({ redisUrl: 'redis://127.0.0.1:1/0' });

    await expect.poll(() => failed(refused.read)).toEqual(['redis']);
    const detail = JSON.stringify((await refused.read()).checks);
    expect(detail).not.toContain('a-password');
    await expect
      .poll(async () => (await gone.read()).checks.find(({ name }) => name === 'redis')?.detail)
      .toContain('ECONNREFUSED');
    expect((await gone.read()).isReady).toBe(true);
  });

  it('not where the sandbox cannot run, or GitHub refuses the App', async () => {
    const sandbox = watch({ sandbox: { kind: 'unavailable', why: 'no user namespaces' } });
    const app = watch({ app: () => Promise.reject(new GitHubError('UNAUTHORIZED', 'who?', { retry: 'never' })) });

    await expect.poll(() => failed(sandbox.read)).toEqual(['sandbox']);
    await expect.poll(() => failed(app.read)).toEqual(['github']);
  });
});

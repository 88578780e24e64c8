import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createEngineCache } from '../../../src/adapters/files/create-engine-cache.ts';
import { sha256 } from '../../../src/core/hash/sha256.ts';
import type { StoredInvocation } from '../../../src/ports/engine-cache.ts';
import { createTempFolder } from '../../support/git-repository.ts';

const KEY = sha256('a');
let folder = '';

beforeEach(async () => {
  const { path, remove } = await createTempFolder({ inMemory: true });
  onTestFinished(remove);
  folder = join(path, 'runs');
});

function aRun(change: Partial<StoredInvocation> = {}): StoredInvocation {
  return {
    argv: ['eslint', '.'],
    version: '9.0.0',
    exit: { kind: 'exited', exitCode: 1, signal: null, durationMs: 12 },
    payload: {
      kind: 'parsed',
      findings: [
        {
          ...{ kind: 'lint', rule: 'semi', severity: 'high', native: 'error', message: 'no;', path: 'a.js', line: 1 },
          ...{ column: 2, endLine: null, testId: null, identity: null },
        },
      ],
      partial: null,
      toolFailure: null,
      tests: [{ id: 't', outcome: 'failed', path: null }],
      coverage: { files: [{ path: 'a.js', covered: 1, total: 2, missingLines: [2] }] },
    },
    stderr: '',
    category: 'diagnostic',
    classifierVersion: 1,
    ...change,
  };
}

function createCache(
  change: Partial<Parameters<typeof createEngineCache>[0]> = {},
): ReturnType<typeof createEngineCache> {
  return createEngineCache({ folder, maxEntries: 10, ...change });
}

describe('the cache of runs in a folder', () => {
  it.each<[string, StoredInvocation]>([
    ['with findings', aRun()],
    ['without a word', aRun({ payload: { kind: 'empty' }, version: null })],
    ['without a report', aRun({ payload: { kind: 'missing' } })],
    ['that cannot be read', aRun({ payload: { kind: 'invalid', why: 'no JSON' } })],
  ])('gives back a run %s, to a later process too', async (_, run) => {
    await createCache().put(KEY, run);

    expect(await createCache().get(KEY)).toEqual(run);
    expect(await createCache().get(sha256('other'))).toBeNull();
  });

  it.each<[string, (text: string) => string]>([
    ['cut', (text) => text.slice(0, -5)],
    ['empty', () => ''],
    ['of another form', (text) => text.replace('"argv"', '"args"')],
    ['of something more', (text) => text.replace('{', '{"more":1,')],
    ['with an unknown kind of finding', (text) => text.replace('"lint"', '"other"')],
  ])('has no entry where it is %s', async (_, damage) => {
    await createCache().put(KEY, aRun());
    const path = join(folder, `${KEY}.json`);
    await writeFile(path, damage(await readFile(path, 'utf8')));

    expect(await createCache().get(KEY)).toBeNull();
    await createCache().put(KEY, aRun());
    expect(await createCache().get(KEY)).toEqual(aRun());
  });

  it('keeps the entries that were used last', async () => {
    const cache = createCache({ maxEntries: 2 });
    const [first, second, third] = [sha256('1'), sha256('2'), sha256('3')];
    await cache.put(first, aRun());
    await cache.put(second, aRun());
    for (const key of [first, second]) await utimes(join(folder, `${key}.json`), 1000, 1000);
    await cache.get(first);

    await cache.put(third, aRun());

    expect((await readdir(folder)).toSorted()).toEqual([`${first}.json`, `${third}.json`].toSorted());
  });

  it('is bounded in bytes, in one entry and in all', async () => {
    const bytes = Buffer.byteLength(JSON.stringify(aRun()));
    await createCache({ maxEntryBytes: bytes - 1 }).put(KEY, aRun());
    await expect(stat(folder)).rejects.toThrow('ENOENT');

    const cache = createCache({ maxBytes: bytes * 2 - 1, maxEntryBytes: bytes });
    await cache.put(KEY, aRun());
    await utimes(join(folder, `${KEY}.json`), 1000, 1000);
    await cache.put(sha256('b'), aRun());
    expect(await readdir(folder)).toEqual([`${sha256('b')}.json`]);
  });

  it('removes what a process that is no more left half-written, not what is being written', async () => {
    const cache = createCache();
    await cache.put(KEY, aRun());
    for (const name of ['old.tmp', 'new.tmp']) await writeFile(join(folder, name), '{');
    await utimes(join(folder, 'old.tmp'), 1000, 1000);

    await cache.put(KEY, aRun());

    expect((await readdir(folder)).toSorted()).toEqual([`${KEY}.json`, 'new.tmp'].toSorted());
  });

  it.each(['../a', 'a', `${KEY}/x`, ''])('refuses %j, which is no key', async (key) => {
    await expect(createCache().get(key)).rejects.toThrow('not a key');
    await expect(createCache().put(key, aRun())).rejects.toThrow('not a key');
  });
});

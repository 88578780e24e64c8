import { describe, expect, it } from 'vitest';
import { parseJsonColumn, StoredDiagnosis } from '../../../src/adapters/store/json-columns.ts';
import { fakeSha } from '../../support/builders.ts';
import { memoryStore, NOTHING_OLD } from '../../support/store.ts';

const flake = (subject: string, at: number) => ({ subject, headSha: fakeSha(`head ${String(at)}`), at });

describe('the memory of flakes', () => {
  it('holds what was proven since then, of these subjects, for each repository apart', () => {
    const store = memoryStore();
    store.rememberFlakes(1, [flake('test a', 30), flake('test b', 10), flake('check c', 20)]);
    store.rememberFlakes(1, [flake('test a', 10)]);
    store.rememberFlakes(2, [flake('test a', 40)]);
    store.rememberFlakes(2, []);

    expect(store.provenFlakes(1, ['test a', 'test b', 'test x'], 0)).toEqual([
      flake('test a', 10),
      flake('test b', 10),
      flake('test a', 30),
    ]);
    expect(store.provenFlakes(1, ['test a'], 30)).toEqual([flake('test a', 30)]);
    expect(store.provenFlakes(1, ['test a'], 31)).toEqual([]);
    expect(store.provenFlakes(1, [], 0)).toEqual([]);
  });

  it('counts a commit once', () => {
    const store = memoryStore();
    const once = flake('test a', 10);
    store.rememberFlakes(1, [once, once]);
    store.rememberFlakes(1, [{ ...once, at: 99 }]);

    expect(store.provenFlakes(1, ['test a'], 0)).toEqual([once]);
  });

  it('forgets with time, and the oldest of too many', () => {
    const store = memoryStore();
    store.rememberFlakes(1, [flake('test a', 10), flake('test a', 20)]);
    store.prune({ ...NOTHING_OLD, flakes: 20 }, 500);
    const old = store.provenFlakes(1, ['test a'], 0);
    store.rememberFlakes(
      1,
      Array.from({ length: 2000 }, (_, index) => flake('test b', 100 + index)),
    );

    expect(old).toEqual([flake('test a', 20)]);
    expect(store.provenFlakes(1, ['test a'], 0)).toEqual([]);
    expect(store.provenFlakes(1, ['test b'], 0)).toHaveLength(2000);
  });
});

describe('a stored diagnosis of an earlier version', () => {
  it('is read, has no classes, and is taken again', () => {
    const stored = { ciRunId: 'run-1', flaky: ['unit'], redOnBase: [], signature: 'a1b2' };
    const place = { table: 'workspaces', column: 'diagnosis', id: 'a' };

    expect(parseJsonColumn(StoredDiagnosis, JSON.stringify(stored), place)).toEqual({
      ...{ ...stored, freshStart: -1, base: null, jobs: [], person: [], repairedOnBase: [], failures: [] },
    });
  });
});

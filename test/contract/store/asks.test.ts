import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePullRequestKey, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aRepository, aTransition, fakeSha, memoryStore } from '../../support/store.ts';

const key = toPullRequestKey(100, 7);
const otherKey = toPullRequestKey(100, 8);

let store: Store;

beforeEach(() => {
  store = memoryStore();
  for (const number of [7, 8]) store.ensureWorkspace({ repository: aRepository(), number });
});

afterEach(() => store.close());

describe('what GitHub is asked for', () => {
  const effect = { kind: 'rerun', freshStart: 0, headSha: fakeSha('head'), ciRunId: 'run', names: ['unit'] } as const;
  const planned = { uniqueKey: 'ask-1', key, sessionId: null, effect, createdAt: 5 };

  it('needs no session, and is found newest first, open and settled', () => {
    const first = store.openIntent(planned);
    const { headSha, ciRunId } = effect;
    const update = { kind: 'update_branch', freshStart: 0, headSha, baseSha: fakeSha('base'), ciRunId } as const;
    store.openIntent({ ...planned, uniqueKey: 'ask-2', effect: update });
    store.settleIntent(first.intent.id, 'asked', 6);

    expect(first).toMatchObject({ isNew: true, intent: planned });
    expect(store.recentAsks(key)).toMatchObject([
      { effect: update, outcome: null },
      { effect, outcome: 'asked', createdAt: 5 },
    ]);
    expect(store.recentAsks(otherKey)).toEqual([]);
    expect([store.openAnswers(key), store.recentAnswers(key, 9)]).toEqual([[], []]);
  });

  it('is forgotten when it is withdrawn, so that it may be asked for again; once it is settled, it stays', () => {
    const { intent } = store.openIntent(planned);
    store.withdrawIntent(intent.id);
    const withdrawn = store.recentAsks(key);
    const again = store.openIntent(planned);
    store.settleIntent(again.intent.id, 'asked', 6);
    store.withdrawIntent(again.intent.id);

    expect(withdrawn).toEqual([]);
    expect(again.isNew).toBe(true);
    expect(store.recentAsks(key)).toHaveLength(1);
  });

  it('is settled together with its transition and its wake-up, once', () => {
    const { intent } = store.openIntent(planned);
    const also = {
      transition: aTransition({ key, action: 'EFFECT', code: 'RERUN_ASKED' }),
      wake: { queue: 'evaluate', key, notBefore: null },
    };

    expect([store.settleIntent(intent.id, 'asked', 6, also), store.settleIntent(intent.id, 'asked', 7, also)]).toEqual([
      ...[true, false],
    ]);

    expect(store.transitions(key, 9).filter(({ code }) => code === 'RERUN_ASKED')).toHaveLength(1);
    expect(store.dueWakeups('evaluate', 9, 9)).toContain(key);
  });

  it('is not settled where its transition cannot be written', () => {
    const { intent } = store.openIntent(planned);
    const transition = aTransition({ key: parsePullRequestKey('1#1') });

    expect(() => store.settleIntent(intent.id, 'asked', 6, { transition })).toThrow('FOREIGN KEY');

    expect(store.recentAsks(key)).toMatchObject([{ outcome: null }]);
  });
});

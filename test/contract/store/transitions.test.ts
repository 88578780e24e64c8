import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePullRequestKey } from '../../../src/core/model/ids.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aFailure } from '../../support/builders.ts';
import { aRepository, aTransition, fakeSha, memoryStore, NOTHING_OLD } from '../../support/store.ts';

const key = parsePullRequestKey('100#7');
const otherKey = parsePullRequestKey('100#8');
/** Every key has another value than its default. */
const snapshot: Snapshot = {
  pullRequest: {
    state: 'open',
    draft: false,
    fork: false,
    autoMerge: false,
    inMergeQueue: false,
    queueFailure: null,
    approvalsSurvive: false,
    holdLabel: true,
    mustBeUpToDate: true,
    pushForbidden: 'signed commits only',
    beside: [8],
  },
  ci: {
    status: 'failure',
    runId: 'run-1',
    running: false,
    unapproved: false,
    missing: [{ name: 'test', near: 'ci / test' }],
    failure: aFailure({ sameAsBefore: true, person: { name: 'test', line: 'Bad credentials' } }),
  },
  merge: 'clean',
  review: {
    ...{ actionable: 1, newestAt: 9, left: 1, otherOpen: 0, changesRequestedBy: ['grace'], decision: 'approved' },
    leftItems: [{ why: 'declined', by: 'grace', path: null, answer: 'No.' }],
  },
  ratchet: {
    enabled: true,
    consecutiveAttempts: 1,
    launchesToday: 1,
    lastCiRunId: null,
    staleCiSince: null,
    stoppedFor: null,
    waitingFor: 'CI_RUNNING',
    waitingSince: 5,
    paused: true,
    pausedBeside: 8,
    takenBack: { commitSha: fakeSha('ours'), action: 'FIX_CI', by: 'ann', at: 6 },
    rerun: { ciRunId: 'run-0', at: 3 },
    updateAskedAt: 4,
  },
  quality: { new: 2 },
  ...{ agent: { kind: 'unknown', agent: 'codex' }, mergeNeedsAgent: true, causeKey: 'cause' },
  workingSession: false,
  sessionBeside: null,
  policyErrors: [],
  now: 10,
  policy: {
    maxAttempts: 3,
    maxLaunchesPerDay: 20,
    staleCiTimeoutSeconds: 60,
    ciTimeoutSeconds: 60,
    mergeTimeoutSeconds: 60,
    mode: 'suggest',
    holdDrafts: true,
    resolveConflicts: false,
    updateBranch: true,
    fixReviews: false,
    reviewQuietSeconds: 5,
    fixRedOnBase: true,
    stopOnSameFailure: true,
    fixEngines: true,
    disarmAutoMerge: true,
  },
};

let store: Store;
beforeEach(() => {
  store = memoryStore();
  store.ensureWorkspace({ repository: aRepository(), number: 7 });
  store.ensureWorkspace({ repository: aRepository(), number: 8 });
});
afterEach(() => store.close());

describe('the transition log', () => {
  it('gives its lines newest first, with the snapshot they were decided on', () => {
    store.appendTransition(aTransition({ key, snapshot, createdAt: 1 }));
    store.appendTransition(aTransition({ key, action: 'DONE', code: 'ALL_GREEN', createdAt: 2 }));
    store.appendTransition(aTransition({ key: otherKey, createdAt: 3 }));

    expect(store.transitions(key, 10)).toMatchObject([
      { action: 'DONE', snapshot: null },
      { action: 'FIX_CI', snapshot },
    ]);
    expect(store.transitions(key, 1)).toHaveLength(1);
  });

  it('keeps the order of lines of one instant', () => {
    for (const code of ['a', 'b', 'c']) store.appendTransition(aTransition({ key, code }));

    expect(store.transitions(key, 10).map(({ code }) => code)).toEqual(['c', 'b', 'a']);
  });

  it('goes on behind a line, also one of the same instant and one that was deleted', () => {
    for (const [code, createdAt] of [
      ['a', 1],
      ['b', 5],
      ['c', 5],
      ['d', 4],
    ] as const) {
      store.appendTransition(aTransition({ key, code, createdAt }));
    }
    store.appendTransition(aTransition({ key: otherKey, code: 'other', createdAt: 3 }));
    const codesBehind = (id: number | undefined): readonly string[] =>
      store.transitions(key, 10, id).map(({ code }) => code);
    const [c, b, d, a] = store.transitions(key, 10);

    expect([c, b, d, a].map((line) => line?.code)).toEqual(['c', 'b', 'd', 'a']);
    expect(codesBehind(c?.id)).toEqual(['b', 'd', 'a']);
    expect(codesBehind(b?.id)).toEqual(['d', 'a']);
    expect(codesBehind(a?.id)).toEqual([]);
    expect(codesBehind(999_999)).toEqual([]);
  });

  it('is pruned before an instant', () => {
    for (const createdAt of [98, 99, 100]) store.appendTransition(aTransition({ key, createdAt }));

    expect(store.prune({ ...NOTHING_OLD, transitions: 100 }, 9)).toBe(2);
    expect(store.transitions(key, 10).map(({ createdAt }) => createdAt)).toEqual([100]);
  });
});

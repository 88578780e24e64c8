import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import type { DecisionCode, FixupAction } from '../../../src/core/model/decision.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import { aSnapshot, NOW, type SnapshotChange } from '../../support/builders.ts';

const MINUTE_MS = 60_000;

interface Row {
  readonly action: FixupAction;
  readonly when: SnapshotChange;
}

/** One row for each code; the compiler refuses a code without one. */
const ROWS = {
  WORKING_SESSION: { action: 'WAIT', when: { workingSession: true } },
  NO_PR: { action: 'DONE', when: { pullRequest: null } },
  PR_NOT_OPEN: { action: 'DONE', when: { pullRequest: { state: 'merged' } } },
  CI_RUNNING: { action: 'WAIT', when: { ci: { status: 'pending' } } },
  CI_TIMEOUT: {
    action: 'DONE',
    when: { ci: { status: 'pending' }, ratchet: { waitingFor: 'CI_RUNNING', waitingSince: NOW - 360 * MINUTE_MS } },
  },
  CI_BLOCKED: { action: 'WAIT', when: { ci: { status: 'blocked' } } },
  STALE_CI_RUN: {
    action: 'WAIT',
    when: { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW - 5 * MINUTE_MS + 1 } },
  },
  STALE_CI_TIMEOUT: { action: 'DONE', when: { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW - 5 * MINUTE_MS } } },
  DISABLED: { action: 'CLEANUP_ONLY', when: { ratchet: { enabled: false } } },
  FORK_NOT_SUPPORTED: { action: 'CLEANUP_ONLY', when: { pullRequest: { fork: true } } },
  POLICY_INVALID: { action: 'CLEANUP_ONLY', when: { policyErrors: ['line 1: unknown key', 'line 2: too'] } },
  IN_MERGE_QUEUE: { action: 'CLEANUP_ONLY', when: { pullRequest: { inMergeQueue: true } } },
  AUTO_MERGE_ON: { action: 'CLEANUP_ONLY', when: { pullRequest: { autoMerge: true } } },
  MERGE_UNKNOWN: { action: 'WAIT', when: { merge: 'unknown' } },
  MERGE_UNKNOWN_TIMEOUT: {
    action: 'DONE',
    when: { merge: 'unknown', ratchet: { waitingFor: 'MERGE_UNKNOWN', waitingSince: NOW - 30 * MINUTE_MS } },
  },
  MERGE_CONFLICT: { action: 'FIX_MERGE_CONFLICT', when: { merge: 'conflict' } },
  CI_FAILED: { action: 'FIX_CI', when: {} },
  REVIEW_COMMENTS: { action: 'FIX_REVIEW', when: { ci: { status: 'success' }, review: { actionable: 2 } } },
  ATTEMPTS_EXHAUSTED: { action: 'TERMINAL_FAILED', when: { ratchet: { consecutiveAttempts: 3 } } },
  LAUNCHES_EXHAUSTED: { action: 'TERMINAL_FAILED', when: { ratchet: { launchesToday: 20 } } },
  STOPPED_SAME_CAUSE: { action: 'DONE', when: { ratchet: { stoppedFor: 'cause-1' } } },
  ALL_GREEN: { action: 'DONE', when: { ci: { status: 'success' } } },
} satisfies Record<DecisionCode, Row>;

describe('determineFixupAction', () => {
  it.each(Object.entries<Row>(ROWS))('decides %s', (code, { action, when }) => {
    const decision = determineFixupAction(aSnapshot(when));

    expect(decision).toMatchObject({ action, code });
    expect(decision.reason).toMatch(/^[A-Z1-9].*[^\n]$/u);
  });

  const CASES: readonly (readonly [string, SnapshotChange, DecisionCode])[] = [
    ['takes a closed pull request as not open', { pullRequest: { state: 'closed' } }, 'PR_NOT_OPEN'],
    ['takes a draft like any other', { pullRequest: { draft: true } }, 'CI_FAILED'],
    ['takes a head behind its base as clean', { merge: 'behind', ci: { status: 'success' } }, 'ALL_GREEN'],
    ['takes proven absence of CI as green', { ci: { status: 'none', runId: null } }, 'ALL_GREEN'],
    ['waits for the first result', { ci: { status: 'pending', runId: null } }, 'CI_RUNNING'],
    [
      'counts a silent head after a push of ours as stale, not as running',
      { ci: { status: 'pending', runId: null }, ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW } },
      'STALE_CI_RUN',
    ],
    [
      'counts no CI after a push of ours as stale, not as green',
      { ci: { status: 'none', runId: null }, ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW } },
      'STALE_CI_RUN',
    ],
    [
      'ends that wait as STALE_CI_TIMEOUT',
      { ci: { status: 'none', runId: null }, ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW - 5 * MINUTE_MS } },
      'STALE_CI_TIMEOUT',
    ],
    ['goes on with a new run', { ratchet: { lastCiRunId: 'run-1', staleCiSince: 0 } }, 'CI_FAILED'],
    [
      'waits for a new run that has begun',
      { ci: { status: 'pending' }, ratchet: { lastCiRunId: 'run-1', staleCiSince: 0 } },
      'CI_RUNNING',
    ],
    [
      'waits for a run that runs, even the recorded one',
      { ci: { status: 'pending' }, ratchet: { lastCiRunId: 'run-2' } },
      'CI_RUNNING',
    ],
    [
      'bounds a stale wait without a clock of its own',
      { ratchet: { lastCiRunId: 'run-2', waitingSince: 0 } },
      'STALE_CI_TIMEOUT',
    ],
    ['waits when nothing tells since when', { ratchet: { lastCiRunId: 'run-2' } }, 'STALE_CI_RUN'],
    [
      'goes to a conflict at a head without a run at once',
      { merge: 'conflict', ci: { status: 'pending', runId: null } },
      'MERGE_CONFLICT',
    ],
    [
      'does so after a push of ours too',
      { merge: 'conflict', ci: { status: 'none', runId: null }, ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW } },
      'MERGE_CONFLICT',
    ],
    ['lets a run at a conflicted head finish', { merge: 'conflict', ci: { status: 'pending' } }, 'CI_RUNNING'],
    [
      'asks a person when nobody approves',
      { ci: { status: 'blocked' }, ratchet: { waitingFor: 'CI_BLOCKED', waitingSince: 0 } },
      'CI_TIMEOUT',
    ],
    [
      'does not let the time that CI ran count against mergeability',
      { merge: 'unknown', ratchet: { waitingFor: 'CI_RUNNING', waitingSince: 0 } },
      'MERGE_UNKNOWN',
    ],
    [
      'waits one millisecond before the limit',
      { ci: { status: 'pending' }, ratchet: { waitingSince: NOW - 360 * MINUTE_MS + 1 } },
      'CI_RUNNING',
    ],
    [
      'says that attempts are used before it says stopped',
      { ratchet: { consecutiveAttempts: 3, stoppedFor: 'cause-1' } },
      'ATTEMPTS_EXHAUSTED',
    ],
    ['counts attempts beyond the limit as used', { ratchet: { consecutiveAttempts: 9 } }, 'ATTEMPTS_EXHAUSTED'],
    ['launches nothing with a budget of none', { policy: { maxAttempts: 0 } }, 'ATTEMPTS_EXHAUSTED'],
    ['acts again on a changed cause', { ratchet: { stoppedFor: 'cause-0' } }, 'CI_FAILED'],
    ['does not take an unknown cause for an equal one', { causeKey: null }, 'CI_FAILED'],
    [
      'says that attempts are used before it says held',
      { pullRequest: { autoMerge: true }, ratchet: { consecutiveAttempts: 3 } },
      'ATTEMPTS_EXHAUSTED',
    ],
    ['launches below the limit of a day', { ratchet: { launchesToday: 19 } }, 'CI_FAILED'],
    [
      'is green under auto-merge: nothing is to be pushed',
      { pullRequest: { autoMerge: true }, ci: { status: 'success' } },
      'ALL_GREEN',
    ],
    ['is green in a merge queue', { pullRequest: { inMergeQueue: true }, ci: { status: 'success' } }, 'ALL_GREEN'],
    [
      'tells of a fork while its CI waits for approval',
      { pullRequest: { fork: true }, ci: { status: 'blocked' } },
      'FORK_NOT_SUPPORTED',
    ],
    ['is green with used attempts', { ci: { status: 'success' }, ratchet: { consecutiveAttempts: 3 } }, 'ALL_GREEN'],
    ['is exhausted on a conflict', { merge: 'conflict', ratchet: { consecutiveAttempts: 3 } }, 'ATTEMPTS_EXHAUSTED'],
    [
      'is exhausted on reviews',
      { ci: { status: 'success' }, review: { actionable: 1 }, ratchet: { consecutiveAttempts: 3 } },
      'ATTEMPTS_EXHAUSTED',
    ],
  ];
  it.each(CASES)('%s', (_title, when, code) => {
    expect(determineFixupAction(aSnapshot(when)).code).toBe(code);
  });

  it('names the numbers in its reasons', () => {
    const reasons = [
      ROWS.CI_FAILED.when,
      ROWS.ATTEMPTS_EXHAUSTED.when,
      ROWS.STALE_CI_TIMEOUT.when,
      ROWS.CI_RUNNING.when,
      ROWS.REVIEW_COMMENTS.when,
      { ci: { status: 'success' as const }, review: { actionable: 1 } },
      ROWS.POLICY_INVALID.when,
    ].map((when) => determineFixupAction(aSnapshot(when)).reason);

    expect(reasons).toEqual([
      'CI failed; attempt 1 of 3.',
      'CI failed, and 3 of 3 attempts are used; a person has to take over.',
      'CI did not start within 5 min of the last fixup; a person has to look at it.',
      'CI is running; Ratchet waits for it, at most 6 h.',
      '2 review comments are open; attempt 1 of 3.',
      '1 review comment is open; attempt 1 of 3.',
      'The policy file on the base branch has 2 problems; the first: line 1: unknown key',
    ]);
  });
});

/** Changes that each make one guard answer, in the order of the guards. Two at once: the earlier one wins. */
const IN_ORDER: readonly (readonly [DecisionCode, SnapshotChange])[] = [
  ['WORKING_SESSION', { workingSession: true }],
  ['PR_NOT_OPEN', { pullRequest: { state: 'closed' } }],
  ['FORK_NOT_SUPPORTED', { pullRequest: { fork: true } }],
  ['STALE_CI_RUN', { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW } }],
  ['DISABLED', { ratchet: { enabled: false } }],
  ['POLICY_INVALID', { policyErrors: ['bad'] }],
  ['IN_MERGE_QUEUE', { pullRequest: { inMergeQueue: true } }],
  ['AUTO_MERGE_ON', { pullRequest: { autoMerge: true } }],
  ['MERGE_CONFLICT', { merge: 'conflict' }],
  ['CI_FAILED', {}],
  ['REVIEW_COMMENTS', { review: { actionable: 1 } }],
];
const PAIRS = IN_ORDER.flatMap(([earlier, a], index) =>
  IN_ORDER.slice(index + 1).map(([later, b]) => ({ earlier, later, a, b })),
);

describe('the guard order', () => {
  it.each(PAIRS)('lets $earlier beat $later', ({ earlier, later, a, b }) => {
    // Who disabled Ratchet on a fork wants to hear no more of it.
    const isSilenced = earlier === 'FORK_NOT_SUPPORTED' && later === 'DISABLED';

    expect(determineFixupAction(aSnapshot(combine(a, b))).code).toBe(isSilenced ? 'DISABLED' : earlier);
  });

  it.each(IN_ORDER)('lets NO_PR beat %s unless a session works', (code, change) => {
    const decision = determineFixupAction(aSnapshot({ ...change, pullRequest: null }));

    expect(decision.code).toBe(code === 'WORKING_SESSION' ? 'WORKING_SESSION' : 'NO_PR');
  });

  it.each([
    ['CI_RUNNING', { ci: { status: 'pending' } }],
    ['CI_BLOCKED', { ci: { status: 'blocked' } }],
  ] satisfies [DecisionCode, SnapshotChange][])('lets %s beat all from the disabled guard on', (code, change) => {
    for (const [, later] of IN_ORDER.slice(4))
      expect(determineFixupAction(aSnapshot(combine(change, later))).code).toBe(code);
  });

  it('lets an unknown merge state beat every fix', () => {
    for (const later of [{}, { review: { actionable: 1 } }, { ci: { status: 'success' as const } }]) {
      expect(determineFixupAction(aSnapshot({ ...later, merge: 'unknown' })).code).toBe('MERGE_UNKNOWN');
    }
  });
});

function combine(a: SnapshotChange, b: SnapshotChange): SnapshotChange {
  return {
    ...a,
    ...b,
    pullRequest: { ...a.pullRequest, ...b.pullRequest },
    ci: { ...a.ci, ...b.ci },
    ratchet: { ...a.ratchet, ...b.ratchet },
  };
}

describe('every decision', () => {
  it('is the same for the same snapshot', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        expect(determineFixupAction(structuredClone(snapshot))).toEqual(determineFixupAction(snapshot));
      }),
    );
  });

  it('launches only on an open, enabled, unheld pull request, within the budget, for a new cause', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        if (!determineFixupAction(snapshot).action.startsWith('FIX_')) return;
        const { pullRequest, ratchet, policy } = snapshot;

        expect(pullRequest).toMatchObject({ state: 'open', fork: false, autoMerge: false, inMergeQueue: false });
        expect(snapshot.policyErrors).toEqual([]);
        expect(snapshot.workingSession).toBe(false);
        expect(ratchet.enabled).toBe(true);
        expect(ratchet.consecutiveAttempts).toBeLessThan(policy.maxAttempts);
        expect(ratchet.launchesToday).toBeLessThan(policy.maxLaunchesPerDay);
        expect(snapshot.causeKey === null || snapshot.causeKey !== ratchet.stoppedFor).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('neither launches nor is green on what is unknown, running or waiting for approval', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const { action, code } = determineFixupAction(snapshot);
        const acts = action.startsWith('FIX_') || code === 'ALL_GREEN';

        if (snapshot.merge === 'unknown' || snapshot.ci.status === 'blocked') expect(acts).toBe(false);
        if (snapshot.ci.status === 'pending' && snapshot.merge !== 'conflict') expect(acts).toBe(false);
        if (snapshot.ci.status === 'none' && snapshot.ratchet.lastCiRunId !== null && snapshot.merge !== 'conflict')
          expect(acts).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('waits for nothing for ever', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const { code } = determineFixupAction(snapshot);
        const later = determineFixupAction({
          ...snapshot,
          ratchet: { ...snapshot.ratchet, waitingFor: code, waitingSince: 0 },
          now: 10 ** 12 * 3,
        });

        expect(later.action === 'WAIT' && later.code === code).toBe(code === 'WORKING_SESSION');
      }),
    );
  });
});

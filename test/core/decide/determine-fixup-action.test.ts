import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { waitDeadline } from '../../../src/core/decide/next-check.ts';
import { toWaiting } from '../../../src/core/decide/waiting.ts';
import type { DecisionCode, FixupAction } from '../../../src/core/model/decision.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import { aFailure, aSnapshot, fakeSha, NOW, type SnapshotChange } from '../../support/builders.ts';
import { AGENT_ROWS } from './agent-rows.ts';

const MINUTE_MS = 60_000;
const MISNAMED = { status: 'pending', running: false, missing: [{ name: 'test', near: 'ci / test' }] } as const;
const PERSON = { name: 'test', line: 'Bad credentials' };

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
  CI_REQUIRED_MISSING: { action: 'WAIT', when: { ci: MISNAMED } },
  STALE_CI_RUN: {
    action: 'WAIT',
    when: { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW - 5 * MINUTE_MS + 1 } },
  },
  STALE_CI_TIMEOUT: { action: 'DONE', when: { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW - 5 * MINUTE_MS } } },
  DISABLED: { action: 'CLEANUP_ONLY', when: { ratchet: { enabled: false } } },
  FORK_NOT_SUPPORTED: { action: 'CLEANUP_ONLY', when: { pullRequest: { fork: true } } },
  PAUSED: { action: 'CLEANUP_ONLY', when: { ratchet: { paused: true } } },
  DRAFT_HELD: { action: 'CLEANUP_ONLY', when: { pullRequest: { draft: true }, policy: { holdDrafts: true } } },
  OBSERVE_ONLY: { action: 'CLEANUP_ONLY', when: { policy: { mode: 'observe' } } },
  PUSH_FORBIDDEN: { action: 'CLEANUP_ONLY', when: { pullRequest: { pushForbidden: 'The branch is locked.' } } },
  POLICY_INVALID: { action: 'CLEANUP_ONLY', when: { policyErrors: ['line 1: unknown key', 'line 2: too'] } },
  IN_MERGE_QUEUE: { action: 'CLEANUP_ONLY', when: { pullRequest: { inMergeQueue: true } } },
  AUTO_MERGE_ON: { action: 'CLEANUP_ONLY', when: { pullRequest: { autoMerge: true } } },
  BRANCH_SHARED: { action: 'CLEANUP_ONLY', when: { merge: 'conflict', pullRequest: { beside: [8] } } },
  MERGE_UNKNOWN: { action: 'WAIT', when: { merge: 'unknown' } },
  MERGE_UNKNOWN_TIMEOUT: {
    action: 'DONE',
    when: { merge: 'unknown', ratchet: { waitingFor: 'MERGE_UNKNOWN', waitingSince: NOW - 30 * MINUTE_MS } },
  },
  MERGE_CONFLICT: { action: 'FIX_MERGE_CONFLICT', when: { merge: 'conflict' } },
  BRANCH_BEHIND: { action: 'FIX_MERGE_CONFLICT', when: { merge: 'behind', pullRequest: { mustBeUpToDate: true } } },
  UPDATE_AWAITED: {
    action: 'WAIT',
    when: { merge: 'behind', pullRequest: { mustBeUpToDate: true }, ratchet: { updateAskedAt: NOW } },
  },
  MERGE_QUEUE_FAILED: {
    action: 'FIX_CI',
    when: { ci: { status: 'success' }, pullRequest: { queueFailure: 'CI_FAILURE' } },
  },
  MERGE_QUEUE_UNEXPLAINED: {
    action: 'DONE',
    when: {
      ci: { status: 'success' },
      pullRequest: { queueFailure: 'CI_FAILURE' },
      ratchet: { updateAskedAt: NOW - 5 * MINUTE_MS },
    },
  },
  CI_FAILED: { action: 'FIX_CI', when: {} },
  QUALITY_FINDINGS: {
    action: 'FIX_CI',
    when: { ci: { status: 'success' }, quality: { new: 2 }, policy: { fixEngines: true } },
  },
  CI_FLAKY: { action: 'FIX_CI', when: { ci: { failure: aFailure({ rerunnable: true }) } } },
  RERUN_AWAITED: { action: 'WAIT', when: { ratchet: { rerun: { ciRunId: 'run-2', at: NOW } } } },
  CI_NEEDS_PERSON: { action: 'DONE', when: { ci: { failure: aFailure({ person: PERSON }) } } },
  BASE_REPAIRED: { action: 'FIX_CI', when: { ci: { failure: aFailure({ repairedOnBase: true }) } } },
  RED_ON_BASE: { action: 'DONE', when: { ci: { failure: aFailure({ redOnBase: true }) } } },
  SAME_FAILURE: {
    action: 'DONE',
    when: {
      ci: { failure: aFailure({ sameAsBefore: true }) },
      ratchet: { consecutiveAttempts: 1 },
      policy: { stopOnSameFailure: true },
    },
  },
  REVIEW_COMMENTS: { action: 'FIX_REVIEW', when: { ci: { status: 'success' }, review: { actionable: 2 } } },
  REVIEW_NEEDS_PERSON: { action: 'CLEANUP_ONLY', when: { ci: { status: 'success' }, review: { left: 1 } } },
  REVIEW_SETTLING: { action: 'WAIT', when: { ci: { status: 'success' }, review: { actionable: 2, newestAt: NOW } } },
  ATTEMPTS_EXHAUSTED: { action: 'TERMINAL_FAILED', when: { ratchet: { consecutiveAttempts: 3 } } },
  LAUNCHES_EXHAUSTED: { action: 'TERMINAL_FAILED', when: { ratchet: { launchesToday: 20 } } },
  ...AGENT_ROWS,
  STOPPED_SAME_CAUSE: { action: 'DONE', when: { ratchet: { stoppedFor: 'cause-1' } } },
  TAKEN_BACK: {
    action: 'DONE',
    when: { ratchet: { takenBack: { commitSha: fakeSha('ours'), action: 'FIX_CI', by: 'ann', at: NOW } } },
  },
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
    [
      'does not take a result without an identity for no run',
      { merge: 'conflict', ci: { runId: null }, ratchet: { lastCiRunId: 'run-1', staleCiSince: NOW } },
      'STALE_CI_RUN',
    ],
    ['lets a run at a conflicted head finish', { merge: 'conflict', ci: { status: 'pending' } }, 'CI_RUNNING'],
    [
      'goes to a conflict where results are there and none of them runs: what is missing does not come (trap 86)',
      { merge: 'conflict', ci: { status: 'pending', running: false } },
      'MERGE_CONFLICT',
    ],
    [
      'lets a run at a conflicted head finish that is not required, too',
      { merge: 'conflict', ci: { status: 'pending', runId: null, running: true } },
      'CI_RUNNING',
    ],
    [
      'does not take a result of the head before our push for one that is there, conflict or not',
      { merge: 'conflict', ci: { status: 'pending', running: false }, ratchet: { lastCiRunId: 'run-2' } },
      'STALE_CI_RUN',
    ],
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

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['holds where a label does', { pullRequest: { holdLabel: true } }, 'PAUSED'],
    [
      'is green while paused: nothing is to be done',
      { ratchet: { paused: true }, ci: { status: 'success' } },
      'ALL_GREEN',
    ],
    [
      'is green as a draft that is held: nothing is to be done',
      { pullRequest: { draft: true }, policy: { holdDrafts: true }, ci: { status: 'success' } },
      'ALL_GREEN',
    ],
    [
      'is not green by a policy that does not hold',
      { policyErrors: ['x'], ci: { status: 'success' } },
      'POLICY_INVALID',
    ],
    ['works on what is no draft where drafts are held', { policy: { holdDrafts: true } }, 'CI_FAILED'],
    [
      'works under auto-merge where a push takes the approvals back (S16)',
      { pullRequest: { autoMerge: true, approvalsSurvive: false } },
      'CI_FAILED',
    ],
    [
      'works under auto-merge where policy turns it off first (S16)',
      { pullRequest: { autoMerge: true }, policy: { disarmAutoMerge: true } },
      'CI_FAILED',
    ],
    ['works in mode suggest', { policy: { mode: 'suggest' } }, 'CI_FAILED'],
    ['leaves conflicts to people', { merge: 'conflict', policy: { resolveConflicts: false } }, 'OBSERVE_ONLY'],
    ['works on CI where it leaves conflicts to people', { policy: { resolveConflicts: false } }, 'CI_FAILED'],
    [
      'leaves reviews to people',
      { ci: { status: 'success' }, review: { actionable: 1 }, policy: { fixReviews: false } },
      'OBSERVE_ONLY',
    ],
    ['works on CI where it leaves reviews to people', { policy: { fixReviews: false } }, 'CI_FAILED'],
  ])('%s', (_title, when, code) => {
    expect(determineFixupAction(aSnapshot(when)).code).toBe(code);
  });

  const BEHIND = { merge: 'behind', pullRequest: { mustBeUpToDate: true } } as const;
  it.each<[string, SnapshotChange, DecisionCode]>([
    ['before it looks at CI', {}, 'BRANCH_BEHIND'],
    ['where CI is green', { ci: { status: 'success' } }, 'BRANCH_BEHIND'],
    ['without an attempt', { ratchet: { consecutiveAttempts: 3, launchesToday: 20 } }, 'BRANCH_BEHIND'],
    ['not after it stopped at this cause (S8)', { ratchet: { stoppedFor: 'cause-1' } }, 'STOPPED_SAME_CAUSE'],
    ['not while paused', { ratchet: { paused: true } }, 'PAUSED'],
    ['not under auto-merge (S16)', { pullRequest: { ...BEHIND.pullRequest, autoMerge: true } }, 'AUTO_MERGE_ON'],
    [
      'not where a push is forbidden',
      { pullRequest: { ...BEHIND.pullRequest, pushForbidden: 'No.' } },
      'PUSH_FORBIDDEN',
    ],
    ['not where it only observes', { policy: { mode: 'observe' } }, 'OBSERVE_ONLY'],
    ['not where it only suggests', { policy: { mode: 'suggest' } }, 'OBSERVE_ONLY'],
    [
      'not in a merge queue, which does that itself',
      { ci: { status: 'success' }, pullRequest: { ...BEHIND.pullRequest, inMergeQueue: true } },
      'ALL_GREEN',
    ],
    [
      'once for each base (trap 15, trap 65)',
      { ratchet: { updateAskedAt: NOW - 5 * MINUTE_MS + 1 } },
      'UPDATE_AWAITED',
    ],
    ['and goes on when GitHub does not', { ratchet: { updateAskedAt: NOW - 5 * MINUTE_MS } }, 'CI_FAILED'],
  ])('updates a branch %s', (_title, when, code) => {
    expect(determineFixupAction(aSnapshot({ ...BEHIND, ...when })).code).toBe(code);
  });

  const FAILED_IN_QUEUE = { ci: { status: 'success' }, pullRequest: { queueFailure: 'CI_FAILURE' } } as const;
  it.each<[string, SnapshotChange, DecisionCode]>([
    ['updates the branch first', {}, 'MERGE_QUEUE_FAILED'],
    ['fixes red CI of the head before', { ci: { status: 'failure' } }, 'CI_FAILED'],
    ['does so before it works on reviews', { review: { actionable: 1 } }, 'MERGE_QUEUE_FAILED'],
    ['waits for the update', { ratchet: { updateAskedAt: NOW } }, 'UPDATE_AWAITED'],
    ['asks a person once the update is overdue', { ratchet: { updateAskedAt: 0 } }, 'MERGE_QUEUE_UNEXPLAINED'],
    ['asks a person where it may not update', { policy: { updateBranch: false } }, 'MERGE_QUEUE_UNEXPLAINED'],
    ['does nothing while paused', { ratchet: { paused: true } }, 'PAUSED'],
    ['only tells in mode suggest', { policy: { mode: 'suggest' } }, 'OBSERVE_ONLY'],
    ['is over once it is queued again', { pullRequest: { queueFailure: 'x', inMergeQueue: true } }, 'ALL_GREEN'],
  ])('a failed merge queue: %s (L7)', (_what, when, code) => {
    expect(determineFixupAction(aSnapshot({ ...FAILED_IN_QUEUE, ...when })).code).toBe(code);
  });

  const FLAKY = { ci: { failure: aFailure({ rerunnable: true, redOnBase: true }) } };
  it.each<[string, SnapshotChange, DecisionCode]>([
    ['before it looks at the base', {}, 'CI_FLAKY'],
    ['without an attempt', { ratchet: { consecutiveAttempts: 3, launchesToday: 20 } }, 'CI_FLAKY'],
    ['in a merge queue: nothing is pushed', { pullRequest: { inMergeQueue: true } }, 'CI_FLAKY'],
    ['under auto-merge: nothing is pushed', { pullRequest: { autoMerge: true } }, 'CI_FLAKY'],
    ['where a push is forbidden', { pullRequest: { pushForbidden: 'No.' } }, 'CI_FLAKY'],
    ['where it only suggests', { policy: { mode: 'suggest' } }, 'CI_FLAKY'],
    ['not where it only observes', { policy: { mode: 'observe' } }, 'OBSERVE_ONLY'],
    ['not while paused', { ratchet: { paused: true } }, 'PAUSED'],
    ['not after it stopped at this cause (S8)', { ratchet: { stoppedFor: 'cause-1' } }, 'STOPPED_SAME_CAUSE'],
    ['again for another result', { ratchet: { rerun: { ciRunId: 'run-1', at: NOW } } }, 'CI_FLAKY'],
    [
      'once for each result',
      { ratchet: { rerun: { ciRunId: 'run-2', at: NOW - 5 * MINUTE_MS + 1 } } },
      'RERUN_AWAITED',
    ],
    [
      'and takes the failure for real when they do not start',
      { ratchet: { rerun: { ciRunId: 'run-2', at: NOW - 5 * MINUTE_MS } } },
      'RED_ON_BASE',
    ],
    ['not without an identity: it could not be bounded', { ci: { ...FLAKY.ci, runId: null } }, 'RED_ON_BASE'],
  ])('runs flaky checks again %s (S7)', (_title, when, code) => {
    expect(determineFixupAction(aSnapshot({ ...FLAKY, ...when })).code).toBe(code);
  });

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['red on the base, where policy lets it', { policy: { fixRedOnBase: true } }, 'CI_FAILED'],
    ['as before, where policy lets it', { ci: { failure: aFailure({ sameAsBefore: true }) } }, 'CI_FAILED'],
    [
      'as before, once a fresh budget was asked for',
      { ci: { failure: aFailure({ sameAsBefore: true }) }, policy: { stopOnSameFailure: true } },
      'CI_FAILED',
    ],
    ['after a closer look that found nothing', { ci: { failure: aFailure({}) } }, 'CI_FAILED'],
    ['which nobody looked at closely', { ci: { failure: null }, policy: { stopOnSameFailure: true } }, 'CI_FAILED'],
  ])('launches an agent for a failure %s', (_title, when, code) => {
    const failure = aFailure({ redOnBase: true });

    expect(determineFixupAction(aSnapshot({ ci: { failure }, ...when })).code).toBe(code);
  });

  it.each<[string, number, NonNullable<SnapshotChange['ratchet']>, DecisionCode]>([
    ['just short of the quiet time', NOW - MINUTE_MS + 1, {}, 'REVIEW_SETTLING'],
    ['at the quiet time', NOW - MINUTE_MS, {}, 'REVIEW_COMMENTS'],
    ['just short of ten quiet times', NOW, waitingForReview(NOW - 10 * MINUTE_MS + 1), 'REVIEW_SETTLING'],
    ['after ten quiet times of waiting', NOW, waitingForReview(NOW - 10 * MINUTE_MS), 'REVIEW_COMMENTS'],
    ['after a long wait for something else', NOW, { waitingFor: 'CI_RUNNING', waitingSince: 0 }, 'REVIEW_SETTLING'],
    ['while all attempts are used', NOW, { consecutiveAttempts: 3 }, 'ATTEMPTS_EXHAUSTED'],
  ])('decides on a review %s (S4)', (_title, newestAt, ratchet, code) => {
    const snapshot = aSnapshot({ ci: { status: 'success' }, review: { actionable: 2, newestAt }, ratchet });

    expect(determineFixupAction(snapshot).code).toBe(code);
  });

  it('names the means of a fix, and of nothing else (S7)', () => {
    const means = Object.values(ROWS).flatMap(({ when }) => determineFixupAction(aSnapshot(when)).means ?? []);

    expect(means.toSorted().join(' ')).toBe('agent agent agent agent rerun update-branch update-branch update-branch');
  });

  it('says of each hold what it holds', () => {
    const reasons = [
      ROWS.PAUSED.when,
      { pullRequest: { holdLabel: true } },
      ROWS.DRAFT_HELD.when,
      ROWS.PUSH_FORBIDDEN.when,
      ROWS.OBSERVE_ONLY.when,
      { merge: 'conflict' as const, policy: { resolveConflicts: false } },
      { ...BEHIND, policy: { mode: 'suggest' as const } },
      { ...BEHIND, policy: { mode: 'observe' as const } },
      { merge: 'conflict' as const, policy: { mode: 'observe' as const } },
      { ...FLAKY, policy: { mode: 'observe' as const } },
      { ci: { status: 'success' as const }, review: { actionable: 1 }, policy: { mode: 'observe' as const } },
    ].map((when) => determineFixupAction(aSnapshot(when)).reason);

    expect(reasons).toEqual([
      'CI failed, but Ratchet is paused on this pull request.',
      'CI failed, but the pull request has the hold label.',
      'CI failed, but the pull request is a draft, and the policy leaves drafts alone.',
      'CI failed, but Ratchet may not push to the branch: The branch is locked.',
      'CI failed; Ratchet would start a fixup, but the policy lets it only observe.',
      'The pull request conflicts with its base branch; the policy leaves that to people.',
      'The branch must be up to date with its base, but is behind it; Ratchet would update the branch, but the policy lets it push nothing.',
      'The branch must be up to date with its base, but is behind it; Ratchet would update the branch, but the policy lets it only observe.',
      'The pull request conflicts with its base branch; Ratchet would resolve the conflict, but the policy lets it only observe.',
      'CI failed in a way that the change may not have caused; Ratchet would re-run the failed checks, but the policy lets it only observe.',
      '1 review comment is open; Ratchet would address them, but the policy lets it only observe.',
    ]);
  });

  it('says of each wait and each means what comes of it', () => {
    const reasons = [
      ROWS.BRANCH_BEHIND.when,
      ROWS.UPDATE_AWAITED.when,
      { ...BEHIND, ci: { status: 'success' as const }, ratchet: { updateAskedAt: 0 } },
      ROWS.CI_FLAKY.when,
      ROWS.RERUN_AWAITED.when,
      ROWS.RED_ON_BASE.when,
      ROWS.SAME_FAILURE.when,
      ROWS.REVIEW_SETTLING.when,
    ].map((when) => determineFixupAction(aSnapshot(when)).reason);

    expect(reasons).toEqual([
      'The branch must be up to date with its base, but is behind it; Ratchet asks GitHub to update it.',
      'Ratchet asked GitHub to update the branch to its base.',
      'CI is green, nothing conflicts and no review comment is open. The branch is still behind its base: GitHub has not updated it.',
      'CI failed in a way that the change may not have caused; Ratchet re-runs the failed checks once.',
      'Ratchet asked GitHub to re-run the failed checks.',
      'CI failed, but every failed check also fails on the base branch.',
      'CI failed exactly as it did before the last attempt.',
      '2 review comments are open. Ratchet starts when the newest is 1 min old, in case more follow.',
    ]);
  });

  it('names the numbers in its reasons', () => {
    const reasons = [
      ROWS.CI_FAILED.when,
      ROWS.ATTEMPTS_EXHAUSTED.when,
      ROWS.STALE_CI_TIMEOUT.when,
      ROWS.CI_RUNNING.when,
      { ci: { status: 'pending' as const, runId: null } },
      ROWS.REVIEW_COMMENTS.when,
      { ci: { status: 'success' as const }, review: { actionable: 1 } },
      ROWS.POLICY_INVALID.when,
    ].map((when) => determineFixupAction(aSnapshot(when)).reason);

    expect(reasons).toEqual([
      'CI failed; attempt 1 of 3.',
      'CI failed, and 3 of 3 attempts are used.',
      "CI did not start within 5 min of Ratchet's last push.",
      'CI is running.',
      'There is no CI result yet.',
      '2 review comments are open; attempt 1 of 3.',
      '1 review comment is open; attempt 1 of 3.',
      'The policy file on the base branch has 2 problems; the first: line 1: unknown key',
    ]);
  });
});

function waitingForReview(waitingSince: number): NonNullable<SnapshotChange['ratchet']> {
  return { waitingFor: 'REVIEW_SETTLING', waitingSince };
}

/** Changes that each make one guard answer, in the order of the guards. Two at once: the earlier one wins. */
const IN_ORDER: readonly (readonly [DecisionCode, SnapshotChange])[] = [
  ['WORKING_SESSION', { workingSession: true }],
  ['PR_NOT_OPEN', { pullRequest: { state: 'closed' } }],
  ['FORK_NOT_SUPPORTED', { pullRequest: { fork: true } }],
  ['STALE_CI_RUN', { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW } }],
  ['DISABLED', { ratchet: { enabled: false } }],
  ['POLICY_INVALID', { policyErrors: ['bad'] }],
  ['ATTEMPTS_EXHAUSTED', { ratchet: { consecutiveAttempts: 3 } }],
  ['LAUNCHES_EXHAUSTED', { ratchet: { launchesToday: 20 } }],
  ['PAUSED', { ratchet: { paused: true } }],
  ['DRAFT_HELD', { pullRequest: { draft: true }, policy: { holdDrafts: true } }],
  ['IN_MERGE_QUEUE', { pullRequest: { inMergeQueue: true } }],
  ['AUTO_MERGE_ON', { pullRequest: { autoMerge: true } }],
  ['PUSH_FORBIDDEN', { pullRequest: { pushForbidden: 'No.' } }],
  ['OBSERVE_ONLY', { policy: { mode: 'observe' } }],
  ['STOPPED_SAME_CAUSE', { ratchet: { stoppedFor: 'cause-1' } }],
  ['MERGE_CONFLICT', { merge: 'conflict' }],
  ['CI_FAILED', {}],
  ['REVIEW_COMMENTS', { review: { actionable: 1 } }],
];
const PAIRS = IN_ORDER.flatMap(([earlier, a], index) =>
  IN_ORDER.slice(index + 1).map(([later, b]) => ({ earlier, later, a, b })),
);

describe('the guard order', () => {
  it.each(PAIRS)('lets $earlier beat $later (002.R13)', ({ earlier, later, a, b }) => {
    // Who disabled Ratchet on a fork wants to hear no more of it.
    const isSilenced = earlier === 'FORK_NOT_SUPPORTED' && later === 'DISABLED';

    expect(determineFixupAction(aSnapshot(combine(a, b))).code).toBe(isSilenced ? 'DISABLED' : earlier);
  });

  it.each(IN_ORDER)('lets NO_PR beat %s unless a session works (S12)', (code, change) => {
    const decision = determineFixupAction(aSnapshot({ ...change, pullRequest: null }));

    expect(decision.code).toBe(code === 'WORKING_SESSION' ? 'WORKING_SESSION' : 'NO_PR');
  });

  it.each([
    ['CI_RUNNING', { ci: { status: 'pending' } }],
    ['CI_BLOCKED', { ci: { status: 'blocked', unapproved: true } }],
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
    policy: { ...a.policy, ...b.policy },
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

  it('launches only on an open, enabled, unheld pull request, for a new cause, and a fixup only within the budget', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const { action, means } = determineFixupAction(snapshot);
        if (!action.startsWith('FIX_')) return;
        const { pullRequest, ratchet, policy } = snapshot;

        expect(pullRequest).toMatchObject({ state: 'open', fork: false, holdLabel: false });
        expect(ratchet).toMatchObject({ enabled: true, paused: false });
        expect(pullRequest?.draft === true && policy.holdDrafts).toBe(false);
        expect(policy.mode).not.toBe('observe');
        expect(snapshot.policyErrors).toEqual([]);
        expect(snapshot.workingSession).toBe(false);
        expect(snapshot.causeKey === null || snapshot.causeKey !== ratchet.stoppedFor).toBe(true);
        if (means === 'rerun') return;
        expect(pullRequest).toMatchObject({ inMergeQueue: false, pushForbidden: null });
        expect(pullRequest?.autoMerge === true && pullRequest.approvalsSurvive && !policy.disarmAutoMerge).toBe(false);
        if (means === 'update-branch') return;
        expect(ratchet.consecutiveAttempts).toBeLessThan(policy.maxAttempts);
        expect(ratchet.launchesToday).toBeLessThan(policy.maxLaunchesPerDay);
      }),
      { numRuns: 2000 },
    );
  });

  it('that launches nothing launches nothing either when one more thing holds it', () => {
    fc.assert(
      fc.property(anySnapshot, anyTightening, (snapshot, tighten) => {
        if (determineFixupAction(snapshot).action.startsWith('FIX_')) return;

        expect(determineFixupAction(tighten(snapshot)).action).not.toMatch(/^FIX_/u);
      }),
      { numRuns: 2000 },
    );
  });

  it('that launches does so too with a larger budget', () => {
    fc.assert(
      fc.property(anySnapshot, fc.nat({ max: 5 }), (snapshot, more) => {
        const { action, code } = determineFixupAction(snapshot);
        if (!action.startsWith('FIX_')) return;
        const policy = { ...snapshot.policy, maxAttempts: snapshot.policy.maxAttempts + more };

        expect(determineFixupAction({ ...snapshot, policy })).toMatchObject({ action, code });
      }),
    );
  });

  it('that waits does so until exactly its deadline, and not at it (S4)', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const first = determineFixupAction(snapshot);
        const deadline = waitDeadline(first, snapshot);
        if (deadline === null) return;
        const ratchet = { ...snapshot.ratchet, ...toWaiting(snapshot.ratchet, first, snapshot.now) };
        const at = (now: number): DecisionCode => determineFixupAction({ ...snapshot, ratchet, now }).code;

        expect(at(deadline)).not.toBe(first.code);
        expect(deadline - 1 >= snapshot.now ? at(deadline - 1) : first.code).toBe(first.code);
      }),
      { numRuns: 2000 },
    );
  });

  it('neither launches nor is green on what is unknown, running or waiting for approval', () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const { action, code } = determineFixupAction(snapshot);
        const acts = action.startsWith('FIX_') || code === 'ALL_GREEN';

        const { status, unapproved } = snapshot.ci;
        if (snapshot.merge === 'unknown' || (status === 'blocked' && unapproved)) expect(acts).toBe(false);
        if (status === 'blocked') expect(code).not.toBe('ALL_GREEN');
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
        const ratchet = { ...snapshot.ratchet, waitingFor: code, waitingSince: 0 };
        const later = determineFixupAction({ ...snapshot, ratchet, now: 10 ** 12 * 3 });

        expect(later.action === 'WAIT' && later.code === code).toBe(code === 'WORKING_SESSION');
      }),
    );
  });
});

/** Each makes a snapshot one on which no more may be launched than before. */
const anyTightening: fc.Arbitrary<(snapshot: Snapshot) => Snapshot> = fc.constantFrom(
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, workingSession: true }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, pullRequest: null }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, policyErrors: ['bad'] }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, merge: 'unknown' }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, policy: { ...snapshot.policy, mode: 'observe' } }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, policy: { ...snapshot.policy, maxAttempts: 0 } }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, policy: { ...snapshot.policy, maxLaunchesPerDay: 0 } }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, ratchet: { ...snapshot.ratchet, enabled: false } }),
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, ratchet: { ...snapshot.ratchet, paused: true } }),
  (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    ratchet: { ...snapshot.ratchet, stoppedFor: snapshot.causeKey ?? snapshot.ratchet.stoppedFor },
  }),
);

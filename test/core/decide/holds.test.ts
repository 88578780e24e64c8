import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { findFork, findLaunchHold, findPushHold, findSwitchHold } from '../../../src/core/decide/holds.ts';
import { toHeldPullRequest } from '../../../src/core/decide/to-held-pull-request.ts';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { PullRequestFacts } from '../../../src/core/model/pull-request.ts';
import type { SupersededBy } from '../../../src/core/model/session.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import { aFailure, aPullRequest, aSnapshot, type SnapshotChange } from '../../support/builders.ts';

/** How a hold ends the session whose push it forbids; null: it is looked at where a fixup is launched alone. */
type Ends = SupersededBy | 'unpushed' | null;

/** Every hold, by itself: what it is called at a launch, and how it ends a session before its push. */
const HOLDS: readonly (readonly [string, DecisionCode, Ends, SnapshotChange])[] = [
  ['a disable', 'DISABLED', 'disabled', { ratchet: { enabled: false } }],
  ['a fork', 'FORK_NOT_SUPPORTED', 'stopped', { pullRequest: { fork: true } }],
  ['a broken policy', 'POLICY_INVALID', 'unpushed', { policyErrors: ['line 1: no', 'line 2: no'] }],
  ['a pause', 'PAUSED', 'paused', { ratchet: { paused: true } }],
  ['the hold label', 'PAUSED', 'paused', { pullRequest: { holdLabel: true } }],
  ['a draft (L18)', 'DRAFT_HELD', 'paused', { pullRequest: { draft: true }, policy: { holdDrafts: true } }],
  ['no attempt left', 'ATTEMPTS_EXHAUSTED', null, { ratchet: { consecutiveAttempts: 3 } }],
  ['no launch left', 'LAUNCHES_EXHAUSTED', null, { ratchet: { launchesToday: 20 } }],
  ['a merge queue', 'IN_MERGE_QUEUE', 'stopped', { pullRequest: { inMergeQueue: true } }],
  ['auto-merge', 'AUTO_MERGE_ON', 'stopped', { pullRequest: { autoMerge: true } }],
  ['a rule of the branch', 'PUSH_FORBIDDEN', 'stopped', { pullRequest: { pushForbidden: 'It is locked.' } }],
  ['the mode observe', 'OBSERVE_ONLY', 'unpushed', { policy: { mode: 'observe' } }],
  ['a conflict for people', 'OBSERVE_ONLY', 'unpushed', { merge: 'conflict', policy: { resolveConflicts: false } }],
  [
    'reviews for people',
    'OBSERVE_ONLY',
    'unpushed',
    { ci: { status: 'success' }, review: { actionable: 1 }, policy: { fixReviews: false } },
  ],
  ['a stop for the same cause', 'STOPPED_SAME_CAUSE', 'stopped', { ratchet: { stoppedFor: 'cause-1' } }],
];

const SWITCHES: ReadonlySet<string> = new Set(['DISABLED', 'PAUSED', 'STOPPED_SAME_CAUSE']);

/** What there is to fix in the snapshot where nothing holds it. */
function toAction({ merge, ci }: SnapshotChange) {
  if (merge === 'conflict') return 'FIX_MERGE_CONFLICT' as const;
  return ci?.status === 'success' ? 'FIX_REVIEW' : 'FIX_CI';
}

describe('a hold', () => {
  it.each(HOLDS)('for %s is told as %s and ends a session as %s', (_what, code, ends, change) => {
    const snapshot = aSnapshot(change);

    expect(determineFixupAction(snapshot)).toMatchObject({ code });
    expect(findPushHold(snapshot, toAction(change))?.ends ?? null).toBe(ends);
  });

  it.each(HOLDS)('for %s says the same in both places', (_what, _code, ends, change) => {
    if (ends === null) return;
    const snapshot = aSnapshot(change);
    const detail = findPushHold(snapshot, toAction(change))?.detail ?? '';

    expect(detail).toMatch(/^[A-Z].*\w[.]?$/u);
    expect(determineFixupAction(snapshot).reason.toLowerCase()).toContain(detail.toLowerCase());
  });

  it.each(HOLDS)('for %s needs no read of GitHub where people told us', (_what, code, ends, change) => {
    const isSwitch = SWITCHES.has(code) && change.ratchet !== undefined;

    expect(findSwitchHold(aSnapshot(change), 'FIX_CI')?.ends ?? null).toBe(isSwitch ? ends : null);
  });

  it.each([
    ['a draft that the policy works on', { pullRequest: { draft: true } }],
    ['auto-merge where a push dismisses approvals', { pullRequest: { autoMerge: true, approvalsSurvive: false } }],
    [
      'auto-merge that is turned off first (L18)',
      { pullRequest: { autoMerge: true }, policy: { disarmAutoMerge: true } },
    ],
    ['conflicts that are left to people', { policy: { resolveConflicts: false } }],
    ['reviews that are left to people', { policy: { fixReviews: false } }],
    ['a stop for another cause', { ratchet: { stoppedFor: 'cause-2' } }],
    ['an unknown cause', { causeKey: null }],
    ['nothing', {}],
  ] satisfies [string, SnapshotChange][])('is not made by %s: red CI is fixed and pushed', (_what, change) => {
    const snapshot = aSnapshot(change);

    expect(determineFixupAction(snapshot)).toMatchObject({ code: 'CI_FAILED' });
    expect(findPushHold(snapshot, 'FIX_CI')).toBeNull();
  });

  it('says nothing by the facts of a pull request that is gone: that is told before any hold', () => {
    const gone = { ...aSnapshot({}), pullRequest: null };

    expect(findPushHold(gone, 'FIX_CI')).toBeNull();
    expect(findLaunchHold(gone, { action: 'FIX_CI', means: 'agent', what: 'CI failed' })).toBeNull();
    expect(findFork(gone)).toBeNull();
  });

  it('lets nothing be pushed in the mode suggest, in which a fixup is launched', () => {
    const snapshot = aSnapshot({ policy: { mode: 'suggest' } });

    expect(determineFixupAction(snapshot)).toMatchObject({ action: 'FIX_CI' });
    expect(findPushHold(snapshot, 'FIX_CI')).toMatchObject({ ends: 'unpushed' });
  });

  it('that ends the session comes before one that only lets nothing be pushed', () => {
    const snapshot = aSnapshot({ policyErrors: ['bad'], pullRequest: { inMergeQueue: true } });

    expect(findPushHold(snapshot, 'FIX_CI')).toMatchObject({ ends: 'stopped' });
  });

  it('of a fixup forbids its push too, and what may be pushed may be launched again but for its budget', () => {
    const budget = {
      ratchet: { consecutiveAttempts: 0, launchesToday: 0 },
      policy: { maxAttempts: 1, maxLaunchesPerDay: 1 },
    };
    fc.assert(
      fc.property(anySnapshot, (any) => {
        if (any.pullRequest === null || any.policy.mode === 'suggest') return;
        const quiet = aSnapshot({
          ...{ pullRequest: any.pullRequest, causeKey: any.causeKey, policyErrors: any.policyErrors },
          ratchet: { enabled: any.ratchet.enabled, paused: any.ratchet.paused, stoppedFor: any.ratchet.stoppedFor },
          policy: { ...any.policy, ...budget.policy },
        });
        const snapshot = { ...quiet, pullRequest: { ...any.pullRequest, state: 'open' as const } };

        const isLaunched = determineFixupAction(snapshot).action === 'FIX_CI';
        expect(findPushHold(snapshot, 'FIX_CI') === null).toBe(isLaunched);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the reason of a hold', () => {
  it.each<[DecisionCode, string, SnapshotChange]>([
    ['DISABLED', 'Ratchet is disabled on this pull request.', { ratchet: { enabled: false } }],
    [
      'FORK_NOT_SUPPORTED',
      'The pull request is from a fork, and Ratchet runs no code of forks.',
      { pullRequest: { fork: true } },
    ],
    [
      'POLICY_INVALID',
      'The policy file on the base branch has 2 problems; the first: line 1: no',
      { policyErrors: ['line 1: no', 'line 2: no'] },
    ],
    ['PAUSED', 'CI failed, but Ratchet is paused on this pull request.', { ratchet: { paused: true } }],
    ['PAUSED', 'CI failed, but the pull request has the hold label.', { pullRequest: { holdLabel: true } }],
    [
      'DRAFT_HELD',
      'CI failed, but the pull request is a draft, and the policy leaves drafts alone.',
      { pullRequest: { draft: true }, policy: { holdDrafts: true } },
    ],
    ['ATTEMPTS_EXHAUSTED', 'CI failed, and 3 of 3 attempts are used.', { ratchet: { consecutiveAttempts: 3 } }],
    [
      'LAUNCHES_EXHAUSTED',
      'CI failed, and 21 attempts started within one day (at most 20).',
      { ratchet: { launchesToday: 21 } },
    ],
    [
      'IN_MERGE_QUEUE',
      'CI failed, but the pull request is in the merge queue, where Ratchet never pushes.',
      { pullRequest: { inMergeQueue: true } },
    ],
    [
      'AUTO_MERGE_ON',
      'CI failed, but auto-merge is on, so that a push of Ratchet could be merged without a review.',
      { pullRequest: { autoMerge: true } },
    ],
    [
      'PUSH_FORBIDDEN',
      'CI failed, but Ratchet may not push to the branch: It is locked.',
      { pullRequest: { pushForbidden: 'It is locked.' } },
    ],
    [
      'OBSERVE_ONLY',
      'CI failed; Ratchet would start a fixup, but the policy lets it only observe.',
      { policy: { mode: 'observe' } },
    ],
    [
      'OBSERVE_ONLY',
      'The pull request conflicts with its base branch; the policy leaves that to people.',
      { merge: 'conflict', policy: { resolveConflicts: false } },
    ],
    [
      'OBSERVE_ONLY',
      'The pull request conflicts with its base branch; Ratchet would resolve the conflict, but the policy lets it only observe.',
      { merge: 'conflict', policy: { mode: 'observe' } },
    ],
    [
      'OBSERVE_ONLY',
      '1 review comment is open; Ratchet would address them, but the policy lets it only observe.',
      { ci: { status: 'success' }, review: { actionable: 1 }, policy: { mode: 'observe' } },
    ],
    [
      'OBSERVE_ONLY',
      'CI failed in a way that the change may not have caused; Ratchet would re-run the failed checks, but the policy lets it only observe.',
      {
        ci: { failure: aFailure({ rerunnable: true }) },
        policy: { mode: 'observe' },
      },
    ],
    [
      'OBSERVE_ONLY',
      'The branch must be up to date with its base, but is behind it; Ratchet would update the branch, but the policy lets it push nothing.',
      { merge: 'behind', pullRequest: { mustBeUpToDate: true }, policy: { mode: 'suggest' } },
    ],
    [
      'STOPPED_SAME_CAUSE',
      'CI failed, but Ratchet has stopped for this before, and nothing has changed since.',
      { ratchet: { stoppedFor: 'cause-1' } },
    ],
  ])('%s is: %s', (code, reason, change) => {
    expect(determineFixupAction(aSnapshot(change))).toMatchObject({ code, reason });
  });
});

describe('what holds look at in a pull request', () => {
  const POLICY = DEFAULT_POLICY;
  const RULES = aPullRequest().rules;

  it('is nothing in a plain one, but approvals that a push leaves as they are', () => {
    expect(toHeldPullRequest(aPullRequest(), POLICY)).toEqual(aSnapshot().pullRequest);
  });

  it.each<[string, Partial<PullRequestFacts>, SnapshotChange['pullRequest']]>([
    ['its own state', { state: 'closed', draft: true, fork: true }, { state: 'closed', draft: true, fork: true }],
    ['how it is merged', { autoMerge: true, inMergeQueue: true }, { autoMerge: true, inMergeQueue: true }],
    ['the hold label in any case', { labels: ['a', 'RATCHET:hold'] }, { holdLabel: true }],
    ['other labels', { labels: ['hold'] }, { holdLabel: false }],
    ['approvals', { rules: { ...RULES, dismissesStaleApprovals: true } }, { approvalsSurvive: false }],
    ['a head that must be up to date', { rules: { ...RULES, mustBeUpToDate: true } }, { mustBeUpToDate: true }],
    ['every refusal of a push', { rules: { ...RULES, pushRefusals: ['A.', 'B.'] } }, { pushForbidden: 'A. B.' }],
  ])('is %s', (_what, facts, expected) => {
    expect(toHeldPullRequest(aPullRequest(facts), POLICY)).toMatchObject({ ...expected });
  });

  it('is no head that must be up to date where the policy updates none', () => {
    const facts = aPullRequest({ rules: { ...RULES, mustBeUpToDate: true } });
    const policy = { ...POLICY, merge: { ...POLICY.merge, updateBranch: false } };

    expect(toHeldPullRequest(facts, policy)).toMatchObject({ mustBeUpToDate: false });
  });
});

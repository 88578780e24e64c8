import fc from 'fast-check';
import { type AgentStanding, CIRCUIT_FAULTS } from '../../src/core/model/agent-standing.ts';
import { BUDGET_SCOPES } from '../../src/core/model/model-use.ts';
import { REVIEW_DECISIONS } from '../../src/core/model/pull-request.ts';
import { FIXUP_KINDS } from '../../src/core/model/session.ts';
import { LEFT_WHYS, type Snapshot } from '../../src/core/model/snapshot.ts';
import { fakeSha } from './builders.ts';

const anyInstant = fc.integer({ min: 0, max: 2_000_000_000_000 });
const anyId = fc.constantFrom('run-1', 'run-2', 'run-3');
const anyKey = fc.option(fc.constantFrom('cause-1', 'cause-2'), { nil: null });

/** Any snapshot; values that collide (run ids, cause keys) are drawn from few, so that they do. */
export const anySnapshot: fc.Arbitrary<Snapshot> = fc.record({
  pullRequest: fc.option(
    fc.record({
      state: fc.constantFrom('open', 'open', 'open', 'closed', 'merged'),
      draft: fc.boolean(),
      fork: rarely(),
      autoMerge: rarely(),
      inMergeQueue: rarely(),
      queueFailure: rarely().map((hasFailed) => (hasFailed ? 'CI_FAILURE' : null)),
      approvalsSurvive: fc.boolean(),
      holdLabel: rarely(),
      mustBeUpToDate: fc.boolean(),
      beside: rarely().map((isShared) => (isShared ? [8] : [])),
      pushForbidden: rarely().map((isForbidden) => (isForbidden ? 'The branch is locked.' : null)),
    }),
    { nil: null, freq: 9 },
  ),
  ci: fc.record({
    status: fc.constantFrom('none', 'pending', 'failure', 'failure', 'success', 'blocked'),
    runId: fc.option(anyId, { nil: null }),
    running: fc.constantFrom(null, null, true, false),
    unapproved: rarely(),
    missing: fc.constantFrom([], [], [{ name: 'test', near: null }], [{ name: 'test', near: 'ci / test' }]),
    failure: fc.option(
      fc.record({
        rerunnable: fc.boolean(),
        repairedOnBase: rarely(),
        person: rarely().map((isSo) => (isSo ? { name: 'test', line: 'Bad credentials' } : null)),
        redOnBase: rarely(),
        sameAsBefore: fc.boolean(),
      }),
      { nil: null },
    ),
  }),
  merge: fc.constantFrom('clean', 'conflict', 'behind', 'unknown'),
  review: fc.record({
    actionable: fc.nat({ max: 3 }),
    newestAt: fc.option(anyInstant, { nil: null }),
    left: fc.nat({ max: 2 }),
    leftItems: fc.array(
      fc.record({
        why: fc.constantFrom(...LEFT_WHYS),
        by: fc.constantFrom(null, 'grace'),
        path: fc.constantFrom(null, 'src/a.ts'),
        answer: fc.constantFrom('', 'Which name?'),
      }),
      { maxLength: 2 },
    ),
    otherOpen: fc.nat({ max: 2 }),
    changesRequestedBy: fc.subarray(['grace', 'alan']),
    decision: fc.constantFrom(null, ...REVIEW_DECISIONS),
  }),
  ratchet: fc.record({
    enabled: rarely().map((isDisabled) => !isDisabled),
    consecutiveAttempts: fc.nat({ max: 5 }),
    launchesToday: fc.nat({ max: 25 }),
    lastCiRunId: fc.option(anyId, { nil: null }),
    staleCiSince: fc.option(anyInstant, { nil: null }),
    stoppedFor: anyKey,
    waitingFor: fc.option(
      fc.constantFrom('CI_RUNNING', 'CI_BLOCKED', 'STALE_CI_RUN', 'MERGE_UNKNOWN', 'REVIEW_SETTLING'),
      { nil: null },
    ),
    waitingSince: fc.option(anyInstant, { nil: null }),
    paused: rarely(),
    pausedBeside: rarely().map((isPaused) => (isPaused ? 8 : null)),
    takenBack: fc.option(
      fc.record({
        commitSha: fc.constant(fakeSha('ours')),
        action: fc.constantFrom(...FIXUP_KINDS),
        by: fc.constantFrom('ann', null),
        at: anyInstant,
      }),
      { nil: null, freq: 2 },
    ),
    rerun: fc.option(fc.record({ ciRunId: anyId, at: anyInstant }), { nil: null }),
    updateAskedAt: fc.option(anyInstant, { nil: null }),
  }),
  agent: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ kind: 'ready' as const }) },
    { weight: 6, arbitrary: anyStandingInTheWay() },
  ),
  mergeNeedsAgent: rarely(),
  causeKey: anyKey,
  workingSession: rarely(),
  sessionBeside: rarely().map((isBeside) => (isBeside ? 8 : null)),
  policyErrors: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, fc.array(fc.string(), { maxLength: 2 })),
  now: anyInstant,
  policy: fc.record({
    maxAttempts: fc.nat({ max: 5 }),
    updateBranch: fc.boolean(),
    maxLaunchesPerDay: fc.nat({ max: 25 }),
    staleCiTimeoutSeconds: fc.nat({ max: 86_400 }),
    ciTimeoutSeconds: fc.nat({ max: 86_400 }),
    mergeTimeoutSeconds: fc.nat({ max: 86_400 }),
    mode: fc.constantFrom('push', 'push', 'suggest', 'observe'),
    holdDrafts: fc.boolean(),
    resolveConflicts: fc.boolean(),
    fixReviews: fc.boolean(),
    reviewQuietSeconds: fc.nat({ max: 3600 }),
    fixRedOnBase: fc.boolean(),
    stopOnSameFailure: fc.boolean(),
    disarmAutoMerge: fc.boolean(),
    fixEngines: fc.boolean(),
  }),
});

function anyStandingInTheWay(): fc.Arbitrary<AgentStanding> {
  const until = fc.option(anyInstant, { nil: null });
  const agent = fc.constantFrom('claude', 'codex');
  return fc.oneof(
    fc.constant({ kind: 'owner_unknown' as const }),
    fc.record({ kind: fc.constantFrom('unknown', 'not_allowed'), agent }),
    fc.record({ kind: fc.constantFrom('model_unknown', 'unpriced'), agent, model: fc.constantFrom('m-1', 'm-2') }),
    fc.record({
      kind: fc.constant('switched_off' as const),
      isEverywhere: fc.boolean(),
      by: fc.constantFrom('ada', 'a@b'),
      reason: fc.constantFrom('', 'too expensive'),
      since: anyInstant,
    }),
    fc.record({
      kind: fc.constant('over_budget' as const),
      scope: fc.constantFrom(...BUDGET_SCOPES),
      what: fc.constantFrom('usd', 'calls'),
      limit: fc.nat(),
      used: fc.nat(),
      until,
    }),
    fc.record({
      kind: fc.constant('circuit_open' as const),
      agent,
      fault: fc.constantFrom(...CIRCUIT_FAULTS),
      until,
      isTried: fc.boolean(),
    }),
  );
}

function rarely(): fc.Arbitrary<boolean> {
  return fc.constantFrom(false, false, false, false, true);
}

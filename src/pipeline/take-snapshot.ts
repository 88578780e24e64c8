import { type PolicyParse, parsePolicy } from '../config/policy-file.ts';
import type { CiVerdict } from '../core/ci/ci-verdict.ts';
import { toCauseKey } from '../core/decide/cause-key.ts';
import { observe } from '../core/decide/observe.ts';
import { DEFAULT_POLICY } from '../core/model/default-policy.ts';
import type { EpochMs } from '../core/model/ids.ts';
import type { Policy } from '../core/model/policy.ts';
import type { CheckResult, PullRequestFacts } from '../core/model/pull-request.ts';
import type { Session } from '../core/model/session.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import type { Workspace } from '../core/model/workspace.ts';
import { type ReviewVerdict, toReviewVerdict } from '../core/reviews/review-verdict.ts';
import type { Deps } from './deps.ts';
import { takeCiVerdict, toHeadSeenAt } from './take-ci-verdict.ts';

const MERGE_TIMEOUT_SECONDS = 30 * 60;
const DAY_MS = 24 * 60 * 60_000;

/** One look at a pull request: what was read, what it means, and the snapshot that is decided on. */
export interface Look {
  readonly workspace: Workspace;
  readonly facts: PullRequestFacts | null;
  readonly policy: Policy;
  readonly ci: CiVerdict<CheckResult> | null;
  readonly review: ReviewVerdict | null;
  readonly snapshot: Snapshot;
  /** The session at work, if any. */
  readonly working: Session | null;
}

/**
 * Reads the pull request once, keeps what the look teaches about pushes from outside (not while a session works: its own push
 * may be on the way), and puts the input of the decision together.
 */
export async function takeSnapshot(
  deps: Pick<Deps, 'clock' | 'github' | 'log' | 'settings' | 'store'>,
  asked: Workspace,
  signal: AbortSignal,
): Promise<Look> {
  const facts = await deps.github.readPullRequest(asked, signal);
  // A session may have ended while GitHub answered: with the row of before, its push would pass for somebody else's.
  const before = deps.store.workspace(asked.key) ?? asked;
  const now = deps.clock.now();
  const working = deps.store.liveSessions(before.key).find((session) => session.status === 'working') ?? null;
  const launchesToday = deps.store.launchesSince(before.key, now - DAY_MS);
  if (facts === null) {
    const snapshot = toEmptySnapshot(before, { now, working, launchesToday });
    return { workspace: before, facts, policy: DEFAULT_POLICY, ci: null, review: null, snapshot, working };
  }
  const parsed = parsePolicy(facts.policyText);
  const policy = parsed.kind === 'ok' ? parsed.policy : DEFAULT_POLICY;
  const headSeenAt = toHeadSeenAt(before, facts, now);
  const ci = takeCiVerdict(deps, facts, policy, { ciEverSeen: before.ciEverSeen, headSeenAt });
  const workspace = working === null ? keepObservation(deps, before, facts, { ci, now }) : before;
  const review = toReviewVerdict({
    threads: facts.threads,
    reviews: facts.reviews,
    author: facts.author,
    ownSlug: deps.settings.appSlug,
  });
  const snapshot = toSnapshot({ workspace, facts, policy, parsed, ci, review, working, launchesToday, now });
  return { workspace, facts, policy, ci, review, snapshot, working };
}

function keepObservation(
  deps: Pick<Deps, 'log' | 'store'>,
  before: Workspace,
  facts: PullRequestFacts,
  seen: { readonly ci: CiVerdict<CheckResult>; readonly now: EpochMs },
): Workspace {
  const { patch, observations } = observe(before, facts, {
    ciRunId: seen.ci.runId,
    ciStatus: seen.ci.status,
    now: seen.now,
  });
  deps.store.updateWorkspace(before.key, patch);
  for (const observation of observations) {
    deps.log.info({ key: before.key, observation: observation.kind, headSha: observation.headSha }, 'observed');
    if (observation.kind !== 'outside_push_seen') continue;
    deps.store.appendTransition({
      key: before.key,
      action: 'RESET',
      code: 'OUTSIDE_PUSH',
      reason: `Somebody pushed ${observation.headSha}: the attempt budget starts anew.`,
      snapshot: null,
      createdAt: seen.now,
    });
  }
  return { ...before, ...patch };
}

function toSnapshot(read: {
  readonly workspace: Workspace;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly parsed: PolicyParse;
  readonly ci: CiVerdict<CheckResult>;
  readonly review: ReviewVerdict;
  readonly working: Session | null;
  readonly launchesToday: number;
  readonly now: EpochMs;
}): Snapshot {
  const { workspace, facts, policy, parsed, ci, review } = read;
  return {
    pullRequest: {
      state: facts.state,
      draft: facts.draft,
      fork: facts.fork,
      autoMerge: facts.autoMerge,
      inMergeQueue: facts.inMergeQueue,
    },
    ci: { status: ci.status, runId: ci.runId },
    merge: facts.merge,
    review: { actionable: review.actionable.length },
    ratchet: toRatchetState(workspace, read.launchesToday),
    causeKey: toCauseKey({
      headSha: facts.headSha,
      ciRunId: ci.runId,
      baseShaWhenConflicted: facts.merge === 'conflict' ? facts.baseSha : null,
      newestActionableCommentId: review.newestCommentId,
    }),
    workingSession: read.working !== null,
    policyErrors:
      parsed.kind === 'invalid' ? parsed.problems.map(({ line, message }) => `line ${String(line)}: ${message}`) : [],
    now: read.now,
    policy: toDecisionPolicy(policy),
  };
}

function toEmptySnapshot(
  workspace: Workspace,
  read: { readonly now: EpochMs; readonly working: Session | null; readonly launchesToday: number },
): Snapshot {
  return {
    pullRequest: null,
    ci: { status: 'pending', runId: null },
    merge: 'unknown',
    review: { actionable: 0 },
    ratchet: toRatchetState(workspace, read.launchesToday),
    causeKey: null,
    workingSession: read.working !== null,
    policyErrors: [],
    now: read.now,
    policy: toDecisionPolicy(DEFAULT_POLICY),
  };
}

function toRatchetState(workspace: Workspace, launchesToday: number): Snapshot['ratchet'] {
  return {
    enabled: workspace.enablement === 'enabled',
    consecutiveAttempts: workspace.consecutiveAttempts,
    launchesToday,
    lastCiRunId: workspace.lastCiRunId,
    staleCiSince: workspace.staleCiSince,
    stoppedFor: workspace.stop?.causeKey ?? null,
    waitingFor: workspace.waitingFor,
    waitingSince: workspace.waitingSince,
  };
}

function toDecisionPolicy(policy: Policy): Snapshot['policy'] {
  return {
    maxAttempts: policy.maxAttempts,
    maxLaunchesPerDay: policy.maxLaunchesPerDay,
    staleCiTimeoutSeconds: policy.ci.staleTimeoutSeconds,
    ciTimeoutSeconds: policy.ci.timeoutSeconds,
    mergeTimeoutSeconds: MERGE_TIMEOUT_SECONDS,
  };
}

import type { CiVerdict } from '../../core/ci/ci-verdict.ts';
import { toProvenFlakes } from '../../core/ci/known-flakes.ts';
import { toCauseKey } from '../../core/decide/cause-key.ts';
import { type Observation, observe, type PushObservation } from '../../core/decide/observe.ts';
import { toStopOnBranch, toStoppedFor } from '../../core/decide/stopped-for.ts';
import { toAsked } from '../../core/decide/to-asked.ts';
import { toHeldPullRequest } from '../../core/decide/to-held-pull-request.ts';
import type { AgentStanding } from '../../core/model/agent-standing.ts';
import type { Asked } from '../../core/model/ask.ts';
import { DEFAULT_POLICY } from '../../core/model/default-policy.ts';
import { assertNever } from '../../core/model/errors.ts';
import { type EpochMs, type Sha, toPullNumber } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { CheckResult, PullRequestFacts, PullRequestRef } from '../../core/model/pull-request.ts';
import type { AcceptedFinding } from '../../core/model/quality.ts';
import { REMEMBERED_SESSIONS, type Session } from '../../core/model/session.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { toDecisionPolicy } from '../../core/policy/to-decision-policy.ts';
import { toFindingsName } from '../../core/quality/known-findings.ts';
import { isDeclined } from '../../core/reviews/is-declined.ts';
import type { ReviewVerdict } from '../../core/reviews/review-verdict.ts';
import { hasNeededAgent } from '../../core/sessions/count-earlier.ts';
import type { NewTransition } from '../../ports/store.ts';
import { type ChosenAgent, chooseAgent, readStanding } from '../agents/agent-standing.ts';
import type { Deps } from '../deps.ts';
import { endUserSessions, hasAnyWorkingSession } from '../sessions/user-sessions.ts';
import { findPausedBeside, readBeside } from './read-beside.ts';
import { type ReadFacts, readFacts } from './read-facts.ts';
import { readKnownFindings } from './read-known-findings.ts';
import { readPushed } from './read-pushed.ts';
import { takeCiVerdict, toHeadSeenAt } from './take-ci-verdict.ts';
import {
  ALL_WRITERS,
  DECIDING_AGE_MS,
  readReviewWriters,
  takeReviewVerdict,
  type Writers,
} from './take-review-verdict.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOTHING_ASKED: Asked = { rerun: null, branchUpdate: null };

type LookDeps = Pick<Deps, 'agents' | 'clock' | 'gateway' | 'github' | 'log' | 'settings' | 'store'>;

/** One look at a pull request: what was read, the verdicts, and the snapshot for the decision. */
export interface Look {
  readonly workspace: Workspace;
  /** Requests to GitHub that still count. */
  readonly asked: Asked;
  readonly facts: ReadFacts | null;
  readonly policy: Policy;
  /** Values that the ceilings of the operator lowered. */
  readonly clamped: readonly string[];
  readonly ci: CiVerdict<CheckResult> | null;
  readonly review: ReviewVerdict | null;
  readonly snapshot: Snapshot;
  /** The working session on the head branch, if any. */
  readonly working: Session | null;
  /** The other pull requests of the loop (resolution S18). */
  readonly beside: readonly Workspace[];
  /** The agent that a fixup would be launched with. */
  readonly agent: ChosenAgent;
}

/**
 * Reads the pull request once and builds the input of the decision. Stores its observations (an outside push, for example), except
 * while a session works, because its own push may be under way. `others` of the repository that are due are read with the same
 * query.
 */
export async function takeSnapshot(
  deps: LookDeps,
  known: Workspace,
  signal: AbortSignal,
  others: readonly PullRequestRef[] | null = null,
): Promise<Look> {
  const read = await readGitHub(deps, { asked: known, others }, signal);
  const agent = await chooseAgent(deps, read?.facts.taken.policy.agent.name ?? null);
  // A session may have ended meanwhile. With the old row, its push would look like an outside push.
  const before = deps.store.workspace(known.key) ?? known;
  const now = deps.clock.now();
  if (read?.facts.state !== 'open') endUserSessions(deps, before.key);
  const working = hasAnyWorkingSession(deps, before.key);
  const beside = readBeside(deps, before.key);
  const launchesToday = deps.store.launchesSince(before.key, now - DAY_MS);
  if (read === null) {
    const snapshot = toEmptySnapshot(before, { now, working, beside, launchesToday });
    const unread = { facts: null, policy: DEFAULT_POLICY, clamped: [], ci: null, review: null };
    return { workspace: before, asked: NOTHING_ASKED, ...unread, snapshot, working, beside, agent };
  }
  const { facts, ownSlug, writers, pushed } = read;
  const { policy, clamped } = facts.taken;
  const headSeenAt = toHeadSeenAt(before, facts, now);
  const ci = takeCiVerdict(deps, facts, policy, toSeen(deps, before, { facts, headSeenAt }));
  const workspace = working === null ? keepObservation(deps, before, facts, { ci, now, pushed }) : before;
  const asked = readAsked(deps, workspace, facts);
  const review = takeReviewVerdict(deps, { facts, policy, workspace, ownSlug, writers });
  const wasDeclined = isDeclinedStill(deps, workspace, facts, review);
  const standing = readStanding(deps, agent, { workspace, policy, now });
  const ended = deps.store.endedSessions(workspace.key, REMEMBERED_SESSIONS);
  const given = {
    workspace,
    asked,
    facts,
    ci,
    review,
    wasDeclined,
    working,
    beside,
    launchesToday,
    standing,
    ended,
    findings: readKnownFindings(deps, workspace, facts, policy),
    now,
  };
  const { snapshot, stop } = toSnapshot(given);
  const seen = { workspace: { ...workspace, stop }, asked, facts, policy, clamped, ci, review };
  return { ...seen, snapshot, working, beside, agent };
}

/** Everything one look reads from GitHub; null if the pull request is gone. */
async function readGitHub(
  deps: Pick<Deps, 'clock' | 'github' | 'log' | 'settings' | 'store'>,
  { asked, others }: { readonly asked: Workspace; readonly others: readonly PullRequestRef[] | null },
  signal: AbortSignal,
): Promise<{
  readonly facts: ReadFacts;
  readonly ownSlug: string;
  readonly writers: Writers;
  readonly pushed: PushObservation;
} | null> {
  const facts = await readFacts(deps, asked, signal, { others });
  if (facts === null) return null;
  const ownSlug = await deps.github.readSlug(signal);
  const read = { facts, policy: facts.taken.policy, workspace: asked, ownSlug };
  const writers = mayLaunch(deps, read)
    ? await readReviewWriters(deps, { ...read, maxAgeMs: DECIDING_AGE_MS }, signal)
    : ALL_WRITERS;
  return { facts, ownSlug, writers, pushed: await askWhoPushed(deps, asked, facts, signal) };
}

/** Not while a session works: its own push may be under way, and the look stores no observation. */
async function askWhoPushed(
  deps: Pick<Deps, 'clock' | 'github' | 'log' | 'settings' | 'store'>,
  { key }: Workspace,
  facts: PullRequestFacts,
  signal: AbortSignal,
): Promise<PushObservation> {
  const workspace = deps.store.workspace(key);
  if (workspace === null || facts.state !== 'open' || hasAnyWorkingSession(deps, key) !== null) {
    return { origin: null, takenBack: null };
  }
  const known = { ...workspace, ...readAsked(deps, workspace, facts) };
  return readPushed(deps, { workspace: known, facts, now: deps.clock.now() }, signal);
}

/** False while a session works, or while CI keeps a look from acting: permissions of reviewers are then not needed. */
function mayLaunch(
  deps: Pick<Deps, 'clock' | 'github' | 'settings' | 'store'>,
  read: { readonly facts: PullRequestFacts; readonly policy: Policy; readonly workspace: Workspace },
): boolean {
  const { facts, workspace } = read;
  if (hasAnyWorkingSession(deps, workspace.key) !== null) return false;
  const { status, isUnapproved } = takeCi(deps, read);
  return facts.merge === 'conflict' || (status !== 'pending' && !isUnapproved);
}

/** The verdict over the CI results at the head that was read. */
export function takeCi(
  deps: Pick<Deps, 'clock' | 'github' | 'store'>,
  read: { readonly facts: PullRequestFacts; readonly policy: Policy; readonly workspace: Workspace },
): CiVerdict<CheckResult> {
  const { facts, policy, workspace } = read;
  const headSeenAt = toHeadSeenAt(workspace, facts, deps.clock.now());
  return takeCiVerdict(deps, facts, policy, toSeen(deps, workspace, { facts, headSeenAt }));
}

/** What is known of CI here beside its results. */
function toSeen(
  deps: Pick<Deps, 'store'>,
  workspace: Workspace,
  { facts, headSeenAt }: { readonly facts: PullRequestFacts; readonly headSeenAt: EpochMs },
): Parameters<typeof takeCiVerdict>[3] {
  const { rerun } = readAsked(deps, workspace, facts);
  return { ciEverSeen: workspace.ciEverSeen, headSeenAt, rerun: rerun?.names ?? [] };
}

/** Whether the fixup that declined everything would get the same requests now. */
function isDeclinedStill(
  { store }: Pick<Deps, 'store'>,
  { key, stop }: Workspace,
  { headSha }: PullRequestFacts,
  { actionable }: ReviewVerdict,
): boolean {
  if (stop?.code !== 'DECLINED') return false;
  for (const { key: of, outcome, fixup, startedAt } of store.endedSessions(key, REMEMBERED_SESSIONS)) {
    if (of !== key || outcome?.kind !== 'declined' || fixup === null) continue;
    return isDeclined(actionable, headSha, { answers: outcome.answers, at: startedAt, headSha: fixup.headSha });
  }
  return false;
}

function readAsked(
  { store }: Pick<Deps, 'store'>,
  workspace: Workspace,
  { headSha }: Pick<PullRequestFacts, 'headSha'>,
): Asked {
  return toAsked(store.recentAsks(workspace.key), workspace, headSha);
}

function keepObservation(
  deps: Pick<Deps, 'log' | 'store'>,
  before: Workspace,
  facts: PullRequestFacts,
  seen: { readonly ci: CiVerdict<CheckResult>; readonly now: EpochMs; readonly pushed: PushObservation },
): Workspace {
  const { runId: ciRunId, status: ciStatus, failing } = seen.ci;
  const ci = { ciRunId, ciStatus, failing, now: seen.now };
  const { patch, observations } = observe({ ...before, ...readAsked(deps, before, facts) }, facts, ci, seen.pushed);
  deps.store.updateWorkspace(before.key, patch);
  const jobs = before.seenHeadSha === facts.headSha ? (before.diagnosis?.jobs ?? []) : [];
  const flakes = (patch.flakes ?? []).filter((flake) => !before.flakes.includes(flake));
  deps.store.rememberFlakes(
    before.repository.repositoryId,
    flakes.flatMap((flake) => toProvenFlakes(flake, jobs)),
  );
  for (const observation of observations) {
    deps.log.info({ key: before.key, observation: observation.kind, headSha: observation.headSha }, 'observed');
    const line = toLine(observation);
    if (line !== null) deps.store.appendTransition({ key: before.key, ...line, snapshot: null, createdAt: seen.now });
  }
  return { ...before, ...patch };
}

/** The transition log entry of an observation; null: none. */
function toLine(observation: Observation): Pick<NewTransition, 'action' | 'code' | 'reason'> | null {
  switch (observation.kind) {
    case 'outside_push_seen': {
      const reason = `@${observation.by.login} pushed ${observation.headSha}: the attempt budget starts anew.`;
      return { action: 'RESET', code: 'OUTSIDE_PUSH', reason };
    }
    case 'machine_push_seen': {
      return { action: 'OBSERVED', code: 'HEAD_MOVED', reason: toHeadMoved(observation) };
    }
    case 'taken_back': {
      const { commitSha, by } = observation.takenBack;
      const who = by === null ? 'Somebody' : `@${by.login}`;
      const reason = `${who} reverted Ratchet's fix (\`${commitSha}\`): nothing is started for its cause.`;
      return { action: 'OBSERVED', code: 'TAKEN_BACK', reason };
    }
    case 'taken_back_over':
      return { action: 'OBSERVED', code: 'TAKEN_BACK_OVER', reason: 'What the reverted fix was for is over.' };
    case 'own_update_seen': {
      const reason = `GitHub updated the branch to its base: ${observation.headSha} is the head now.`;
      return { action: 'OBSERVED', code: 'BRANCH_UPDATED', reason };
    }
    case 'flake_seen': {
      const reason = `${JSON.stringify(observation.name)} was red and is green now, on the same commit: a flake.`;
      return { action: 'OBSERVED', code: 'FLAKE', reason };
    }
    default:
      return null;
  }
}

function toHeadMoved({ headSha, told }: Observation & { readonly kind: 'machine_push_seen' }): string {
  switch (told) {
    case 'machine':
      return `No person with write permission pushed ${headSha}: the attempt budget stays as it is.`;
    case 'unknown':
      return `GitHub has not told who pushed ${headSha}: the attempt budget stays as it is.`;
    case 'not_asked':
      return `${headSha} is the head now; no attempt was used before.`;
    default:
      return assertNever(told);
  }
}

function toSnapshot(read: {
  readonly workspace: Workspace;
  readonly asked: Asked;
  readonly facts: ReadFacts;
  readonly ci: CiVerdict<CheckResult>;
  readonly review: ReviewVerdict;
  readonly wasDeclined: boolean;
  readonly working: Session | null;
  readonly beside: readonly Workspace[];
  readonly launchesToday: number;
  readonly standing: AgentStanding;
  readonly ended: readonly Session[];
  readonly findings: readonly AcceptedFinding[] | null;
  readonly now: EpochMs;
}): { readonly snapshot: Snapshot; readonly stop: Workspace['stop'] } {
  const { workspace, facts, ci, review, beside } = read;
  const { policy, problems } = facts.taken;
  const pullRequest = toHeldPullRequest(facts, policy);
  const { mustBeUpToDate } = pullRequest;
  const causeKey = toCauseKey({
    headSha: facts.headSha,
    ciRunId: ci.runId,
    baseShaWhenConflicted: facts.merge === 'conflict' ? facts.baseSha : null,
    newestActionableCommentId: review.newestCommentId,
    findings: toFindingsName(read.findings),
  });
  const { merge } = facts;
  const situation = { causeKey, merge, ciStatus: ci.status, mustBeUpToDate, isDeclined: read.wasDeclined };
  const besideStops = beside.map((other) => other.stop);
  const stop = toStopOnBranch(workspace.stop, besideStops, causeKey);
  const snapshot: Snapshot = {
    pullRequest,
    ci: toSnapshotCi(ci),
    ...(read.findings === null ? {} : { quality: { new: read.findings.length } }),
    merge,
    review: toSeenReview(review, facts),
    ratchet: {
      ...toRatchetState(workspace, { ...read, baseSha: facts.baseSha }),
      stoppedFor: toStoppedFor(stop, situation),
    },
    agent: read.standing,
    mergeNeedsAgent: hasNeededAgent(read.ended, causeKey),
    causeKey,
    ...toWorking(workspace, read),
    policyErrors: problems,
    now: read.now,
    policy: toDecisionPolicy(policy),
  };
  return { snapshot, stop };
}

/** Whether a session works on the branch, and for which other pull request. */
function toWorking(
  { key }: Workspace,
  { working }: { readonly working: Session | null },
): Pick<Snapshot, 'workingSession' | 'sessionBeside'> {
  const isBeside = working !== null && working.key !== key;
  return { workingSession: working !== null, sessionBeside: isBeside ? toPullNumber(working.key) : null };
}

function toSnapshotCi({ status, runId, isRunning, isUnapproved, missing }: CiVerdict<CheckResult>): Snapshot['ci'] {
  return { status, runId, running: isRunning, unapproved: isUnapproved, missing, failure: null };
}

/** The number of items left to people that a snapshot describes. */
const SHOWN_LEFT = 5;

const NO_REVIEW: Snapshot['review'] = {
  ...{ actionable: 0, newestAt: null, left: 0, leftItems: [], otherOpen: 0, changesRequestedBy: [], decision: null },
};

function toSeenReview(review: ReviewVerdict, { reviewDecision }: PullRequestFacts): Snapshot['review'] {
  const { actionable, newestAt, left, otherOpen, changesRequestedBy } = review;
  return {
    ...{ actionable: actionable.length, newestAt, left: left.length, leftItems: left.slice(0, SHOWN_LEFT) },
    ...{ otherOpen, changesRequestedBy, decision: reviewDecision },
  };
}

function toEmptySnapshot(
  workspace: Workspace,
  read: Pick<Look, 'working' | 'beside'> & { readonly now: EpochMs; readonly launchesToday: number },
): Snapshot {
  return {
    pullRequest: null,
    ci: { status: 'pending', runId: null, running: null, unapproved: false, missing: [], failure: null },
    merge: 'unknown',
    review: NO_REVIEW,
    ratchet: toRatchetState(workspace, { ...read, asked: NOTHING_ASKED, baseSha: null }),
    agent: { kind: 'ready' },
    mergeNeedsAgent: false,
    causeKey: null,
    ...toWorking(workspace, read),
    policyErrors: [],
    now: read.now,
    policy: toDecisionPolicy(DEFAULT_POLICY),
  };
}

function toRatchetState(
  workspace: Workspace,
  read: Pick<Look, 'asked' | 'beside'> & { readonly launchesToday: number; readonly baseSha: Sha | null },
): Snapshot['ratchet'] {
  const { launchesToday, baseSha } = read;
  const { rerun, branchUpdate } = read.asked;
  return {
    paused: workspace.pause !== null,
    pausedBeside: findPausedBeside(read.beside),
    takenBack: toTakenBack(workspace),
    rerun: rerun === null ? null : { ciRunId: rerun.ciRunId, at: rerun.at },
    updateAskedAt: branchUpdate !== null && branchUpdate.baseSha === baseSha ? branchUpdate.at : null,
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

function toTakenBack({ takenBack }: Workspace): Snapshot['ratchet']['takenBack'] {
  if (takenBack === null) return null;
  const { commitSha, action, at, by } = takenBack;
  return { commitSha, action, at, by: by?.login ?? null };
}

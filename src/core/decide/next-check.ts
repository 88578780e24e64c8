import type { Decision, DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { toAgentReady } from './agent-hold.ts';
import { settlesAt as reviewSettlesAt, staleSince, toDeadline, waitedSince } from './clocks.ts';

/** Polling intervals for a pull request that nothing wakes. */
export interface CheckIntervals {
  /** While Ratchet waits or works: the safety net for lost webhooks. */
  readonly recheckMs: number;
  /**
   * The same for resting pull requests: green, stopped, held. Their looks come at multiples of this interval plus the offset, so
   * that all pull requests of one repository share a query.
   */
  readonly watchMs: number;
  readonly watchOffsetMs: number;
  /** GitHub computes mergeability on request, so Ratchet asks again soon. */
  readonly mergeRetryMs: number;
}

const SHORTEST_PAUSE_MS = 1000;

/**
 * When to look again without a webhook: the earliest deadline of the decision or the polling interval, never in the past. null
 * for closed or disabled pull requests, which only an event can change. NO_PR is checked again, because it may be a transient
 * error of GitHub. `settlesAt`: when the CI verdict settles.
 */
export function nextCheckAt(
  decision: Decision,
  snapshot: Snapshot,
  { intervals, settlesAt }: { readonly intervals: CheckIntervals; readonly settlesAt: EpochMs | null },
): EpochMs | null {
  if (decision.code === 'PR_NOT_OPEN' || decision.code === 'DISABLED') return null;
  const retryAt = decision.code === 'MERGE_UNKNOWN' ? snapshot.now + intervals.mergeRetryMs : toTrialEnd(snapshot);
  const deadlines = [waitDeadline(decision, snapshot), toMeansDeadline(decision, snapshot), retryAt, settlesAt].filter(
    (at) => at !== null,
  );
  const future = deadlines.filter((at) => at > snapshot.now);
  const safetyAt = isUnderWay(decision) ? snapshot.now + intervals.recheckMs : toNextWatch(snapshot.now, intervals);
  const earliest = Math.min(safetyAt, ...future);
  return Math.max(earliest, snapshot.now + SHORTEST_PAUSE_MS);
}

function toNextWatch(now: EpochMs, { watchMs, watchOffsetMs }: CheckIntervals): EpochMs {
  return (Math.floor((now - watchOffsetMs) / watchMs) + 1) * watchMs + watchOffsetMs;
}

/** What an operator changes sends no event. */
const ENDED_BY_OPERATOR: readonly DecisionCode[] = ['AGENT_NOT_ALLOWED', 'AGENTS_SWITCHED_OFF', 'MODEL_UNUSABLE'];

function isUnderWay({ action, code }: Decision): boolean {
  if (ENDED_BY_OPERATOR.includes(code)) return true;
  // It waits for hours or weeks, and nothing but the time ends it.
  if (code === 'BUDGET_AWAITED') return false;
  return action !== 'DONE' && action !== 'TERMINAL_FAILED' && action !== 'CLEANUP_ONLY';
}

/** When to look again whether another fixup has found the model to work. */
function toTrialEnd({ agent }: Snapshot): EpochMs | null {
  return agent.kind === 'circuit_open' && agent.isTried ? agent.until : null;
}

/** When the wait for a re-run or branch update that is requested now ends. */
function toMeansDeadline({ means }: Decision, { now, policy }: Snapshot): EpochMs | null {
  return means === 'rerun' || means === 'update-branch' ? toDeadline(now, policy.staleCiTimeoutSeconds) : null;
}

/** How a wait ends by time. */
interface WaitEnd {
  readonly deadlineAt: (snapshot: Snapshot) => EpochMs | null;
  /** Whether a person is asked then; if not, Ratchet continues by itself. */
  readonly isStop: boolean;
}

/** All waits except the one for a session, which has its own deadline (resolution S4). */
const WAIT_ENDS: Readonly<Partial<Record<DecisionCode, WaitEnd>>> = {
  CI_RUNNING: { deadlineAt: (snapshot) => fromWaiting(snapshot, 'CI_RUNNING', 'ciTimeoutSeconds'), isStop: true },
  CI_BLOCKED: { deadlineAt: (snapshot) => fromWaiting(snapshot, 'CI_BLOCKED', 'ciTimeoutSeconds'), isStop: true },
  CI_REQUIRED_MISSING: {
    deadlineAt: (snapshot) => fromWaiting(snapshot, 'CI_REQUIRED_MISSING', 'ciTimeoutSeconds'),
    isStop: true,
  },
  MERGE_UNKNOWN: {
    deadlineAt: (snapshot) => fromWaiting(snapshot, 'MERGE_UNKNOWN', 'mergeTimeoutSeconds'),
    isStop: true,
  },
  STALE_CI_RUN: { deadlineAt: (snapshot) => fromClock(snapshot, staleSince(snapshot)), isStop: true },
  UPDATE_AWAITED: { deadlineAt: (snapshot) => fromClock(snapshot, snapshot.ratchet.updateAskedAt), isStop: false },
  RERUN_AWAITED: { deadlineAt: (snapshot) => fromClock(snapshot, snapshot.ratchet.rerun?.at ?? null), isStop: false },
  REVIEW_SETTLING: { deadlineAt: reviewSettlesAt, isStop: false },
  BUDGET_AWAITED: { deadlineAt: ({ agent }) => toAgentReady(agent), isStop: false },
  MODEL_AWAITED: { deadlineAt: ({ agent }) => toAgentReady(agent), isStop: false },
};

/** When the wait of `decision` ends (resolution S4); null if it does not wait, or waits for a session. */
export function waitDeadline(decision: Decision, snapshot: Snapshot): EpochMs | null {
  if (decision.action !== 'WAIT') return null;
  return WAIT_ENDS[decision.code]?.deadlineAt(snapshot) ?? null;
}

/** Whether a person is asked when the wait of `code` ends; false if `code` is not a wait. */
export function endsAsStop(code: DecisionCode): boolean {
  return WAIT_ENDS[code]?.isStop ?? false;
}

function fromWaiting(
  snapshot: Snapshot,
  code: DecisionCode,
  limit: 'ciTimeoutSeconds' | 'mergeTimeoutSeconds',
): EpochMs {
  return toDeadline(waitedSince(snapshot, code) ?? snapshot.now, snapshot.policy[limit]);
}

function fromClock({ now, policy }: Snapshot, since: EpochMs | null): EpochMs {
  return toDeadline(since ?? now, policy.staleCiTimeoutSeconds);
}

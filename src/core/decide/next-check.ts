import type { Decision, DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { settlesAt as reviewSettlesAt, staleSince, toDeadline, waitedSince } from './clocks.ts';

/** How often to look when nothing wakes the pull request. */
export interface CheckIntervals {
  /** Safety net for webhooks that were lost, while something is waited for or at work. */
  readonly recheckMs: number;
  /**
   * The same where nothing is under way: green, stopped, held. These looks come at the multiples of this, moved by the offset, so that
   * all pull requests of one repository share a query.
   */
  readonly watchMs: number;
  readonly watchOffsetMs: number;
  /** GitHub computes mergeability only when asked: ask again soon. */
  readonly mergeRetryMs: number;
}

const SHORTEST_PAUSE_MS = 1000;

/**
 * When to look again even if no webhook arrives: the earliest of the deadlines that the decision waits for and the safety
 * interval, never in the past. null where only an event can change anything: closed, or disabled. "No such pull request" may be a moment's error of GitHub.
 * `settlesAt` is the CI verdict's.
 */
export function nextCheckAt(
  decision: Decision,
  snapshot: Snapshot,
  { intervals, settlesAt }: { readonly intervals: CheckIntervals; readonly settlesAt: EpochMs | null },
): EpochMs | null {
  if (decision.code === 'PR_NOT_OPEN' || decision.code === 'DISABLED') return null;
  const retryAt = decision.code === 'MERGE_UNKNOWN' ? snapshot.now + intervals.mergeRetryMs : null;
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

function isUnderWay({ action }: Decision): boolean {
  return action !== 'DONE' && action !== 'TERMINAL_FAILED' && action !== 'CLEANUP_ONLY';
}

/** What GitHub was asked for now is waited for from the next look on: when that wait ends. */
function toMeansDeadline({ means }: Decision, { now, policy }: Snapshot): EpochMs | null {
  return means === 'rerun' || means === 'update-branch' ? toDeadline(now, policy.staleCiTimeoutSeconds) : null;
}

/** How a wait ends that GitHub, CI or a reviewer does not end. */
interface WaitEnd {
  readonly deadlineAt: (snapshot: Snapshot) => EpochMs | null;
  /** A person is asked then; after the others Ratchet goes on by itself. */
  readonly isStop: boolean;
}

/** Each wait but the one for a session, whose own deadline counts (resolution S4). */
const WAIT_ENDS: Readonly<Partial<Record<DecisionCode, WaitEnd>>> = {
  CI_RUNNING: { deadlineAt: (snapshot) => fromWaiting(snapshot, 'CI_RUNNING', 'ciTimeoutSeconds'), isStop: true },
  CI_BLOCKED: { deadlineAt: (snapshot) => fromWaiting(snapshot, 'CI_BLOCKED', 'ciTimeoutSeconds'), isStop: true },
  MERGE_UNKNOWN: {
    deadlineAt: (snapshot) => fromWaiting(snapshot, 'MERGE_UNKNOWN', 'mergeTimeoutSeconds'),
    isStop: true,
  },
  STALE_CI_RUN: { deadlineAt: (snapshot) => fromClock(snapshot, staleSince(snapshot)), isStop: true },
  UPDATE_AWAITED: { deadlineAt: (snapshot) => fromClock(snapshot, snapshot.ratchet.updateAskedAt), isStop: false },
  RERUN_AWAITED: { deadlineAt: (snapshot) => fromClock(snapshot, snapshot.ratchet.rerun?.at ?? null), isStop: false },
  REVIEW_SETTLING: { deadlineAt: reviewSettlesAt, isStop: false },
};

/** When the wait of `decision` ends (resolution S4); null where it does not wait, or a session's own deadline counts. */
export function waitDeadline(decision: Decision, snapshot: Snapshot): EpochMs | null {
  if (decision.action !== 'WAIT') return null;
  return WAIT_ENDS[decision.code]?.deadlineAt(snapshot) ?? null;
}

/** Whether a person is asked when the wait of `code` ends; false too for what is no wait. */
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

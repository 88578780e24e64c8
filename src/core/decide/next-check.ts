import type { Decision } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** How often to look when nothing wakes the pull request. */
export interface CheckIntervals {
  /** Safety net for webhooks that were lost, while something is waited for or at work. */
  readonly recheckMs: number;
  /** The same where nothing is under way: green, stopped, held. A look costs a call out of a small hourly budget. */
  readonly watchMs: number;
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
  const deadlines = [waitDeadline(decision, snapshot), retryAt, settlesAt].filter((at) => at !== null);
  const future = deadlines.filter((at) => at > snapshot.now);
  const pauseMs = isUnderWay(decision) ? intervals.recheckMs : intervals.watchMs;
  const earliest = Math.min(snapshot.now + pauseMs, ...future);
  return Math.max(earliest, snapshot.now + SHORTEST_PAUSE_MS);
}

function isUnderWay({ action }: Decision): boolean {
  return action !== 'DONE' && action !== 'TERMINAL_FAILED' && action !== 'CLEANUP_ONLY';
}

/** When the wait of `decision` ends as a stop (resolution S4); null where it does not wait, or a session's own deadline counts. */
export function waitDeadline(decision: Decision, snapshot: Snapshot): EpochMs | null {
  const { ratchet, policy, now } = snapshot;
  const isSameWait = ratchet.waitingFor === null || ratchet.waitingFor === decision.code;
  const waitingSince = isSameWait ? (ratchet.waitingSince ?? now) : now;
  if (decision.action !== 'WAIT') return null;
  switch (decision.code) {
    case 'CI_RUNNING':
    case 'CI_BLOCKED':
      return waitingSince + policy.ciTimeoutSeconds * 1000;
    case 'STALE_CI_RUN':
      return (ratchet.staleCiSince ?? waitingSince) + policy.staleCiTimeoutSeconds * 1000;
    case 'MERGE_UNKNOWN':
      return waitingSince + policy.mergeTimeoutSeconds * 1000;
    default:
      return null;
  }
}

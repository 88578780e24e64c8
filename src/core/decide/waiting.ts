import type { Decision, DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Workspace } from '../model/workspace.ts';

/** The wait that is under way, and since when. */
export type Waiting = Pick<Workspace, 'waitingFor' | 'waitingSince'>;

const NOT_WAITING: Waiting = { waitingFor: null, waitingSince: null };

/** Waits that a timeout ends; while it stands its clock goes on, else the next look would start the wait anew. */
const ENDED_BY: Readonly<Partial<Record<DecisionCode, readonly DecisionCode[]>>> = {
  CI_TIMEOUT: ['CI_RUNNING', 'CI_BLOCKED'],
  STALE_CI_TIMEOUT: ['STALE_CI_RUN'],
  MERGE_UNKNOWN_TIMEOUT: ['MERGE_UNKNOWN'],
};

/**
 * The waiting fields after `decision` (resolution S4): a WAIT of the same code keeps its clock, another one starts at `now`,
 * anything that does not wait ends it. A new head restarts the clock before that (`observe`).
 */
export function toWaiting(previous: Waiting, decision: Decision, now: EpochMs): Waiting {
  if (decision.action === 'WAIT') {
    const isSameWait = previous.waitingFor === null || previous.waitingFor === decision.code;
    return { waitingFor: decision.code, waitingSince: isSameWait ? (previous.waitingSince ?? now) : now };
  }
  const ended = ENDED_BY[decision.code] ?? [];
  return previous.waitingFor !== null && ended.includes(previous.waitingFor) ? toWaitingOnly(previous) : NOT_WAITING;
}

/** A workspace may be given; only these two fields leave. */
function toWaitingOnly({ waitingFor, waitingSince }: Waiting): Waiting {
  return { waitingFor, waitingSince };
}

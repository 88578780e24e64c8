import type { Decision, DecisionCode } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Workspace } from '../model/workspace.ts';

/** The current wait and its beginning. */
export type Waiting = Pick<Workspace, 'waitingFor' | 'waitingSince'>;

const NOT_WAITING: Waiting = { waitingFor: null, waitingSince: null };

/** The waits that lead to each timeout. Their clock keeps running after it, or the next look would restart the wait. */
const ENDED_BY: Readonly<Partial<Record<DecisionCode, readonly DecisionCode[]>>> = {
  CI_TIMEOUT: ['CI_RUNNING', 'CI_BLOCKED', 'CI_REQUIRED_MISSING'],
  STALE_CI_TIMEOUT: ['STALE_CI_RUN'],
  MERGE_UNKNOWN_TIMEOUT: ['MERGE_UNKNOWN'],
};

/**
 * The waiting fields after `decision` (resolution S4). A WAIT with the same code keeps its clock, another WAIT starts one at
 * `now`, and other decisions end the wait. For a new head, `observe` has already reset the clock.
 */
export function toWaiting(previous: Waiting, decision: Decision, now: EpochMs): Waiting {
  if (decision.action === 'WAIT') {
    const isSameWait = previous.waitingFor === null || previous.waitingFor === decision.code;
    return { waitingFor: decision.code, waitingSince: isSameWait ? (previous.waitingSince ?? now) : now };
  }
  const ended = ENDED_BY[decision.code] ?? [];
  return previous.waitingFor !== null && ended.includes(previous.waitingFor) ? toWaitingOnly(previous) : NOT_WAITING;
}

/** Drops other fields: callers may pass a whole workspace. */
function toWaitingOnly({ waitingFor, waitingSince }: Waiting): Waiting {
  return { waitingFor, waitingSince };
}

import { FIXUP_ACTIONS, type LogAction } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';

/** The fields of a transition log line that people see. */
export interface LoggedLine {
  readonly action: LogAction;
  readonly code: string;
  readonly reason: string;
  readonly createdAt: EpochMs;
}

/** A group of equal consecutive lines: the newest, their number, and the time of the oldest. */
export interface LoggedDecision extends LoggedLine {
  readonly times: number;
  readonly since: EpochMs;
}

const DECISIONS: ReadonlySet<LogAction> = new Set(FIXUP_ACTIONS);

/** Limits the steps between decisions: all steps together are at most this many per decision. */
const STEPS_PER_DECISION = 3;

/**
 * The last `max` decisions and the steps between them, newest first. Consecutive equal decisions count as one, because ten lines
 * of the same wait explain nothing.
 */
export function lastDecisions(newestFirst: readonly LoggedLine[], max: number): readonly LoggedDecision[] {
  const steps = collapse(newestFirst);
  let decisions = 0;
  const end = steps.findIndex((step) => DECISIONS.has(step.action) && (decisions += 1) > max);
  const shown = end === -1 ? steps : steps.slice(0, end);
  return shown.slice(0, max * STEPS_PER_DECISION);
}

function collapse(newestFirst: readonly LoggedLine[]): readonly LoggedDecision[] {
  const steps: LoggedDecision[] = [];
  for (const line of newestFirst) {
    const newer = steps.at(-1);
    if (newer === undefined || !isRepetition(newer, line)) {
      steps.push({ ...line, times: 1, since: line.createdAt });
    } else {
      steps[steps.length - 1] = { ...newer, times: newer.times + 1, since: line.createdAt };
    }
  }
  return steps;
}

/** Decisions that act are never grouped. */
function isRepetition(newer: LoggedLine, older: LoggedLine): boolean {
  return isRest(newer.action) && newer.action === older.action && newer.code === older.code;
}

function isRest(action: LogAction): boolean {
  return action === 'WAIT' || action === 'CLEANUP_ONLY' || action === 'DONE' || action === 'TERMINAL_FAILED';
}

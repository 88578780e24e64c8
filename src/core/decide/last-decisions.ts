import { FIXUP_ACTIONS, type LogAction } from '../model/decision.ts';
import type { EpochMs } from '../model/ids.ts';

/** A line of the transition log, as far as it is told to people. */
export interface LoggedLine {
  /** A decision's action, or a word for what is not a decision. */
  readonly action: LogAction;
  readonly code: string;
  readonly reason: string;
  readonly createdAt: EpochMs;
}

/** One or more equal lines that follow each other: the newest, how many they are, and when the oldest was written. */
export interface LoggedStep extends LoggedLine {
  readonly times: number;
  readonly since: EpochMs;
}

const DECISIONS: ReadonlySet<LogAction> = new Set(FIXUP_ACTIONS);

/** What happened between the decisions is told too, up to so many steps for each of them. */
const STEPS_PER_DECISION = 3;

/**
 * The last `max` decisions of a log, newest first as the log is given, with what happened between them. A decision that was only
 * repeated, look after look, is one: ten lines of the same wait explain nothing.
 */
export function lastDecisions(newestFirst: readonly LoggedLine[], max: number): readonly LoggedStep[] {
  const steps = collapse(newestFirst);
  let decisions = 0;
  const end = steps.findIndex((step) => DECISIONS.has(step.action) && (decisions += 1) > max);
  const shown = end === -1 ? steps : steps.slice(0, end);
  return shown.slice(0, max * STEPS_PER_DECISION);
}

function collapse(newestFirst: readonly LoggedLine[]): readonly LoggedStep[] {
  const steps: LoggedStep[] = [];
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

/** Whatever acts is told each time. */
function isRepetition(newer: LoggedLine, older: LoggedLine): boolean {
  return isRest(newer.action) && newer.action === older.action && newer.code === older.code;
}

function isRest(action: LogAction): boolean {
  return action === 'WAIT' || action === 'CLEANUP_ONLY' || action === 'DONE' || action === 'TERMINAL_FAILED';
}

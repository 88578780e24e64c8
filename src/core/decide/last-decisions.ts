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

/** Limits the entries between decisions: all entries together are at most this many per decision. */
const STEPS_PER_DECISION = 3;

/**
 * The last `max` decisions and the entries between them, newest first. Consecutive equal decisions count as one, because ten lines
 * of the same wait explain nothing.
 */
export function lastDecisions(newestFirst: readonly LoggedLine[], max: number): readonly LoggedDecision[] {
  const entries = collapse(newestFirst);
  let decisions = 0;
  const end = entries.findIndex((entry) => DECISIONS.has(entry.action) && (decisions += 1) > max);
  const shown = end === -1 ? entries : entries.slice(0, end);
  return shown.slice(0, max * STEPS_PER_DECISION);
}

function collapse(newestFirst: readonly LoggedLine[]): readonly LoggedDecision[] {
  const entries: LoggedDecision[] = [];
  for (const line of newestFirst) {
    const newer = entries.at(-1);
    if (newer === undefined || !isRepetition(newer, line)) {
      entries.push({ ...line, times: 1, since: line.createdAt });
    } else {
      entries[entries.length - 1] = { ...newer, times: newer.times + 1, since: line.createdAt };
    }
  }
  return entries;
}

/** Decisions that act are never grouped. */
function isRepetition(newer: LoggedLine, older: LoggedLine): boolean {
  return isRest(newer.action) && newer.action === older.action && newer.code === older.code;
}

function isRest(action: LogAction): boolean {
  return action === 'WAIT' || action === 'CLEANUP_ONLY' || action === 'DONE' || action === 'TERMINAL_FAILED';
}

import type { RunChange } from '../compose/compose-run.ts';
import { toInertName } from '../core/text/escape.ts';
import { toCountText } from '../core/text/words.ts';

const MAX_TITLE = 80;
const MAX_DETAIL = 200;

/** One line on stderr for what happens in a run; null: nothing to say. */
export function toProgressLine(change: RunChange): string | null {
  switch (change.kind) {
    case 'collecting':
      return `${change.stage}: looking for findings`;
    case 'collected': {
      const { stage, findings, ran, incomplete } = change;
      const lacking = incomplete.map((why) => `\n  not complete: ${toInertName(why, MAX_DETAIL)}`).join('');
      // What was not looked at may have findings.
      const known = incomplete.length === 0 ? '' : 'at least ';
      return `${stage}: ${ran === 0 ? 'nothing is known' : `${known}${toCountText(findings, 'finding')}`}${lacking}`;
    }
    case 'planned':
      return toCountText(change.newTasks, 'new task');
    case 'attempt_started':
      return `task ${String(change.task.id)}, attempt ${String(change.attemptNo)}: ${toInertName(change.task.title, MAX_TITLE)}`;
    case 'attempt_progress':
      return null;
    case 'attempt_ended': {
      const { task, attemptNo, cause, detail, settlement } = change.ended;
      const why = cause === null ? '' : `: ${cause}: ${toInertName(detail, MAX_DETAIL)}`;
      return `task ${String(task.id)}, attempt ${String(attemptNo)} ended, ${settlement.status}${why}`;
    }
    case 'stopped':
      return `nothing more is started: ${toInertName(change.why, MAX_DETAIL)}`;
  }
}

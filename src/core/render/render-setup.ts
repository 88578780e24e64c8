import type { SetupReport } from '../model/setup-report.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';

const MAX_COMMANDS = 10;
const MAX_NOTES = 10;
const MAX_NOTE_LENGTH = 400;

/** How the dependencies were prepared, as items of a list; none if there is nothing to say. */
export function renderSetup({ source, commands, isReused, notes }: SetupReport): readonly string[] {
  const shown = commands.slice(0, MAX_COMMANDS).map(toInlineCode).join(', ');
  const more = commands.length > MAX_COMMANDS ? ` and ${String(commands.length - MAX_COMMANDS)} more` : '';
  const from = source === 'policy' ? '`setup` of the policy' : 'found by the lockfiles';
  const reused = isReused ? '; what an earlier run prepared was used' : '';
  const first = source === 'none' ? [] : [`- Dependencies: ${shown}${more} (${from}${reused})`];
  return [...first, ...notes.slice(0, MAX_NOTES).map((note) => `- ${toPlainText(note, MAX_NOTE_LENGTH)}`)];
}

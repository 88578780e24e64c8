import { stripInvisible } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import type { CheckState, DoctorCheck } from './doctor-check.ts';

/** Colours a word by the state of its check. */
export type PaintState = (state: CheckState, text: string) => string;

const STATE_WIDTH = 4;

/** The checks as a table for people: one line each, and below it what to do. */
export function renderChecks(checks: readonly DoctorCheck[], paint: PaintState): string {
  const nameWidth = Math.max(0, ...checks.map(({ name }) => name.length));
  const margin = ' '.repeat(STATE_WIDTH + nameWidth + 4);
  const lines = checks.flatMap(({ name, state, detail, fix }) => [
    `${paint(state, state.padEnd(STATE_WIDTH))}  ${name.padEnd(nameWidth)}  ${toLine(detail)}`,
    ...(fix === '' ? [] : [`${margin}${toLine(fix)}`]),
  ]);
  return `${lines.join('\n')}\n\n${toSummary(checks)}\n`;
}

/** Details hold text of others: of GitHub, of programs, of files. */
function toLine(text: string): string {
  return stripInvisible(text).replaceAll(/\s*\n\s*/gu, ' ');
}

function toSummary(checks: readonly DoctorCheck[]): string {
  const count = (wanted: CheckState): number => checks.filter(({ state }) => state === wanted).length;
  const parts = [toCountText(count('fail'), 'failure'), toCountText(count('warn'), 'warning'), `${count('ok')} ok`];
  return parts.join(', ');
}

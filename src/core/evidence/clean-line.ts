import { stripInvisible } from '../text/escape.ts';
import { findHint, isFailureLine } from './recognise-line.ts';

const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B\n]*(?:\u0007|\u001B\\)?|[=>78@-Z\\-_])/gu;
const ANSI_AND_RETURNS = new RegExp(`${ANSI.source}|\\r(?=\\n)`, 'gu');
const TIMESTAMP = /^\uFEFF?2\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z ?/u;
/** Timestamps of this millennium begin so. */
const DIGIT_TWO = 0x32;
const BYTE_ORDER_MARK = 0xfeff;
/** `gh run view --log` puts job and step before each line. */
const JOB_AND_STEP = /^[^\t]{1,200}\t[^\t]{1,200}\t(?=\uFEFF?\d{4}-\d{2}-\d{2}T)/u;
/**
 * Anything but characters that are surely visible: ASCII, most of Latin, Greek and Cyrillic, arrows, marks, frames, and CJK. Without
 * `u`, which means the same here and takes four times as long.
 */
const SPECIAL =
  /[^\t\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u052F\u2010-\u2027\u2030-\u205E\u20A0-\u20BF\u2100-\u2BFF\u3040-\u30FF\u4E00-\u9FFF]/;
/** Marks of runners that say nothing, or name secrets. */
const HIDDEN =
  /^##\[(?:endgroup|debug|add-mask)\]|^::(?:debug|add-mask|endgroup)\b|^travis_(?:fold|time):|^section_(?:start|end):/u;

const MAX_LENGTH = 2000;
/** Of what stands behind the start of a long line. */
const MAX_PART = 1000;
const MAX_WORD = 200;
const MAX_OVERWRITTEN = 3;

/** A piece of a log, which ends with a line if it can, without colours and carriage returns at the ends of lines. */
export function stripColours(piece: string): string {
  if (piece.includes('\u001B')) return piece.replaceAll(ANSI_AND_RETURNS, '');
  return piece.includes('\r') ? piece.replaceAll('\r\n', '\n') : piece;
}

/** A line of a CI log without colours, timestamp and invisible characters; at most `maxLength` UTF-16 units are read. */
export function cleanLine(raw: string, maxLength: number): string {
  // A terminal shows only what follows the last carriage return of a progress bar.
  return toOverwrites(raw.slice(0, maxLength)).last;
}

/**
 * Calls `take` with the lines that a raw line shows: what was overwritten and names a failure, and then what is left at its end.
 */
export function showLine(raw: string, take: (line: string) => void): void {
  const line = stripStart(raw);
  if (!SPECIAL.test(line)) {
    takeShown(line.trimEnd(), take);
    return;
  }
  const { overwritten, last } = toOverwrites(raw);
  const failures = new Set(overwritten.filter(isFailureLine));
  for (const failure of [...failures].slice(0, MAX_OVERWRITTEN)) takeShown(failure, take);
  takeShown(last, take);
}

function takeShown(line: string, take: (line: string) => void): void {
  if (line.length > MAX_LENGTH) takeLong(line, take);
  else if (!HIDDEN.test(line)) take(line);
}

/** The start of a line that is too long, and as a line of its own what may name a failure behind it. */
function takeLong(line: string, take: (line: string) => void): void {
  take(`${line.slice(0, MAX_LENGTH).toWellFormed()}…`);
  const rest = line.slice(MAX_LENGTH);
  const at = findHint(rest);
  if (at === -1) return;
  const from = Math.max(rest.lastIndexOf(' ', at) + 1, at - MAX_WORD);
  take(rest.slice(from, from + MAX_PART).toWellFormed());
}

/** What a terminal showed in one line in turn: the parts between carriage returns that are not empty. */
function toOverwrites(raw: string): { readonly overwritten: readonly string[]; readonly last: string } {
  const line = raw.includes('\u001B') ? stripStart(raw.replaceAll(ANSI, '')) : stripStart(raw);
  if (!SPECIAL.test(line)) return { overwritten: [], last: line.trimEnd() };
  const parts = line.split('\r').map((part) => stripInvisible(part).trimEnd());
  const overwritten = parts.filter((part) => part !== '');
  const last = overwritten.pop() ?? '';
  return { overwritten, last };
}

function stripStart(raw: string): string {
  const line = raw.includes('\t') ? raw.replace(JOB_AND_STEP, '') : raw;
  const first = line.charCodeAt(0);
  return first === DIGIT_TWO || first === BYTE_ORDER_MARK ? line.replace(TIMESTAMP, '') : line;
}

import { stripInvisible } from '../text/escape.ts';
import { isFailureLine } from './recognise-line.ts';

const ANSI = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/gu;
const TIMESTAMP = /^\uFEFF?\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z ?/u;
/** `gh run view --log` puts job and step before each line. */
const JOB_AND_STEP = /^[^\t]{1,200}\t[^\t]{1,200}\t(?=\uFEFF?\d{4}-\d{2}-\d{2}T)/u;
/** Anything but printable ASCII and tabs. */
const SPECIAL = /[^\t\u0020-\u007E]/u;
/** Marks of runners that say nothing, or name secrets. */
const HIDDEN =
  /^##\[(?:endgroup|debug|add-mask)\]|^::(?:debug|add-mask|endgroup)\b|^travis_(?:fold|time):|^section_(?:start|end):/u;

const MAX_LENGTH = 2000;
const MAX_OVERWRITTEN = 3;

/** A line of a CI log without colours, timestamp and invisible characters; at most `maxLength` UTF-16 units are read. */
export function cleanLine(raw: string, maxLength: number): string {
  // A terminal shows only what follows the last carriage return of a progress bar.
  return toOverwrites(raw.slice(0, maxLength)).at(-1) ?? '';
}

/** The lines that a raw line shows: what is left at its end, and before it what was overwritten and names a failure. */
export function toShownLines(raw: string): readonly string[] {
  const parts = toOverwrites(raw);
  const last = parts.at(-1) ?? '';
  const shown = HIDDEN.test(last) ? [] : [cutLine(last)];
  if (parts.length === 1) return shown;
  const failures = new Set(parts.slice(0, -1).filter(isFailureLine).map(cutLine));
  return [...[...failures].slice(0, MAX_OVERWRITTEN), ...shown];
}

/** What a terminal showed in one line in turn: the parts between carriage returns that are not empty. */
function toOverwrites(raw: string): readonly string[] {
  const line = (raw.includes('\t') ? raw.replace(JOB_AND_STEP, '') : raw).replace(TIMESTAMP, '');
  if (!SPECIAL.test(line)) return [line.trimEnd()];
  const plain = line.includes('\u001B') ? line.replaceAll(ANSI, '').replace(TIMESTAMP, '') : line;
  const parts = plain.split('\r').map((part) => stripInvisible(part).trimEnd());
  const shown = parts.filter((part) => part !== '');
  return shown.length === 0 ? [''] : shown;
}

function cutLine(line: string): string {
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH).toWellFormed()}…` : line;
}

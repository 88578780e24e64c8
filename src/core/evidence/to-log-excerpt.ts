import { cutHead, toByteLength } from '../text/cut-bytes.ts';
import { cleanLine } from './clean-line.ts';

/** Only the end of a longer log is read, because failures are reported there. In UTF-16 code units. */
const MAX_READ_LENGTH = 8 * 1024 * 1024;
const MAX_READ_LINES = 50_000;
const MAX_LINE_LENGTH = 2000;
const LINES_BEFORE = 5;
const LINES_AFTER = 15;
const TAIL_LINES = 60;

const NOISE = /^##\[(?:group|endgroup|debug|add-mask|command)\]/u;
const FAILURE =
  /\b(?:error|errors|fail|failed|failing|failure|fatal|panic|exception|traceback|assert|assertion|assertionerror|segfault)\b|Error:|Exception\b|✖|✗|✘|×|❌|^not ok\b|##\[error\]|\bE {2,}\S/iu;

/**
 * The part of a CI log that shows why it failed, as plain text of at most `maxBytes` bytes: windows around the lines that mention
 * a failure, and the end. Colours, timestamps and group marks are removed, long lines cut, gaps marked. Time and memory are
 * bounded for a log of any size.
 */
export function toLogExcerpt(log: string, { maxBytes }: { readonly maxBytes: number }): string {
  const lines = toCleanLines(log.slice(Math.max(log.length - MAX_READ_LENGTH, findLastLines(log))));
  return fitLines(toWantedLines(lines), maxBytes);
}

/** Whether a line mentions a failure. Remove colours first: a colour code ends in a letter, which hides a word after it. */
export function isFailureLine(line: string): boolean {
  return FAILURE.test(line);
}

/** Index at which the last lines start. */
function findLastLines(log: string): number {
  let start = log.length;
  for (let count = 0; count < MAX_READ_LINES && start > 0; count += 1) start = log.lastIndexOf('\n', start - 1);
  return Math.max(0, start + 1);
}

function toCleanLines(log: string): readonly string[] {
  const lines: string[] = [];
  for (const raw of log.split(/\r?\n/u)) {
    const line = cleanLine(raw, MAX_LINE_LENGTH * 4);
    if (NOISE.test(line)) continue;
    lines.push(cutLine(line));
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function cutLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}…` : line;
}

/** The lines to show by index, most important first: the end, the first failure (often the cause), later ones, last first. */
function toWantedLines(lines: readonly string[]): ReadonlyMap<number, string> {
  const wanted = new Map<number, string>();
  addLines(wanted, lines, { from: lines.length - TAIL_LINES, to: lines.length });
  const failures = lines.flatMap((line, index) => (isFailureLine(line) ? [index] : []));
  const [first, ...later] = failures;
  for (const index of first === undefined ? [] : [first, ...later.reverse()]) {
    addLines(wanted, lines, { from: index - LINES_BEFORE, to: index + LINES_AFTER + 1 });
  }
  return wanted;
}

/** Adds lines last to first, so that a byte limit in the middle keeps the end. */
function addLines(
  wanted: Map<number, string>,
  lines: readonly string[],
  range: { readonly from: number; readonly to: number },
): void {
  const from = Math.max(0, range.from);
  const part = lines.slice(from, range.to).map((line, offset) => ({ index: from + offset, line }));
  for (const { index, line } of part.reverse()) wanted.set(index, line);
}

/** A gap takes a line of its own. Room for one is reserved with every line. */
const GAP_BYTES = 48;

function fitLines(wanted: ReadonlyMap<number, string>, maxBytes: number): string {
  const shown: (readonly [number, string])[] = [];
  let bytes = 0;
  for (const [index, line] of wanted) {
    bytes += toByteLength(line) + 1 + GAP_BYTES;
    if (bytes > maxBytes) break;
    shown.push([index, line]);
  }
  return cutHead(joinWithGaps(shown.sort(([a], [b]) => a - b)), maxBytes);
}

function joinWithGaps(shown: readonly (readonly [number, string])[]): string {
  const parts: string[] = [];
  let next = 0;
  for (const [index, line] of shown) {
    if (index > next) parts.push(`… ${index - next} lines left out …`);
    parts.push(line);
    next = index + 1;
  }
  return parts.join('\n');
}

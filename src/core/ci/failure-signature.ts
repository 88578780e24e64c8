import { isFailureLine } from '../evidence/recognise-line.ts';
import { type CiResult, compareText } from './latest-results.ts';
import type { FailedJob } from './looks-flaky.ts';
import { toShortHash } from './short-hash.ts';

/** The lines before one that mentions a failure belong to it: tools name the cause first, and a log ends with "exit code 1". */
const LINES_BEFORE = 3;
/** Per job. The first ones in text order are kept, so that the choice does not depend on the order of the log. */
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 300;

/**
 * Hash of a failure without what changes from run to run: equal for equal failures, in any order of jobs and lines. Times,
 * durations, addresses, hashes, temporary paths and line numbers (a fixup moves them) are removed; values stay, because another
 * value is another failure. A job that could not be read makes the signature unique, because nothing is known to be the same.
 * Jobs that fail alike count once: a job may run for the push, for the pull request, or for both. `unread` are jobs beyond the
 * reading limit.
 */
export function toFailureSignature(
  read: readonly Pick<FailedJob, 'check' | 'text'>[],
  unread: readonly CiResult[],
): string {
  const jobs = [
    ...read.map(({ check, text }) => [...toIdentity(check), ...toFailureLines(check, text)]),
    ...unread.map((check) => toIdentity(check)),
  ];
  const distinct = new Set(jobs.map((job) => JSON.stringify(job)));
  return toShortHash(JSON.stringify([...distinct].sort(compareText)));
}

function toIdentity({ name, conclusion }: CiResult): readonly string[] {
  return [name, conclusion ?? ''];
}

function toFailureLines(check: CiResult, text: string | null): readonly string[] {
  const lines = (text ?? '').split('\n');
  const failureLines = lines.filter((_line, index) => lines.slice(index, index + LINES_BEFORE + 1).some(isFailureLine));
  const normalised = new Set(failureLines.map(normaliseLine).filter((line) => line !== ''));
  if (normalised.size === 0) return [`nothing to read: ${check.id} ${check.startedAt ?? ''}`];
  return [...normalised].sort(compareText).slice(0, MAX_LINES);
}

/** The order matters: an earlier pattern must not leave half of a match to a later one. */
const NOISE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/gu, '<time>'],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/gu, '<time>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/giu, '<id>'],
  [/\b0x[0-9a-f]+\b/giu, '<address>'],
  [
    /(?:\/tmp|\/var\/folders|\/private\/var|\/home\/runner\/work\/_temp|\b[A-Z]:\\\S*?\\Temp)(?:[\\/][^\s:'"()]*)?/gu,
    '<temp>',
  ],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/giu, '<hash>'],
  [/(?<=\.[A-Za-z]{1,6}):\d+(?::\d+)?/gu, ':<place>'],
  [/(?<=\.[A-Za-z]{1,6})\(\d+,\d+\)/gu, '(<place>)'],
  [/\bline \d+/giu, 'line <place>'],
  [/(?<=[A-Za-z\d]):\d{4,5}\b/gu, ':<port>'],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|min|minutes?)\b/giu, '<duration>'],
  [/\bduration\w*\W{1,3}\d+(?:\.\d+)?/giu, '<duration>'],
  [/\s+/gu, ' '],
];

/** The first 300 characters of a line, without what changes from run to run. */
export function normaliseLine(line: string): string {
  let text = line.slice(0, MAX_LINE_LENGTH);
  for (const [pattern, replacement] of NOISE) text = text.replaceAll(pattern, replacement);
  return text.trim();
}

import { cutHead, toByteLength } from '../text/cut-bytes.ts';
import { chooseLines, joinLines } from './choose-lines.ts';
import { toNamesLine } from './name-files.ts';
import { rankLines } from './rank-lines.ts';
import { type LogDigest, readLog } from './read-log.ts';
import { findRepeatedFailures, toLater, toRepeatedBytes, toRepeatedLines } from './repeated-failures.ts';
import type { ResolvePath } from './resolve-path.ts';

const MAX_NAMES_BYTES = 1024;

/** Limits of an excerpt. */
export interface ExcerptOptions {
  readonly maxBytes: number;
  /** What the caller adds to each line. It counts as well. */
  readonly bytesPerLine?: number;
  /** Finds the tracked path that a name in a log means. Without it, any name of a file may be shown as near a failure. */
  readonly resolve?: ResolvePath | null;
}

/**
 * The part of a CI log that shows why it failed, as plain text of at most `maxBytes` bytes. A log that fits is shown whole. Otherwise
 * its end, what ran, each distinct failure, and what is around them; gaps are marked. Of places or tests with the same message,
 * most are only named. Colours, timestamps and marks of runners are removed, long lines cut. Secrets are not redacted.
 */
export function toLogExcerpt(log: string, options: ExcerptOptions): string {
  return toExcerpt(readLog(log, options.maxBytes), options);
}

/** The excerpt of a log that was read for an excerpt of at least that size. */
export function toExcerpt(digest: LogDigest, { maxBytes, bytesPerLine = 0, resolve = null }: ExcerptOptions): string {
  const { tail, names } = digest;
  if ((tail[0]?.index ?? 0) === 0) {
    const whole = joinLines(tail);
    if (toByteLength(whole) + tail.length * bytesPerLine <= maxBytes) return whole;
  }
  const namesRoom = names.length === 0 ? 0 : Math.min(MAX_NAMES_BYTES, Math.floor(maxBytes / 8));
  const repeated = findRepeatedFailures(digest.failures, maxBytes / 2);
  const repeatedRoom = Math.min(Math.floor(maxBytes / 4), toRepeatedBytes(repeated, resolve));
  const room = { maxBytes: maxBytes - namesRoom - repeatedRoom, bytesPerLine };
  const lines = chooseLines(rankLines(digest, { maxBytes, later: toLater(repeated) }), room);
  const others = toRepeatedLines(repeated, lines, { maxBytes: repeatedRoom, bytesPerLine, resolve });
  const text = [joinLines(lines), ...others].join('\n');
  const named = toNamesLine(names, text, { maxBytes: namesRoom - bytesPerLine - 1, resolve });
  return cutHead(named === '' ? text : `${text}\n${named}`, maxBytes);
}

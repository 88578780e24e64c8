import { toByteLength } from '../text/cut-bytes.ts';
import type { KeptLine } from './choose-lines.ts';
import type { FailureGroup } from './log-failure.ts';
import type { ResolvePath } from './resolve-path.ts';

/** Places or tests with the same kind of message, such as a missing import everywhere, or a server that does not start. */
export interface RepeatedFailures {
  /** What is wrong in the first of them. */
  readonly message: string;
  readonly failures: readonly Repeated[];
}

interface Repeated {
  readonly group: FailureGroup;
  /** The path of a place, the name of a test. */
  readonly name: string;
}

/** So many of them are shown by their lines, and the others by their names. */
const SHOWN_FAILURES = 8;
const MAX_MESSAGE_LENGTH = 100;
/** So many words tell one message from another. */
const MAX_WORDS = 12;
const MIN_WORDS = 3;
/** More than the text around message and places. In bytes. */
const LABEL_BYTES = 40;

/**
 * Groups that have more failures than are shown, the one with the most first; none if the lines of all of them take at most
 * `maxBytes`.
 */
export function findRepeatedFailures(groups: readonly FailureGroup[], maxBytes: number): readonly RepeatedFailures[] {
  const failures = groups.flatMap((group): readonly Repeated[] => {
    const name = toKnownName(group);
    return name === null ? [] : [{ group, name }];
  });
  const bytes = failures.reduce((sum, { name, group }) => sum + toByteLength(`${name}${group.failure.message}`), 0);
  if (bytes <= maxBytes) return [];
  return [...Map.groupBy(failures, toMessageKey)]
    .filter(([, same]) => same.length > SHOWN_FAILURES)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([, same]) => ({ message: toMessages(same).join(''), failures: same }));
}

/** The path of a place, or the name of a test that says why it failed. */
function toKnownName({ failure: { kind, path, testId, message } }: FailureGroup): string | null {
  if (kind === 'place') return path;
  return kind === 'test' && testId !== null && !message.includes(testId) ? testId : null;
}

/** The message of the first one. */
function toMessages(failures: readonly Repeated[]): readonly string[] {
  return failures
    .slice(0, 1)
    .map(({ group: { failure } }) => failure.message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed());
}

/** Those whose lines are worth less, because their names are shown. */
export function toLater(repeated: readonly RepeatedFailures[]): ReadonlySet<FailureGroup> {
  return new Set(repeated.flatMap(({ failures }) => failures.slice(SHOWN_FAILURES).map(({ group }) => group)));
}

/**
 * The words of a message without what differs by file: names in the spelling of code, quoted texts and numbers. Few words say too
 * little of a test: its message is mostly values, and only an equal one says the same.
 */
function toMessageKey({ group: { failure } }: Repeated): string {
  const all = failure.message.split(/\s+/u);
  const words = all.filter((word) => /^[a-z]+[,:;.]?$/u.test(word)).slice(0, MAX_WORDS);
  const start = words.length < MIN_WORDS ? failure.message : all[0];
  return JSON.stringify([failure.kind === 'test' ? start : null, failure.tool, failure.rule, words]);
}

/** The bytes that the lines of these failures may take. */
export function toRepeatedBytes(repeated: readonly RepeatedFailures[], resolve: ResolvePath | null): number {
  return repeated
    .map(({ message, failures }) =>
      failures.reduce((sum, failure) => sum + toCost(toShownName(failure, resolve)), toCost(message)),
    )
    .reduce((sum, bytes) => sum + LABEL_BYTES + bytes, 0);
}

/** A text and the separator behind it. */
function toCost(text: string): number {
  return toByteLength(text) + ', '.length;
}

/** What the names may be, and the bytes for them. */
export interface RepeatedLimit {
  readonly maxBytes: number;
  readonly bytesPerLine: number;
  readonly resolve: ResolvePath | null;
}

/** A line for each group, with the failures that none of the lines names. */
export function toRepeatedLines(
  repeated: readonly RepeatedFailures[],
  lines: readonly KeptLine[],
  { maxBytes, bytesPerLine, resolve }: RepeatedLimit,
): readonly string[] {
  const shown = new Map(lines.map(({ index, text }) => [index, text]));
  let left = maxBytes;
  return repeated.flatMap(({ message, failures }) => {
    left -= LABEL_BYTES + bytesPerLine + toCost(message);
    const names = new Set<string>();
    for (const one of failures) {
      const name = toShownName(one, resolve);
      const isShown = shown.get(one.group.failure.from)?.includes(toBase(one)) === true;
      if (isShown || names.has(name)) continue;
      left -= toCost(name);
      if (left < 0) break;
      names.add(name);
    }
    if (names.size === 0) return [];
    const label =
      failures[0]?.group.failure.kind === 'test' ? 'Failed tests with a message like' : 'Also in other files,';
    return [`${label} "${message}": ${[...names].join(', ')}`];
  });
}

function toShownName(repeated: Repeated, resolve: ResolvePath | null): string {
  const { kind, line } = repeated.group.failure;
  if (kind === 'test') return repeated.name;
  const name = resolve?.(repeated.name) ?? toBase(repeated);
  return line === null ? name : `${name}:${line}`;
}

/** What a line has that names it. */
function toBase({ name, group }: Repeated): string {
  return group.failure.kind === 'test' ? name : name.slice(name.lastIndexOf('/') + 1);
}

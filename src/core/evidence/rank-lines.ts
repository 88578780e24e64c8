import { toByteLength } from '../text/cut-bytes.ts';
import type { KeptLine } from './choose-lines.ts';
import { isForeign } from './foreign-code.ts';
import { findToldTest } from './group-failures.ts';
import type { FailureGroup } from './log-failure.ts';
import type { LogDigest } from './read-log.ts';
import type { LogStep } from './read-steps.ts';

const SMALL_TAIL = 12;
const LARGE_TAIL = 60;
/** What a failed step printed before it ended. */
const STEP_LINES = 15;
const SILENT_STEPS = 3;
const TOLD_LINES = 24;
const STRONG = ['test', 'place', 'exception', 'exit'] as const;

/**
 * The lines of a log, the most important first, some of them more than once. `later` are failures whose names are shown apart, so that
 * their lines are worth less.
 */
export function* rankLines(
  digest: LogDigest,
  { maxBytes, later }: { readonly maxBytes: number; readonly later: ReadonlySet<FailureGroup> },
): Generator<KeptLine> {
  const { tail, steps } = digest;
  const show = createShow(digest);
  const { strong, weak, mild, outside } = sortFailures(digest, later);
  // Tests that pass print exceptions, so these alone are worth less.
  const tests = strong.filter(({ failure: { kind } }) => kind === 'test');
  yield* toSmallTail(tail, maxBytes);
  yield* rankSteps(digest, show);
  yield* toWhole(show, tests, maxBytes);
  for (const { lines } of firstOfEachPath(strong)) yield* show(lines);
  for (const group of strong) yield* show(toNear(group));
  for (const step of steps.toReversed()) yield* show(toLast(step));
  for (const { lines } of later) yield* show(lines);
  for (const group of tests) yield* show(toTold(group));
  // Where nothing else failed, the warnings did it.
  const [likely, others] = strong.some(({ failure }) => failure.kind !== 'exit') ? [weak, mild] : [mild, weak];
  for (const { failure } of likely) yield* show(toRange(failure.from - 1, failure.from + 3));
  yield* tail.slice(-LARGE_TAIL).toReversed();
  for (const { failure } of strong) yield* show(toRange(failure.from - 5, failure.to + 16));
  for (const { failure } of [...likely, ...others]) yield* show(toRange(failure.from - 2, failure.from + 6));
  yield* show(outside.map(({ failure }) => failure.from));
  yield* tail.toReversed();
}

/** What ran, and what it says first. */
function* rankSteps(digest: LogDigest, show: Show): Generator<KeptLine> {
  yield* show(digest.steps.flatMap(({ from, exit }) => [from, exit]));
  for (const first of toFirstOfSteps(digest)) yield* show(toNear(first));
  for (const step of toSilentSteps(digest)) yield* show(toLast(step));
}

interface SortedFailures {
  readonly strong: readonly FailureGroup[];
  /** Only words, without a place. */
  readonly weak: readonly FailureGroup[];
  /** Warnings. */
  readonly mild: readonly FailureGroup[];
  /** Words and warnings of steps that did not fail. */
  readonly outside: readonly FailureGroup[];
}

function sortFailures({ failures, steps }: LogDigest, later: ReadonlySet<FailureGroup>): SortedFailures {
  const isInside = ({ failure: { from } }: FailureGroup): boolean =>
    steps.length === 0 || steps.some((step) => from > step.from && from < step.exit);
  const sorted = STRONG.flatMap((kind) => order(failures.filter(({ failure }) => failure.kind === kind)));
  const strong = sorted.filter((group) => !later.has(group));
  const mentions = order(failures.filter(({ failure }) => failure.kind === 'mention'));
  const inside = mentions.filter(isInside);
  return {
    strong: [...strong.filter(isInside), ...strong.filter((group) => !isInside(group))],
    weak: inside.filter(({ failure }) => failure.path === null),
    mild: inside.filter(({ failure }) => failure.path !== null),
    outside: mentions.filter((group) => !isInside(group)),
  };
}

type Show = (indexes: Iterable<number>) => Generator<KeptLine>;

function createShow({ tail, kept }: LogDigest): Show {
  const last = new Map(tail.map(({ index, text }) => [index, text]));
  return function* show(indexes) {
    for (const index of indexes) {
      const text = kept.get(index) ?? last.get(index);
      if (text !== undefined) yield { index, text };
    }
  };
}

/** Long lines at the end must not take all of the room. */
function* toSmallTail(tail: readonly KeptLine[], maxBytes: number): Generator<KeptLine> {
  let bytes = 0;
  for (const line of tail.slice(-SMALL_TAIL).toReversed()) {
    bytes += toByteLength(line.text);
    if (bytes > maxBytes / 8) return;
    yield line;
  }
}

/** One failed test with all that it says: the first one that says more than its name. */
function* toWhole(show: Show, tests: readonly FailureGroup[], maxBytes: number): Generator<KeptLine> {
  const told = findToldTest(tests);
  if (told === null) return;
  let bytes = 0;
  for (const line of show(toRange(told.from, told.to))) {
    bytes += toByteLength(line.text);
    if (bytes > maxBytes / 4) return;
    yield line;
  }
}

/** The first failure of each step that failed, which often causes the others. */
function toFirstOfSteps({ steps, failures }: LogDigest): readonly FailureGroup[] {
  return steps.flatMap(({ from, exit }) => {
    const isInside = ({ failure }: FailureGroup): boolean => failure.from > from && failure.from < exit;
    const first = failures.find((group) => isInside(group) && group.failure.kind !== 'mention');
    return first === undefined ? [] : [first];
  });
}

/** The last steps whose output names no failure. What they printed last says why they ended. A retry names what was named before. */
function toSilentSteps({ steps, failures }: LogDigest): readonly LogStep[] {
  const sure = failures.filter(({ failure }) => failure.kind !== 'mention' && failure.kind !== 'exit');
  const isSilent = ({ from, exit }: LogStep): boolean =>
    sure.every(({ failure, lastFrom }) => failure.from >= exit || lastFrom <= from);
  return steps.filter(isSilent).slice(-SILENT_STEPS);
}

/** What a step printed last. */
function toLast({ from, exit }: LogStep): Generator<number> {
  return toRange(Math.max(from, exit - STEP_LINES), exit);
}

/** The first failure of each file, and then the others. */
function firstOfEachPath(groups: readonly FailureGroup[]): readonly FailureGroup[] {
  const seen = new Set<string>();
  const others: FailureGroup[] = [];
  const firsts = groups.filter((group) => {
    const { path } = group.failure;
    const isFirst = path === null || !seen.has(path);
    if (path !== null) seen.add(path);
    if (!isFirst) others.push(group);
    return isFirst;
  });
  return [...firsts, ...others];
}

function* toNear({ failure: { kind, from, to }, frames }: FailureGroup): Generator<number> {
  yield from;
  if (kind === 'place') return;
  yield* toRange(from - 2, from);
  yield* toRange(from + 1, Math.min(to, from + 8));
  yield* toRange(to, from + 4);
  yield* frames;
}

/** What a test says, and what is around it. Most of a long one are frames. */
function* toTold({ failure: { from, to } }: FailureGroup): Generator<number> {
  yield* toRange(from - 5, Math.min(to, from + TOLD_LINES));
  yield* toRange(to, to + 16);
}

function* toRange(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index += 1) yield index;
}

/** Failures in code of the repository before those in code of others, each from the ends inwards. */
function order(groups: readonly FailureGroup[]): readonly FailureGroup[] {
  const { true: others = [], false: own = [] } = Object.groupBy(groups, ({ failure: { path } }) =>
    path !== null && isForeign(path) ? 'true' : 'false',
  );
  return [...alternate(own), ...alternate(others)];
}

/** Last, last, first, and so on inwards: the end shows what stopped the build, and the start its cause. */
function alternate(groups: readonly FailureGroup[]): readonly FailureGroup[] {
  const turns = groups.map((group, index) => {
    const fromEnd = groups.length - 1 - index;
    // Of three turns, two take from the end and the third from the start.
    return { group, turn: Math.min(fromEnd + Math.floor(fromEnd / 2), 3 * index + 2) };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ group }) => group);
}

import { toByteLength } from '../text/cut-bytes.ts';
import type { KeptLine } from './choose-lines.ts';
import type { FailureGroup, LogFailure } from './log-failure.ts';
import type { LogDigest } from './read-log.ts';

const SMALL_TAIL = 12;
const LARGE_TAIL = 60;
/** What a failed step printed before it ended. */
const STEP_LINES = 15;

/** The lines of a log, the most important first, some of them more than once. */
export function* rankLines(digest: LogDigest, maxBytes: number): Generator<KeptLine> {
  const { tail, steps } = digest;
  const show = createShow(digest);
  const strong = (['test', 'place', 'exception', 'exit'] as const).flatMap((kind) => ofKind(digest, kind));
  const weak = ofKind(digest, 'mention');
  yield* toSmallTail(tail, maxBytes);
  for (const { from, exit } of steps) yield* show([from, exit]);
  for (const failure of strong) yield* show(toNear(failure));
  for (const { from, exit } of steps.toReversed()) yield* show(toRange(Math.max(from, exit - STEP_LINES), exit));
  for (const { from } of weak) yield* show([from, from - 1, from + 1, from + 2]);
  yield* tail.slice(-LARGE_TAIL).toReversed();
  for (const { from, to } of [...strong, ...weak]) yield* show(toRange(from - 5, to + 16));
  yield* tail.toReversed();
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

function* toNear({ kind, from, to }: LogFailure): Generator<number> {
  yield from;
  if (kind === 'place') return;
  yield* toRange(from - 2, from);
  yield* toRange(from + 1, Math.min(to, from + 8));
  yield* toRange(to, from + 4);
}

function* toRange(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index += 1) yield index;
}

function ofKind({ failures }: LogDigest, kind: LogFailure['kind']): readonly LogFailure[] {
  return alternate(failures.filter(({ failure }) => failure.kind === kind));
}

/** Last, last, first, and so on inwards: the end shows what stopped the build, and the start its cause. */
function alternate(groups: readonly FailureGroup[]): readonly LogFailure[] {
  const ordered: LogFailure[] = [];
  const left = groups.map(({ failure }) => failure);
  for (let turn = 0; left.length > 0; turn += 1) {
    const next = turn % 3 === 2 ? left.shift() : left.pop();
    if (next !== undefined) ordered.push(next);
  }
  return ordered;
}

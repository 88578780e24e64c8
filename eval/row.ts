import type { Repository } from './data/open-repository.ts';

/** One line of the output. Numbers are percentages with one decimal, unless `unit` says otherwise. */
export interface EvalLine {
  readonly row: string;
  /** The data set, and the part of it that the line is about. */
  readonly data: string;
  /** Null if the row could not be measured. */
  readonly ours: number | null;
  /** By name, such as `tail`; null without a peer. */
  readonly peer: Readonly<Record<string, number>> | null;
  /** Number of cases. */
  readonly n: number;
  readonly goal: string | null;
  /** Null without a goal, and where nothing was measured. */
  readonly met: boolean | null;
  readonly unit: string;
}

/** A case that speaks against us. */
export interface Miss {
  /** Why, in a few words: misses are counted by it. */
  readonly kind: string;
  readonly item: string;
  /** One line of text from the case. */
  readonly text: string;
}

export interface Measurement {
  readonly lines: readonly EvalLine[];
  readonly misses: readonly Miss[];
  /** What readers must know, such as items that the clone lacks. */
  readonly notes: readonly string[];
}

export interface EvalContext {
  /** Opens a clone by `owner/name`. Throws a NotMeasuredError if the data folder has none. */
  readonly open: (repository: string) => Promise<Repository>;
  /** The items that this run is about: `part`, and of them `sample`. */
  readonly select: <Item>(items: readonly Item[]) => readonly Item[];
  /** The chosen part of a data set. The input must be in the order of names: every fifth is kept back by its index. */
  readonly part: <Item>(items: readonly Item[]) => readonly Item[];
  /** Every nth item for a quick run. */
  readonly sample: <Item>(items: readonly Item[]) => readonly Item[];
}

/** One row of the evaluation. */
export interface EvalRow {
  readonly name: string;
  /** What it measures, in one sentence. */
  readonly about: string;
  /** @throws NotMeasuredError if its data is missing or does not suffice. */
  readonly measure: (context: EvalContext) => Promise<Measurement>;
}

/** A row has no data to measure. */
export class NotMeasuredError extends Error {
  readonly code = 'NOT_MEASURED';

  constructor(why: string) {
    super(why);
    this.name = 'NotMeasuredError';
  }
}

/** A goal: at least or at most so much, or at least as much as the best of the peers. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly asGoodAs: string };

interface LineInput {
  readonly row: string;
  readonly data: string;
  readonly ours: number;
  readonly n: number;
  readonly peer?: Readonly<Record<string, number>>;
  readonly goal?: Goal;
  readonly unit?: string;
}

/** A line whose goal is judged. @throws NotMeasuredError without a single case: nothing was measured then. */
export function toLine({ row, data, ours, n, peer, goal, unit = '%' }: LineInput): EvalLine {
  if (n === 0) throw new NotMeasuredError(`${data}: no case`);
  const verdict = goal === undefined ? { goal: null, met: null } : judge(ours, goal, peer ?? {});
  return { ...{ row, data, ours: round(ours), n, unit }, peer: peer === undefined ? null : roundAll(peer), ...verdict };
}

function judge(ours: number, goal: Goal, peer: Readonly<Record<string, number>>): Pick<EvalLine, 'goal' | 'met'> {
  if ('atLeast' in goal) return { goal: `>= ${goal.atLeast}`, met: ours >= goal.atLeast };
  if ('atMost' in goal) return { goal: `<= ${goal.atMost}`, met: ours <= goal.atMost };
  return { goal: `>= ${goal.asGoodAs}`, met: ours >= (peer[goal.asGoodAs] ?? Number.POSITIVE_INFINITY) };
}

/** `part` of `all` in percent. */
export function toPercent(part: number, all: number): number {
  return (100 * part) / all;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function roundAll(values: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value)]));
}

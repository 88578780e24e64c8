import { setTimeout as sleep } from 'node:timers/promises';
import { assertNever } from '../src/core/model/errors.ts';
import { watchForeignCpu } from './cpu.ts';
import type { Metric, OpenRow, Row, Sample, Turn } from './row.ts';

/** How many turns to take, and which to keep. */
export interface Effort {
  readonly turns: number;
  /** A turn is dropped if others used a larger share of the machine's CPU. */
  readonly maxForeignCpu: number;
  /** Longest wait for a quiet machine before a turn is taken anyway. */
  readonly maxQuietWaitMs: number;
  /** Whether an extra turn is taken first and not counted. */
  readonly warmsUp: boolean;
}

/** The kept turns, and the number of dropped ones. */
export interface Turns {
  readonly kept: readonly Turn[];
  readonly skipped: number;
}

/** One JSON line of the output. */
export interface ResultLine {
  readonly row: number;
  readonly name: string;
  readonly peer: string | null;
  readonly ratioMedian: number | null;
  readonly ratioRange: readonly [number, number] | null;
  readonly target: string | null;
  readonly met: boolean | null;
  readonly runs: number;
  readonly skippedRuns: number;
  readonly cpuUsPerOp: { readonly ours: number | null; readonly peer: number | null };
  /** Unit of the medians `ours` and `theirs`. The absolute values are comparable within this run only. */
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number | null;
}

const QUIET_CPU = 0.05;
const QUIET_LOOK_MS = 500;
/** Turns per requested turn, before the machine counts as too busy. */
const MAX_TRIES = 4;

/** A measurement failed because of the machine or of one side. */
export class NotMeasuredError extends Error {
  readonly code = 'NOT_MEASURED';

  constructor(why: string) {
    super(why);
    this.name = 'NotMeasuredError';
  }
}

/**
 * Takes turns until enough of them ran on a quiet machine. The warm-up turn never counts.
 * @throws NotMeasuredError if the machine does not become quiet.
 */
export async function takeTurns(open: OpenRow, effort: Effort, report: (text: string) => void): Promise<Turns> {
  const kept: Turn[] = [];
  let skipped = 0;
  if (effort.warmsUp) await open.takeTurn(0);
  for (let index = 1; kept.length < effort.turns; index += 1) {
    if (index > effort.turns * MAX_TRIES) {
      throw new NotMeasuredError(`only ${kept.length} of ${effort.turns} runs had the machine to themselves`);
    }
    await waitForQuiet(effort);
    const foreignCpu = watchForeignCpu();
    const turn = await open.takeTurn(index);
    const share = foreignCpu();
    const isQuiet = share <= effort.maxForeignCpu;
    if (isQuiet) kept.push(turn);
    else skipped += 1;
    report(`  run ${index}: ${renderTurn(turn)}; foreign CPU ${toPercent(share)}${isQuiet ? '' : ', dropped'}`);
  }
  return { kept, skipped };
}

async function waitForQuiet({ maxQuietWaitMs, maxForeignCpu }: Effort): Promise<void> {
  const until = performance.now() + maxQuietWaitMs;
  while (performance.now() < until) {
    const foreignCpu = watchForeignCpu();
    await sleep(QUIET_LOOK_MS);
    if (foreignCpu() <= Math.max(QUIET_CPU, maxForeignCpu / 2)) return;
  }
}

function renderTurn(turn: Turn): string {
  return Object.entries(turn)
    .map(([name, { wallMs }]) => `${name} ${wallMs.toFixed(0)} ms`)
    .join(', ');
}

function toPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Computes one metric over the kept turns. */
export function toResultLine(row: Row, metric: Metric, { kept, skipped }: Turns): ResultLine {
  const ours = kept.map((turn) => sideOf(turn, metric.ours));
  const base = { row: row.number, name: metric.name, runs: kept.length, skippedRuns: skipped };
  if (metric.kind === 'duration' || metric.kind === 'amount') {
    const isTime = metric.kind === 'duration';
    return {
      ...{ ...base, peer: null, ratioMedian: null, ratioRange: null, target: null, met: null },
      ...{ cpuUsPerOp: { ours: cpuPerOperation(ours), peer: null }, unit: isTime ? 'ms' : metric.unit, theirs: null },
      ours: round(median(ours.map(isTime ? toDurationMs : ({ operations }) => operations))),
    };
  }
  const theirs = kept.map((turn) => sideOf(turn, metric.peer.side));
  if (metric.kind === 'added') {
    const added = ours.map((sample, index) => toDurationMs(sample) - toDurationMs(theirs[index] ?? sample));
    return {
      ...{ ...base, peer: metric.peer.name, ratioMedian: null, ratioRange: null },
      target: `<= ${metric.targetMs} ms more`,
      met: median(added) <= metric.targetMs,
      cpuUsPerOp: { ours: cpuPerOperation(ours), peer: cpuPerOperation(theirs) },
      unit: 'ms',
      ours: round(median(ours.map(toDurationMs))),
      theirs: round(median(theirs.map(toDurationMs))),
    };
  }
  const { toValue, unit } = toScale(metric);
  const ratios = ours.map((sample, index) => toValue(sample) / toValue(theirs[index] ?? sample));
  const ratio = median(ratios);
  return {
    ...base,
    peer: metric.peer.name,
    ratioMedian: round(ratio),
    ratioRange: [round(Math.min(...ratios)), round(Math.max(...ratios))],
    target: `${metric.kind === 'rate' ? '>=' : '<='} ${metric.target}`,
    met: metric.kind === 'rate' ? ratio >= metric.target : ratio <= metric.target,
    cpuUsPerOp: { ours: cpuPerOperation(ours), peer: cpuPerOperation(theirs) },
    unit,
    ours: round(median(ours.map(toValue))),
    theirs: round(median(theirs.map(toValue))),
  };
}

function sideOf(turn: Turn, side: string): Sample {
  const sample = turn[side];
  if (sample === undefined) throw new NotMeasuredError(`a run has no side "${side}"`);
  return sample;
}

function toScale(metric: Exclude<Metric, { readonly kind: 'duration' | 'amount' | 'added' }>): {
  readonly toValue: (sample: Sample) => number;
  readonly unit: string;
} {
  switch (metric.kind) {
    case 'rate':
      return { toValue: toRate, unit: '1/s' };
    case 'time':
      return { toValue: toDurationMs, unit: 'ms' };
    case 'count':
      return { toValue: ({ operations }) => operations, unit: metric.unit };
    default:
      return assertNever(metric);
  }
}

function toRate({ operations, wallMs }: Sample): number {
  return operations / (wallMs / 1000);
}

function toDurationMs({ operations, wallMs }: Sample): number {
  return wallMs / operations;
}

function cpuPerOperation(samples: readonly Sample[]): number | null {
  const costs = samples.flatMap(({ cpuUs, operations }) => (cpuUs === null ? [] : [cpuUs / operations]));
  return costs.length === 0 ? null : Math.round(median(costs));
}

/** The median. For an even count, the mean of the two middle values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

import type { StepCause, StepResult } from '../model/plan-run.ts';
import type { StructuredStep } from '../model/structured-plan.ts';
import { findSkipCause } from './find-skip-cause.ts';
import { closeOne, type StepNode, toGraph } from './step-graph.ts';

/** A step and how it ended. */
export interface EndedStep {
  readonly key: string;
  readonly result: StepResult;
}

/** Which steps of a plan are ready, taken and ended. A call takes time for the steps that it changes, not for the whole plan. */
export interface PlanTracker {
  /**
   * The ready step that stands first in the plan. It is the caller's to start and to end. null: none is ready now. A step waits for
   * the steps that it follows, not for the rest of the batch before its own.
   */
  readonly takeNext: () => StructuredStep | null;
  /** Records the end of a step that was taken, once. Returns it, and the steps that are skipped because of it. */
  readonly end: (key: string, result: StepResult) => readonly EndedStep[];
  /** Skips every step that was not taken. */
  readonly skipRest: (cause: StepCause) => readonly EndedStep[];
  /** By key, in the order of the ends. */
  readonly results: ReadonlyMap<string, StepResult>;
}

type Node = StepNode<StructuredStep>;

/** Tracks a plan without errors. `kept`: the ends of steps that stay as an earlier process left them. */
export function trackPlan(
  steps: readonly StructuredStep[],
  kept: ReadonlyMap<string, StepResult> = new Map(),
): PlanTracker {
  const nodes = toGraph(steps);
  const results = new Map<string, StepResult>();
  const running = new Map<string, Node>();
  /** Neither ready nor taken nor ended. */
  const waiting = new Set(nodes.filter(({ key }) => !kept.has(key)));
  const ready: Node[] = [...waiting].filter(({ open }) => open === 0);
  for (const node of ready) waiting.delete(node);
  let nextReady = 0;

  /** Ends steps, and those that cannot start because of them. A loop, since a chain may be as long as the plan. */
  function endAll(first: readonly (readonly [Node, StepResult])[]): readonly EndedStep[] {
    const ends = [...first];
    for (const [{ key, followers }, result] of ends) {
      results.set(key, result);
      for (const follower of followers) {
        if (!closeOne(follower) || !waiting.delete(follower)) continue;
        const cause = findSkipCause(follower.step, results);
        if (cause === null) ready.splice(findPlace(ready, nextReady, follower), 0, follower);
        else ends.push([follower, toSkipped(cause)]);
      }
    }
    return ends.map(([{ key }, result]) => ({ key, result }));
  }

  endAll(
    nodes.flatMap((node) => {
      const result = kept.get(node.key);
      return result === undefined ? [] : [[node, result] as const];
    }),
  );

  return {
    takeNext: () => {
      const next = ready[nextReady];
      if (next === undefined) return null;
      nextReady += 1;
      running.set(next.key, next);
      return next.step;
    },
    end: (key, result) => {
      const node = running.get(key);
      if (node === undefined) return [];
      running.delete(key);
      return endAll([[node, result]]);
    },
    skipRest: (cause) => {
      const rest = [...ready.slice(nextReady), ...waiting].toSorted((a, b) => a.index - b.index);
      nextReady = ready.length;
      waiting.clear();
      return endAll(rest.map((node) => [node, toSkipped(cause)]));
    },
    results,
  };
}

/** Where a step goes among those that are ready, which stand in the order of the plan from `start` on. */
function findPlace(ready: readonly Node[], start: number, { index }: Node): number {
  let [low, high] = [start, ready.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(ready[middle]?.index) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The end of a step that never started. */
export function toSkipped(cause: StepCause): StepResult {
  return { state: 'skipped', cause, attempts: 0, costUsd: 0, durationMs: 0, output: '' };
}

/** Those of some steps, by key. */
export function pickResults(
  results: ReadonlyMap<string, StepResult>,
  keys: ReadonlySet<string>,
): ReadonlyMap<string, StepResult> {
  return new Map(
    [...keys].flatMap((key) => {
      const result = results.get(key);
      return result === undefined ? [] : [[key, result] as const];
    }),
  );
}

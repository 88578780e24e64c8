import type { StructuredStep } from '../model/structured-plan.ts';
import { toPredecessors, toStepKey } from './step-key.ts';

/**
 * The steps in topological batches by Kahn's algorithm (004.R6): each batch needs only the ones before it, and a step stands in the
 * first possible batch. Steps keep the plan's order in their batch. `rest`: the steps in a cycle, or behind one. Ids must be unique.
 */
export function toBatches<Step extends Pick<StructuredStep, 'step_id' | 'depends_on' | 'when'>>(
  steps: readonly Step[],
): { readonly batches: readonly (readonly Step[])[]; readonly rest: readonly Step[] } {
  const nodes = toNodes(steps);
  const batches: (readonly Step[])[] = [];
  let batch: readonly Node<Step>[] = nodes.filter(({ open }) => open === 0);
  while (batch.length > 0) {
    batches.push(batch.map(({ step }) => step));
    batch = batch
      .flatMap(({ followers }) => followers)
      .filter(closeOne)
      .toSorted((a, b) => a.index - b.index);
  }
  return { batches, rest: nodes.filter(({ open }) => open > 0).map(({ step }) => step) };
}

interface Node<Step> {
  readonly step: Step;
  readonly index: number;
  readonly followers: Node<Step>[];
  /** The number of predecessors that are in no batch yet. */
  open: number;
}

function toNodes<Step extends Pick<StructuredStep, 'step_id' | 'depends_on' | 'when'>>(
  steps: readonly Step[],
): readonly Node<Step>[] {
  const nodes = steps.map((step, index): Node<Step> => ({ step, index, followers: [], open: 0 }));
  const byKey = new Map(nodes.map((node) => [toStepKey(node.step.step_id), node]));
  for (const node of nodes) {
    const before = [...toPredecessors(node.step)].flatMap((key) => byKey.get(key) ?? []);
    for (const { followers } of before) followers.push(node);
    node.open = before.length;
  }
  return nodes;
}

/** Counts one predecessor less; whether it was the last. */
function closeOne(node: Node<unknown>): boolean {
  node.open -= 1;
  return node.open === 0;
}

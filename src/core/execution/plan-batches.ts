import type { StructuredStep } from '../model/structured-plan.ts';
import { closeOne, type StepNode, toGraph } from './step-graph.ts';

/**
 * The steps in topological batches by Kahn's algorithm (004.R6): each batch needs only the ones before it, and a step stands in the
 * first possible batch. Steps keep the plan's order in their batch. `rest`: the steps in a cycle, or behind one. Ids must be unique.
 */
export function toBatches<Step extends Pick<StructuredStep, 'step_id' | 'depends_on' | 'when'>>(
  steps: readonly Step[],
): { readonly batches: readonly (readonly Step[])[]; readonly rest: readonly Step[] } {
  const nodes = toGraph(steps);
  const batches: (readonly Step[])[] = [];
  let batch: readonly StepNode<Step>[] = nodes.filter(({ open }) => open === 0);
  while (batch.length > 0) {
    batches.push(batch.map(({ step }) => step));
    batch = batch
      .flatMap(({ followers }) => followers)
      .filter(closeOne)
      .toSorted((a, b) => a.index - b.index);
  }
  return { batches, rest: nodes.filter(({ open }) => open > 0).map(({ step }) => step) };
}

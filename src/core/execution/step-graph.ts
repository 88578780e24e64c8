import type { StructuredStep } from '../model/structured-plan.ts';
import { toPredecessors, toStepKey } from './step-key.ts';

/** A step with the steps that follow it. */
export interface StepNode<Step> {
  readonly step: Step;
  readonly key: string;
  /** Its place in the plan. */
  readonly index: number;
  readonly followers: StepNode<Step>[];
  /** The number of predecessors that are not done yet. */
  open: number;
}

/** The graph of the steps, in the order of the plan. Ids must be unique; an unknown dependency is left out. */
export function toGraph<Step extends Pick<StructuredStep, 'step_id' | 'depends_on' | 'when'>>(
  steps: readonly Step[],
): readonly StepNode<Step>[] {
  const nodes = steps.map(
    (step, index): StepNode<Step> => ({ step, key: toStepKey(step.step_id), index, followers: [], open: 0 }),
  );
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  for (const node of nodes) {
    const before = [...toPredecessors(node.step)].flatMap((key) => byKey.get(key) ?? []);
    for (const { followers } of before) followers.push(node);
    node.open = before.length;
  }
  return nodes;
}

/** Counts one predecessor less; whether it was the last. */
export function closeOne(node: StepNode<unknown>): boolean {
  node.open -= 1;
  return node.open === 0;
}

import type { StepId, StructuredStep } from '../model/structured-plan.ts';

/** Identifies a step: `1` and `"1"` are the same step. */
export function toStepKey(id: StepId): string {
  return String(id);
}

/** The steps that a step follows: its dependencies, and the step of its condition. Each once. */
export function toPredecessors({ depends_on, when }: Pick<StructuredStep, 'depends_on' | 'when'>): ReadonlySet<string> {
  return new Set([...depends_on, ...(when === null ? [] : [when.step])].map(toStepKey));
}

import type { StepId, StructuredStep } from '../model/structured-plan.ts';

const MAX_QUOTED_LENGTH = 60;

/** Identifies a step: `1` and `"1"` are the same step. */
export function toStepKey(id: StepId): string {
  return String(id);
}

/** The steps that a step follows: its dependencies, and the step of its condition. Each once. */
export function toPredecessors({ depends_on, when }: Pick<StructuredStep, 'depends_on' | 'when'>): ReadonlySet<string> {
  return new Set([...depends_on, ...(when === null ? [] : [when.step])].map(toStepKey));
}

/** An id in a sentence. It may come from a stranger, so it is quoted and cut. */
export function quoteId(id: StepId): string {
  return JSON.stringify(typeof id === 'string' ? id.slice(0, MAX_QUOTED_LENGTH).toWellFormed() : id);
}

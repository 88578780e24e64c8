import type { StepResult, StepState } from '../model/plan-run.ts';
import type { StepId } from '../model/structured-plan.ts';
import { quoteId } from './step-key.ts';

interface Undone {
  readonly isUndone: boolean;
  readonly note: string | null;
}

/**
 * The result of a step whose run is undone because step `failed` failed. A step that failed by itself stays failed. `undone` null:
 * it did nothing that can be undone.
 */
export function applyUndo(result: StepResult, failed: StepId, undone: Undone | null): StepResult {
  const isOwnFailure = result.state === 'failed' && result.cause?.code !== 'CANCELLED';
  const end = (state: StepState, sentences: readonly (string | null | undefined)[]): StepResult => ({
    ...result,
    state,
    cause: { code: 'ROLLBACK', step: failed, message: sentences.filter((text) => typeof text === 'string').join(' ') },
  });
  if (undone?.isUndone === false) {
    const why = isOwnFailure ? result.cause?.message : toReason(failed);
    return end('rollback_failed', [why, 'It could not be undone:', undone.note]);
  }
  if (isOwnFailure || result.state === 'skipped') return result;
  return end('rolled_back', [toReason(failed), undone?.note]);
}

export function toReason(failed: StepId): string {
  return `Step ${quoteId(failed)} failed, which undoes the run.`;
}

import { toStepKey } from '../../core/execution/step-key.ts';
import type { EndedStep } from '../../core/execution/track-plan.ts';
import type { StructuredPlan } from '../../core/model/structured-plan.ts';
import type { PlanStepEnd } from '../../ports/plan-run-store.ts';
import type { PlanJournal } from './plan-journal.ts';

type RecordedEnd = EndedStep & Partial<Pick<PlanStepEnd, 'measuredUsd' | 'isUndone'>>;

/** Writes ends of steps to the journal, in their order. Ends that wait for a write in progress are written at once. */
export interface PlanRecorder {
  /** Resolves when the ends, and all before them, are stored. */
  readonly save: (ends: readonly RecordedEnd[]) => Promise<void>;
  /** Stores the ends with the next ones. */
  readonly later: (ends: readonly RecordedEnd[]) => void;
}

export function createPlanRecorder(plan: StructuredPlan, journal: PlanJournal | null): PlanRecorder {
  if (journal === null) return { save: async () => {}, later: () => {} };
  const actionTypes = new Map(plan.steps.map(({ step_id, action_type }) => [toStepKey(step_id), action_type]));
  const pending: PlanStepEnd[] = [];
  let written: Promise<void> = Promise.resolve();
  const later = (ends: readonly RecordedEnd[]): void => {
    for (const { key, result, measuredUsd = null, isUndone = false } of ends) {
      pending.push({ key, actionType: actionTypes.get(key) ?? '', result, measuredUsd, isUndone });
    }
  };
  return {
    later,
    save: (ends) => {
      later(ends);
      written = written.then(async () => {
        const batch = pending.splice(0);
        if (batch.length > 0) await journal.end(batch);
      });
      return written;
    },
  };
}

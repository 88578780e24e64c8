import { applyUndo } from '../../core/execution/apply-undo.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import type { StepId } from '../../core/model/structured-plan.ts';
import type { PlanRun } from './open-plan-run.ts';

/** Undoes a run because of a step that failed, newest first. Returns the results of all steps. */
export async function rollBackRun<Place>(
  { tracker, rollback, recorder, execution: { watch } }: PlanRun<Place>,
  failed: StepId,
): Promise<ReadonlyMap<string, StepResult>> {
  const results = new Map(tracker.results);
  const untouched = new Map(tracker.results);
  const change = (key: string, result: StepResult): void => {
    results.set(key, result);
    watch({ kind: 'ended', key, result });
  };
  await rollback.rollbackTo(null, async (undone) => {
    const { key, isUndone } = undone;
    const before = tracker.results.get(key);
    untouched.delete(key);
    if (before === undefined) return;
    const result = applyUndo(before, failed, undone);
    change(key, result);
    await recorder.save([{ key, result, isUndone }]);
  });
  for (const [key, before] of untouched) {
    const result = applyUndo(before, failed, null);
    if (result === before) continue;
    change(key, result);
    recorder.later([{ key, result }]);
  }
  return results;
}

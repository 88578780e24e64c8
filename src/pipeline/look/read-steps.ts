import { toStepKey } from '../../core/execution/step-key.ts';
import type { Session } from '../../core/model/session.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import type { Deps } from '../deps.ts';

/** An attempt that had to wait for GitHub began more than once. */
const SEARCHED_RUNS = 50;

/** The steps of a session, in the order of its plan; none if nothing is known of them any more. */
export function readSteps(
  { store }: Pick<Deps, 'store'>,
  { id, key }: Pick<Session, 'id' | 'key'>,
): readonly ShownStep[] {
  const run = store.planRuns(key, SEARCHED_RUNS).find(({ place }) => place === id);
  if (run === undefined) return [];
  const results = new Map(store.planSteps(run.id).map((step) => [step.key, step.result]));
  return run.plan.steps.map((step) => ({ step, result: results.get(toStepKey(step.step_id)) ?? null }));
}

import { toStepKey } from '../../core/execution/step-key.ts';
import type { PullRequestKey, SessionId } from '../../core/model/ids.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import type { Deps } from '../deps.ts';

/** An attempt that had to wait for GitHub began more than once, and its agent may have had a plan. */
const SEARCHED_RUNS = 40;

/** The place of the plan of a session's agent, beside that of the session's own. */
export function toAgentPlace(id: SessionId): string {
  return `${id} agent`;
}

/** The steps of sessions of a pull request, in the order of their plans. A session of which nothing is known any more is left out. */
export function readSteps(
  { store }: Pick<Deps, 'store'>,
  key: PullRequestKey,
  ids: readonly SessionId[],
  toPlace: (id: SessionId) => string = (id) => id,
): ReadonlyMap<SessionId, readonly ShownStep[]> {
  if (ids.length === 0) return new Map();
  const runs = store.planRuns(key, SEARCHED_RUNS);
  return new Map(
    ids.flatMap((id) => {
      const run = runs.find(({ place }) => place === toPlace(id));
      if (run === undefined) return [];
      const results = new Map(store.planSteps(run.id).map((step) => [step.key, step.result]));
      return [
        [id, run.plan.steps.map((step) => ({ step, result: results.get(toStepKey(step.step_id)) ?? null }))] as const,
      ];
    }),
  );
}

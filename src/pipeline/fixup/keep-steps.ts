import { toStepKey } from '../../core/execution/step-key.ts';
import { toError } from '../../core/model/errors.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import { drawSteps } from '../../core/render/render-steps.ts';
import type { Deps } from '../deps.ts';
import { beginPlanRun } from '../execution/plan-journal.ts';
import { readSteps, toAgentPlace } from '../look/read-steps.ts';

const GRAPH_FILE = 'plan.mmd';

/** Keeps the graph of a fixup's steps and their states as an artifact (004.R31). Logs failures: it is for people alone. */
export async function keepGraph(deps: Pick<Deps, 'files' | 'log' | 'store'>, { id, key }: FixupSession): Promise<void> {
  const steps = readSteps(deps, key, [id]).get(id) ?? [];
  if (steps.length === 0) return;
  try {
    await deps.files.writeArtifact(toRunId(id), GRAPH_FILE, drawSteps(steps));
  } catch (error) {
    deps.log.warn({ sessionId: id, error: toError(error) }, 'the graph of the steps was not kept');
  }
}

/** Keeps the steps of the plan of a fixup's agent beside the fixup's own. Logs failures: they are for people alone. */
export async function keepAgentSteps(
  deps: Pick<Deps, 'clock' | 'log' | 'newId' | 'store'>,
  { id, key }: FixupSession,
  steps: readonly ShownStep[],
): Promise<void> {
  const plan = { steps: steps.map(({ step }) => step), budget_usd: 0 };
  const ends = steps.flatMap(({ step: { step_id, action_type: actionType }, result }) => {
    if (result === null) return [];
    const end = {
      result: { ...result, attempts: 0, output: '' },
      measuredUsd: null,
      startsAtEnd: null,
      isUndone: true,
    };
    return [{ key: toStepKey(step_id), actionType, ...end }];
  });
  try {
    const { journal } = await beginPlanRun(deps, { plan, owner: key, place: toAgentPlace(id) });
    await journal.end(ends).finally(() => journal.close(true));
  } catch (error) {
    deps.log.warn({ sessionId: id, error: toError(error) }, "the steps of the agent's plan were not kept");
  }
}

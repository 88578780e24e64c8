import { toStepKey } from '../../core/execution/step-key.ts';
import { toError } from '../../core/model/errors.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { ShownStep } from '../../core/model/shown-step.ts';
import type { StructuredStep } from '../../core/model/structured-plan.ts';
import { drawSteps } from '../../core/render/render-steps.ts';
import type { Log } from '../../ports/log.ts';
import type { Deps } from '../deps.ts';
import { beginPlanRun, type JournalDeps } from '../execution/plan-journal.ts';
import { readSteps, toAgentPlace } from '../look/read-steps.ts';

const GRAPH_FILE = 'plan.mmd';
/** What an agent did in a step is in its name: its parameters are not kept, and the store knows those of each other type. */
const AGENT_STEP = 'agent_step';
const MAX_NAME_LENGTH = 200;

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
  deps: JournalDeps & { readonly log: Pick<Log, 'warn'> },
  { id, key }: Pick<FixupSession, 'id' | 'key'>,
  steps: readonly ShownStep[],
): Promise<void> {
  const plan = { steps: steps.map(toNamed), budget_usd: 0 };
  const ends = steps.flatMap(({ step: { step_id }, result }) => {
    if (result === null) return [];
    const end = {
      result: { ...result, attempts: 0, output: '' },
      measuredUsd: null,
      startsAtEnd: null,
      isUndone: true,
    };
    return [{ key: toStepKey(step_id), actionType: AGENT_STEP, ...end }];
  });
  try {
    const { journal } = await beginPlanRun(deps, { plan, owner: key, place: toAgentPlace(id) });
    try {
      await journal.end(ends);
    } finally {
      await journal.close(true);
    }
  } catch (error) {
    deps.log.warn({ sessionId: id, error: toError(error) }, "the steps of the agent's plan were not kept");
  }
}

function toNamed({ step }: ShownStep): StructuredStep {
  const name = `${String(step.step_id)} ${step.action_type} ${step.description}`.trim();
  return { ...step, action_type: AGENT_STEP, params: {}, description: name.slice(0, MAX_NAME_LENGTH).toWellFormed() };
}

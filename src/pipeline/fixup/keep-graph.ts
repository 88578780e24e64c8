import { toStepKey } from '../../core/execution/step-key.ts';
import { toError } from '../../core/model/errors.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import { toMermaid } from '../../core/render/render-plan.ts';
import type { Deps } from '../deps.ts';
import { readSteps } from '../look/read-steps.ts';

const GRAPH_FILE = 'plan.mmd';

/** Keeps the graph of a fixup's steps and their states as an artifact (004.R31). Logs failures: it is for people alone. */
export async function keepGraph(deps: Pick<Deps, 'files' | 'log' | 'store'>, { id, key }: FixupSession): Promise<void> {
  const steps = readSteps(deps, key, [id]).get(id) ?? [];
  if (steps.length === 0) return;
  const results = new Map(
    steps.flatMap(({ step, result }) => (result === null ? [] : [[toStepKey(step.step_id), result] as const])),
  );
  const graph = toMermaid(
    steps.map(({ step }) => step),
    results,
  );
  try {
    await deps.files.writeArtifact(toRunId(id), GRAPH_FILE, graph);
  } catch (error) {
    deps.log.warn({ sessionId: id, error: toError(error) }, 'the graph of the steps was not kept');
  }
}

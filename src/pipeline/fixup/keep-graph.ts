import { toStepKey } from '../../core/execution/step-key.ts';
import { toRunId } from '../../core/model/ids.ts';
import type { FixupSession } from '../../core/model/session.ts';
import { toMermaid } from '../../core/render/render-plan.ts';
import type { Deps } from '../deps.ts';
import { readSteps } from '../look/read-steps.ts';

const GRAPH_FILE = 'plan.mmd';

/** Keeps the graph of a fixup's steps and their states as an artifact (004.R31). */
export async function keepGraph(deps: Pick<Deps, 'files' | 'store'>, session: FixupSession): Promise<void> {
  const steps = readSteps(deps, session);
  if (steps.length === 0) return;
  const results = new Map(
    steps.flatMap(({ step, result }) => (result === null ? [] : [[toStepKey(step.step_id), result] as const])),
  );
  const graph = toMermaid(
    steps.map(({ step }) => step),
    results,
  );
  await deps.files.writeArtifact(toRunId(session.id), GRAPH_FILE, graph);
}

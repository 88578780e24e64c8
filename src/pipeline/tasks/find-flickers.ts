import { narrowPlan } from '../../core/engines/narrow-plan.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { TaskFinding } from '../../core/model/task.ts';
import { findFlickering } from '../../core/tasks/find-flickering.ts';
import type { TaskSource } from '../../core/tasks/plan-validation.ts';
import { type CheckedTree, runEngineCheck } from './run-engine-check.ts';
import type { TaskDeps, TaskRunGround } from './task-run.ts';

/** A run of a whole project that took longer is not repeated. */
const MAX_REPEATED_MS = 2 * 60_000;

/**
 * Repeats each file with failing tests alone, once, on the same tree. What passes then flickers: no change could be shown to repair
 * it, so it becomes no task; and since nobody knows whether it works, it is no good news either. What the repetition does not tell
 * counts as failing.
 */
export async function findFlickers(
  deps: TaskDeps,
  ground: TaskRunGround,
  {
    tree,
    runs,
    sources,
  }: { readonly tree: CheckedTree; readonly runs: readonly EngineRun[]; readonly sources: readonly TaskSource[] },
  signal: AbortSignal,
): Promise<readonly TaskFinding['fingerprint'][]> {
  const flickering: string[] = [];
  for (const run of runs) {
    const files = toFailingFiles(run);
    const source = sources.find(({ spec, plan }) => spec.id === run.engine && plan.project === run.project);
    if (run.kind !== 'test' || files.length === 0 || source === undefined) continue;
    const isNarrow = narrowPlan(source.spec, source.plan, files) !== source.plan;
    if (!isNarrow && run.exit.durationMs > MAX_REPEATED_MS) continue;
    const check = { engine: run.engine, project: run.project, paths: files };
    const again = await runEngineCheck(deps, ground, { ...tree, check }, signal);
    if (again !== null && 'findings' in again) flickering.push(...findFlickering(run, again));
  }
  return flickering;
}

/** The files of its failing tests. A failure may be shown at a place in the code. */
function toFailingFiles({ findings, tests }: EngineRun): readonly string[] {
  const failing = new Set(
    findings.flatMap(({ kind, testId }) => (kind === 'test_failure' && testId !== null ? [testId] : [])),
  );
  const files = (tests ?? []).flatMap(({ id, path, outcome }) =>
    failing.has(id) && outcome !== 'passed' && path !== null ? [path] : [],
  );
  return [...new Set(files)].toSorted();
}

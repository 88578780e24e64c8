import { listEngineIds, toSourceConfigs } from '../../core/engines/engine-source.ts';
import { narrowPlan } from '../../core/engines/narrow-plan.ts';
import { DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { EngineError, EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { EngineCheck } from '../../core/model/task.ts';
import { CATALOGUE } from '../../engines/catalogue.ts';
import { createTreeHost } from '../engines/create-tree-host.ts';
import { type PreparedEngines, prepareEngines, type RunEnginesDeps, runPrepared } from '../engines/run-engines.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** A tree in a clone of a run. */
export interface CheckedTree {
  readonly opened: OpenedTree;
  readonly treeSha: Sha;
}

/** An engine again, over the files of a task alone where it can be narrowed. */
export async function runEngineCheck(
  deps: TaskDeps,
  ground: TaskRunGround,
  { opened, treeSha, check }: CheckedTree & { readonly check: EngineCheck },
  signal: AbortSignal,
): Promise<EngineRun | EngineError | null> {
  const engines = await openEngines(deps, ground, { opened, treeSha, only: [check.engine] }, signal);
  const { prepared } = engines;
  const toRun = prepared.planned.toRun
    .filter(({ project }) => project === check.project)
    .map((each) => ({ ...each, plans: each.plans.map((plan) => narrowPlan(each.spec, plan, check.paths)) }));
  const planned = { ...prepared.planned, toRun };
  const report = await runPrepared(engines.deps, { ...prepared, planned }, signal);
  signal.throwIfAborted();
  return report.runs[0] ?? report.engineErrors[0] ?? null;
}

export interface OpenedEngines {
  readonly deps: RunEnginesDeps;
  readonly prepared: PreparedEngines;
}

/** Detects and plans the engines over a tree; `only`: these, null: all that policy and repository select. */
export async function openEngines(
  deps: TaskDeps,
  { policy }: TaskRunGround,
  { opened, treeSha, only }: CheckedTree & { readonly only: readonly string[] | null },
  signal: AbortSignal,
): Promise<OpenedEngines> {
  const { repository, dependencies, setupProblem } = opened;
  const side = { repository, treeSha, dependencies, isSetupFailed: setupProblem !== null };
  const host = await createTreeHost(deps, side, signal);
  // Trees of a run change all the time, so nothing would be found again.
  const engineDeps = { host, cache: null, log: deps.log, clock: deps.clock, catalogue: CATALOGUE };
  const { engineSource } = deps;
  const engines = policy.engines ?? { ...DEFAULT_ENGINES_POLICY, auto: true };
  const prepared = await prepareEngines(engineDeps, {
    ...{ policy: engines, mode: 'target', only },
    ...{ scope: { cli: null, env: engineSource.paths } },
    ...{ configs: { cli: {}, env: toSourceConfigs(engineSource, listEngineIds(CATALOGUE, engines)) } },
    ...{ timeoutSeconds: null, refresh: true, concurrency: policy.tasks.maxWorkers },
  });
  return { deps: engineDeps, prepared };
}

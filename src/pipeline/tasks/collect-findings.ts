import { narrowPlan } from '../../core/engines/narrow-plan.ts';
import { DEFAULT_ENGINE_SETTINGS, DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { EngineError, EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { EngineCheck, TaskFinding } from '../../core/model/task.ts';
import type { Checkpoint } from '../../core/tasks/judge-progress.ts';
import { normaliseRun } from '../../core/tasks/normalise-run.ts';
import type { TaskSource, ValidationPlace } from '../../core/tasks/plan-validation.ts';
import { CATALOGUE } from '../../engines/catalogue.ts';
import { createTreeHost } from '../engines/create-tree-host.ts';
import { createFindTool } from '../engines/find-tool.ts';
import { type PreparedEngines, prepareEngines, type RunEnginesDeps, runPrepared } from '../engines/run-engines.ts';
import { withTree } from './open-tree.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** What the engines found at one commit, and what planning needs to know of them. */
export interface Collected {
  readonly findings: readonly TaskFinding[];
  /** Engines without a trustworthy answer, each with the reason. */
  readonly incomplete: readonly string[];
  readonly runs: readonly EngineRun[];
  readonly sources: readonly TaskSource[];
  readonly place: ValidationPlace;
  /** Name of the tree, and what the run has changed in it so far. */
  readonly checkpoint: Checkpoint;
}

/** Runs all engines that policy and repository select over a commit (001.R16, Collect and Normalize). */
export async function collectFindings(
  deps: TaskDeps,
  ground: TaskRunGround,
  { name, commitSha }: { readonly name: string; readonly commitSha: Sha },
  signal: AbortSignal,
): Promise<Collected> {
  const work = async (opened: OpenedTree): Promise<Collected> => {
    const engines = await openEngines(deps, ground, { opened, treeSha: commitSha, only: null }, signal);
    const { prepared } = engines;
    const report = await runPrepared(engines.deps, prepared, signal);
    signal.throwIfAborted();
    const { setupProblem } = opened;
    const unsettled = [
      ...(setupProblem === null ? [] : [`setup: ${setupProblem}`]),
      ...report.configErrors.map(({ engine, message }) => `${engine}: ${message}`),
      ...report.engineErrors.map(({ engine, message }) => `${engine}: ${message}`),
      ...report.runs.flatMap(({ engine, complete, incompleteWhy }) =>
        complete ? [] : [`${engine}: ${incompleteWhy ?? 'it did not check everything'}`],
      ),
    ];
    const { coverageBelow } = ground.policy.tasks;
    const findings = report.runs
      .flatMap((run) => normaliseRun(run, null))
      .filter(({ kind, meta }) => kind !== 'coverage_gap' || (meta.percent ?? 0) < coverageBelow);
    const total = await deps.git.diffTrees(
      opened.repository,
      { from: ground.baseSha, to: commitSha, maxPatchBytes: 0 },
      signal,
    );
    const netLines = total.changes.reduce(
      (sum, { insertions, deletions }) => sum + (insertions ?? 0) + (deletions ?? 0),
      0,
    );
    const { host } = engines.deps;
    return {
      ...{ findings, runs: report.runs, sources: await findSources(engines, report.runs, signal) },
      incomplete: [...new Set(unsettled.map(deps.redact))],
      place: { root: host.root, artifacts: host.artifacts('task'), files: host.files, texts: prepared.facts.texts },
      checkpoint: { findings, tree: commitSha, changedLines: netLines, netLines },
    };
  };
  return withTree(deps, ground, { name, commitSha, work }, signal);
}

/** An engine again, over the files of a task alone where it can be narrowed. */
export async function runEngineCheck(
  deps: TaskDeps,
  ground: TaskRunGround,
  { opened, treeSha, check }: { readonly opened: OpenedTree; readonly treeSha: Sha; readonly check: EngineCheck },
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

interface OpenedEngines {
  readonly deps: RunEnginesDeps;
  readonly prepared: PreparedEngines;
}

async function openEngines(
  deps: TaskDeps,
  { policy }: TaskRunGround,
  {
    opened,
    treeSha,
    only,
  }: { readonly opened: OpenedTree; readonly treeSha: Sha; readonly only: readonly string[] | null },
  signal: AbortSignal,
): Promise<OpenedEngines> {
  const { repository, dependencies, setupProblem } = opened;
  const side = { repository, treeSha, dependencies, isSetupFailed: setupProblem !== null };
  const host = await createTreeHost(deps, side, signal);
  // Trees of a run change all the time, so nothing would be found again.
  const engineDeps = { host, cache: null, log: deps.log, catalogue: CATALOGUE };
  const prepared = await prepareEngines(engineDeps, {
    ...{ policy: policy.engines ?? { ...DEFAULT_ENGINES_POLICY, auto: true }, mode: 'target', only },
    ...{ scope: { cli: null, env: null }, configs: { cli: {}, env: {} } },
    ...{ timeoutSeconds: null, refresh: true, concurrency: policy.tasks.maxWorkers },
  });
  return { deps: engineDeps, prepared };
}

async function findSources(
  { deps, prepared }: OpenedEngines,
  runs: readonly EngineRun[],
  signal: AbortSignal,
): Promise<readonly TaskSource[]> {
  const { toRun } = prepared.planned;
  const findTool = createFindTool(
    deps.host,
    toRun.map(({ spec }) => spec),
    signal,
  );
  const sources: TaskSource[] = [];
  for (const { spec, plans, project } of toRun) {
    const plan = plans.find(({ mode }) => mode === 'target');
    if (plan === undefined) continue;
    const isComplete = runs.some((run) => run.engine === spec.id && run.project === project && run.complete);
    const settings = prepared.settings[spec.id] ?? DEFAULT_ENGINE_SETTINGS;
    sources.push({ spec, settings, plan, tool: await findTool(spec, plan.cwd), isComplete });
  }
  return sources;
}

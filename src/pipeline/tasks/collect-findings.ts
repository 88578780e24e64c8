import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import type { Sha } from '../../core/model/ids.ts';
import { ROOT_PROJECT } from '../../core/model/project.ts';
import type { TaskFinding } from '../../core/model/task.ts';
import type { Checkpoint } from '../../core/tasks/judge-progress.ts';
import { normaliseRun } from '../../core/tasks/normalise-run.ts';
import type { TaskSource, ValidationPlace } from '../../core/tasks/plan-validation.ts';
import { createFindTool } from '../engines/find-tool.ts';
import { runPrepared } from '../engines/run-engines.ts';
import { findFlickers } from './find-flickers.ts';
import { withTree } from './open-tree.ts';
import { type OpenedEngines, openEngines } from './run-engine-check.ts';
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

/**
 * Runs all engines that policy and repository select over a commit (001.R16, Collect and Normalize). `expected`: the engines that ran at
 * the beginning of the run, as `toEngineKey` names them; one that does not run any more has found nothing because nobody asked it.
 */
export async function collectFindings(
  deps: TaskDeps,
  ground: TaskRunGround,
  {
    name,
    commitSha,
    expected,
  }: { readonly name: string; readonly commitSha: Sha; readonly expected: readonly string[] },
  signal: AbortSignal,
): Promise<Collected> {
  const work = async (opened: OpenedTree): Promise<Collected> => {
    const tree = { opened, treeSha: commitSha };
    const engines = await openEngines(deps, ground, { ...tree, only: null }, signal);
    const { prepared } = engines;
    const report = await runPrepared(engines.deps, prepared, signal);
    signal.throwIfAborted();
    const sources = await findSources(engines, report.runs, signal);
    const flickering = new Set(await findFlickers(deps, ground, { tree, runs: report.runs, sources }, signal));
    signal.throwIfAborted();
    const { coverageBelow } = ground.policy.tasks;
    const found = report.runs
      .flatMap((run) => normaliseRun(run, null))
      .filter(({ kind, meta }) => kind !== 'coverage_gap' || (meta.percent ?? 0) < coverageBelow);
    const findings = found.filter(({ fingerprint }) => !flickering.has(fingerprint));
    const unsettled = [
      ...(opened.setupProblem === null ? [] : [`setup: ${opened.setupProblem}`]),
      ...toUnsettled(report, expected),
      ...found.filter((finding) => !findings.includes(finding)).map(toFlickerText),
    ];
    const { repository } = opened;
    const diff = { from: ground.baseSha, to: commitSha, maxPatchBytes: 0 };
    const total = await deps.git.diffTrees(repository, diff, signal);
    const netLines = total.changes.reduce(
      (sum, { insertions, deletions }) => sum + (insertions ?? 0) + (deletions ?? 0),
      0,
    );
    const { host } = engines.deps;
    return {
      ...{ findings, runs: report.runs, sources },
      incomplete: [...new Set(unsettled.map(deps.redact))],
      place: { root: host.root, artifacts: host.artifacts('task'), files: host.files, texts: prepared.facts.texts },
      checkpoint: { findings, tree: commitSha, changedLines: netLines, netLines },
    };
  };
  return withTree(deps, ground, { name, commitSha, work }, signal);
}

/** Names an engine in one of its projects. */
export function toEngineKey({ engine, project }: Pick<EngineRun, 'engine' | 'project'>): string {
  return project === ROOT_PROJECT ? engine : `${engine} in ${project}`;
}

/** What keeps a collection from showing everything. */
function toUnsettled(report: EnginesReport, expected: readonly string[]): readonly string[] {
  const ran = new Set([...report.runs, ...report.engineErrors].map(toEngineKey));
  const lacking = report.skipped.filter(({ why }) => why === 'dependencies_missing');
  const lost = expected.filter((key) => !ran.has(key) && !lacking.some((skip) => toEngineKey(skip) === key));
  return [
    ...report.configErrors.map(({ engine, message }) => `${engine}: ${message}`),
    ...report.engineErrors.map(({ engine, message }) => `${engine}: ${message}`),
    ...report.runs.flatMap(({ engine, complete, incompleteWhy }) =>
      complete ? [] : [`${engine}: ${incompleteWhy ?? 'it did not check everything'}`],
    ),
    ...lacking.map(
      (skip) => `${toEngineKey(skip)}: it did not run, because the dependencies of its project are missing`,
    ),
    ...lost.map((key) => `${key}: it ran at the beginning of the run, and does not any more`),
    ...(ran.size + lacking.length === 0 ? ['no check is configured or known for what HEAD has'] : []),
  ];
}

function toFlickerText({ tool, testId, filePath }: TaskFinding): string {
  return `${tool}: ${testId ?? 'a test'}${filePath === null ? '' : ` (${filePath})`} flickers: it failed, and passed when its file was run again alone`;
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

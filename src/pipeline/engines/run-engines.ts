import { toCanonicalScope } from '../../core/engines/canonical-scope.ts';
import { createFindOwners } from '../../core/engines/create-sight.ts';
import { dropRepeated } from '../../core/engines/drop-repeated.ts';
import { addScripts, listNameless } from '../../core/engines/find-scripts.ts';
import { findUncovered } from '../../core/engines/find-uncovered.ts';
import { type PlannedEngines, planEngines } from '../../core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type {
  EngineError,
  EngineMode,
  EnginePlan,
  EngineRun,
  EngineSpec,
  ModeRequest,
} from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import { listDetectable } from '../../core/projects/detect-engines.ts';
import { findNeedy } from '../../core/projects/find-needy.ts';
import type { RepositoryFacts } from '../../core/projects/repository-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Log } from '../../ports/log.ts';
import type { PlanChange } from '../execution/plan-execution.ts';
import { runWork, type WorkStep } from '../execution/run-work.ts';
import { createFindTool } from './find-tool.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { type EngineJob, type RanPlan, type RunEngineDeps, runEngine } from './run-engine.ts';
import { type EnginesWish, type SettledProjects, settleProjects } from './settle-projects.ts';

/** Progress of the engines. Each `started` is followed by `finished` or `cached`, unless an error is thrown. */
export type EngineProgress =
  | { readonly kind: 'started'; readonly engine: string; readonly project: string; readonly mode: EngineMode }
  | {
      /** `cached`: the result of a stored run. */
      readonly kind: 'finished' | 'cached';
      readonly engine: string;
      readonly project: string;
      readonly mode: EngineMode;
      readonly findings: number;
      readonly error: EngineError['kind'] | null;
      readonly durationMs: number;
    };

const MAX_SCRIPT_BYTES = 256 * 1024;
const READ_AT_ONCE = 32;

export interface RunEnginesDeps {
  readonly host: EngineHost;
  /** null: no cache. */
  readonly cache: EngineCache | null;
  readonly log: Log;
  readonly clock: Clock;
  readonly catalogue: readonly EngineSpec[];
}

/** What to run. */
export interface EnginesRequest extends EnginesWish {
  readonly mode: ModeRequest;
  /** null: not given or unknown. */
  readonly scope: { readonly cli: readonly string[] | null; readonly env: readonly string[] | null };
  /** Time limit of each run, which overrides the policy and the engine (resolution C6). null: not set. */
  readonly timeoutSeconds: number | null;
  /** Upper limit set by the operator. null or undefined: none. */
  readonly maxTimeoutSeconds?: number | null;
  /** Ignores stored runs. */
  readonly refresh: boolean;
  /** How many engines run at the same time; at least 1. */
  readonly concurrency: number;
  readonly onProgress?: (event: EngineProgress) => void;
}

/** The plan of an engine run. */
export interface PreparedEngines {
  readonly request: EnginesRequest;
  /** The selected engines. */
  readonly specs: readonly EngineSpec[];
  readonly settings: Readonly<Record<string, EngineSettings>>;
  /** What was read of the repository to plan. */
  readonly facts: RepositoryFacts;
  /** Folders below the root whose dependencies are missing. */
  readonly lacking: readonly string[];
  readonly planned: PlannedEngines;
  /** The part of the report that is known before the run. */
  readonly report: Omit<EnginesReport, 'runs' | 'engineErrors'>;
}

/**
 * Detects engines, applies the policy and plans the runs. Runs nothing.
 * @throws ConfigError if `only` names an unknown engine.
 */
export async function prepareEngines(
  { host, catalogue }: Pick<RunEnginesDeps, 'host' | 'catalogue'>,
  request: EnginesRequest,
): Promise<PreparedEngines> {
  const { mode, scope, configs } = request;
  const settled = await settleProjects({ host, catalogue }, request);
  const { files, dependencies, root } = host;
  const { settings, projects, facts } = settled;
  const specs = await findScripts(host, settled.specs);
  const lacking = await findLacking(host, settled.facts);
  const planned = planEngines({
    lacking,
    root,
    specs,
    settings,
    request: mode,
    scope,
    configs,
    files,
    dependencies,
    projects,
  });
  const { plans, dedup, skipped } = planned;
  const configErrors = [...settled.configErrors, ...planned.configErrors].toSorted(byEngine);
  const report = { root: host.root, request: mode, plans, dedup, configErrors, skipped, projects: settled.considered };
  return {
    request,
    specs,
    settings,
    facts,
    lacking,
    planned,
    report: { ...report, ...toQuestion(host, catalogue, request, { ...settled, specs }) },
  };
}

/** Adds the scripts without an extension that an engine checks, too. A long one is no script that people write. */
async function findScripts(host: EngineHost, specs: readonly EngineSpec[]): Promise<readonly EngineSpec[]> {
  if (specs.every(({ interpreters = [] }) => interpreters.length === 0)) return specs;
  const texts: Record<string, string | null> = {};
  await forEachAtOnce(listNameless(host.files), READ_AT_ONCE, async (path) => {
    texts[path] = await host.readText(path, MAX_SCRIPT_BYTES);
  });
  return specs.map((spec) => addScripts(spec, texts));
}

async function findLacking(host: EngineHost, facts: RepositoryFacts): Promise<readonly string[]> {
  const lacking: string[] = [];
  await forEachAtOnce(findNeedy(facts), READ_AT_ONCE, async ({ folder, places }) => {
    const are = await Promise.all(places.map((place) => host.has(place)));
    if (!are.includes(true)) lacking.push(folder);
  });
  return lacking.toSorted();
}

/** What was asked for, and what of it no engine answers. */
function toQuestion(
  { files, submodules = [], root }: EngineHost,
  catalogue: readonly EngineSpec[],
  { mode, scope, only, policy }: EnginesRequest,
  { specs, settings, projects }: SettledProjects,
): Pick<EnginesReport, 'requestedEngines' | 'requestedPaths' | 'uncoveredPaths' | 'submodules' | 'lookedFor'> {
  const canonical = toCanonicalScope(mode === 'target' ? [] : (scope.cli ?? scope.env ?? []), root);
  const requestedPaths = canonical.kind === 'scope' ? canonical.paths : [];
  const isDetected = only === null && (policy === null || policy.auto);
  return {
    requestedEngines: only ?? [],
    requestedPaths,
    uncoveredPaths: findUncovered({ paths: requestedPaths, specs, settings, projects, files }),
    submodules,
    lookedFor: isDetected ? listDetectable(catalogue) : [],
  };
}

/**
 * Runs the prepared engines as steps of a plan, beside each other; for each engine, CURRENT before TARGET (resolution C22). A failing
 * engine does not affect others. If both plans are equal, only TARGET runs, and `dedup` in the report says that it stands for CURRENT too.
 * @throws the reason of the signal once it has fired and every process is gone. There is no partial report.
 */
export async function runPrepared(
  deps: RunEnginesDeps,
  prepared: PreparedEngines,
  signal: AbortSignal,
): Promise<EnginesReport> {
  const { request, planned, settings, facts, lacking } = prepared;
  const { host, cache, log, clock } = deps;
  const { refresh, timeoutSeconds, maxTimeoutSeconds = null, concurrency, onProgress } = request;
  const specs = planned.toRun.map(({ spec }) => spec);
  const findTool = createFindTool(host, specs, signal);
  const { texts } = facts;
  const shared = { host, cache, log, texts, lacking, findTool, refresh, timeoutSeconds, maxTimeoutSeconds };
  // Start the engines with the longest time limits first, to shorten the total time.
  const queue = planned.toRun.toSorted((left, right) => right.spec.timeoutMs - left.spec.timeoutMs);
  const jobs = queue.map(({ spec, plans }) =>
    plans.map((plan): EngineJob => ({ spec, plan, settings: settings[spec.id] ?? DEFAULT_ENGINE_SETTINGS })),
  );
  const ran = new Map<string, RanPlan>();
  const watch = onProgress === undefined ? {} : { watch: toWatch(jobs.flat(), ran, onProgress) };
  await runWork(
    jobs.flatMap((chain) => toSteps(shared, chain, ran)),
    { clock, signal, maxConcurrent: Math.max(1, concurrency), ...watch },
  );
  signal.throwIfAborted();
  const ends = [...ran.values()];
  return {
    ...prepared.report,
    runs: dropRepeated(
      ends.flatMap(({ run }) => run ?? []),
      createFindOwners(planned.plans),
    ).toSorted(byProjectAndMode),
    engineErrors: ends.flatMap(({ error }) => error ?? []).toSorted(byProjectAndMode),
  };
}

/** The plans of one engine, one after another. */
function toSteps(deps: RunEngineDeps, jobs: readonly EngineJob[], ran: Map<string, RanPlan>): readonly WorkStep[] {
  return jobs.map((job, index) => {
    const before = jobs[index - 1];
    const id = toStepId(job.plan);
    return {
      ...{ id, actionType: 'engine', after: before === undefined ? [] : [toStepId(before.plan)] },
      act: async (signal) => {
        ran.set(id, await runEngine(deps, job, signal));
        return undefined;
      },
    };
  });
}

function toStepId({ engine, project, mode }: EnginePlan): string {
  return JSON.stringify([engine, project, mode]);
}

/** Tells of the steps as runs of engines. */
function toWatch(
  jobs: readonly EngineJob[],
  ran: ReadonlyMap<string, RanPlan>,
  tell: (event: EngineProgress) => void,
): (change: PlanChange) => void {
  const plans = new Map(
    jobs.map(({ plan: { engine, project, mode }, plan }) => [toStepId(plan), { engine, project, mode }]),
  );
  return (change) => {
    const plan = plans.get(change.key);
    if (plan === undefined) return;
    if (change.kind === 'started') tell({ kind: 'started', ...plan });
    const end = change.kind === 'ended' ? ran.get(change.key) : undefined;
    if (change.kind === 'started' || end === undefined) return;
    const { run, error } = end;
    const counts = { findings: run?.findings.length ?? 0, error: error?.kind ?? null };
    tell({
      kind: run?.cached === true ? 'cached' : 'finished',
      ...plan,
      ...counts,
      durationMs: change.result.durationMs,
    });
  };
}

function byEngine(left: { readonly engine: string }, right: { readonly engine: string }): number {
  if (left.engine === right.engine) return 0;
  return left.engine < right.engine ? -1 : 1;
}

type Ran = Pick<EngineRun, 'engine' | 'project' | 'mode'>;

function byProjectAndMode(left: Ran, right: Ran): number {
  const order = byEngine(left, right);
  if (order !== 0) return order;
  if (left.project !== right.project) return left.project < right.project ? -1 : 1;
  return toModeOrder(left.mode) - toModeOrder(right.mode);
}

function toModeOrder(mode: EngineMode): number {
  return mode === 'current' ? 0 : 1;
}

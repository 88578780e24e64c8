import { toCanonicalScope } from '../../core/engines/canonical-scope.ts';
import { createFindOwners } from '../../core/engines/create-sight.ts';
import { dropRepeated } from '../../core/engines/drop-repeated.ts';
import { addScripts, listNameless } from '../../core/engines/find-scripts.ts';
import { findUncovered } from '../../core/engines/find-uncovered.ts';
import { type PlannedEngines, planEngines } from '../../core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineMode, EngineRun, EngineSpec, ModeRequest } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import { listDetectable } from '../../core/projects/detect-engines.ts';
import { findNeedy } from '../../core/projects/find-needy.ts';
import type { RepositoryFacts } from '../../core/projects/repository-facts.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Log } from '../../ports/log.ts';
import { createFindTool } from './find-tool.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { type EngineProgress, type RanEngine, runEngine } from './run-engine.ts';
import { type EnginesWish, type SettledProjects, settleProjects } from './settle-projects.ts';

export type { EngineProgress } from './run-engine.ts';

const MAX_SCRIPT_BYTES = 256 * 1024;
const READ_AT_ONCE = 32;

export interface RunEnginesDeps {
  readonly host: EngineHost;
  /** null: no cache. */
  readonly cache: EngineCache | null;
  readonly log: Log;
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
  { files, root }: EngineHost,
  catalogue: readonly EngineSpec[],
  { mode, scope, only, policy }: EnginesRequest,
  { specs, settings, projects }: SettledProjects,
): Pick<EnginesReport, 'requestedEngines' | 'requestedPaths' | 'uncoveredPaths' | 'lookedFor'> {
  const canonical = toCanonicalScope(mode === 'target' ? [] : (scope.cli ?? scope.env ?? []), root);
  const requestedPaths = canonical.kind === 'scope' ? canonical.paths : [];
  const isDetected = only === null && (policy === null || policy.auto);
  return {
    requestedEngines: only ?? [],
    requestedPaths,
    uncoveredPaths: findUncovered({ paths: requestedPaths, specs, settings, projects, files }),
    lookedFor: isDetected ? listDetectable(catalogue) : [],
  };
}

/**
 * Runs the prepared engines in parallel; for each engine, CURRENT before TARGET (resolution C22). A failing engine does not affect
 * others. If both plans are equal, only TARGET runs, and `dedup` in the report says that it stands for CURRENT too.
 * @throws the reason of the signal once it has fired and every process is gone. There is no partial report.
 */
export async function runPrepared(
  deps: RunEnginesDeps,
  prepared: PreparedEngines,
  signal: AbortSignal,
): Promise<EnginesReport> {
  const { request, planned, settings, facts, lacking } = prepared;
  const { host, cache, log } = deps;
  const { refresh, timeoutSeconds, maxTimeoutSeconds = null, concurrency, onProgress = ignore } = request;
  const specs = planned.toRun.map(({ spec }) => spec);
  const findTool = createFindTool(host, specs, signal);
  const owners = createFindOwners(planned.plans);
  const shared = {
    host,
    cache,
    log,
    texts: facts.texts,
    lacking,
    findTool,
    onProgress,
    refresh,
    timeoutSeconds,
    maxTimeoutSeconds,
  };
  const ran: RanEngine[] = [];
  // Start the engines with the longest time limits first, to shorten the total time.
  const queue = planned.toRun.toSorted((left, right) => right.spec.timeoutMs - left.spec.timeoutMs);
  await forEachAtOnce(queue, concurrency, async (engine) => {
    const { id } = engine.spec;
    ran.push(await runEngine(shared, { ...engine, settings: settings[id] ?? DEFAULT_ENGINE_SETTINGS }, signal));
  });
  signal.throwIfAborted();
  return {
    ...prepared.report,
    runs: dropRepeated(
      ran.flatMap(({ runs }) => runs),
      owners,
    ).toSorted(byProjectAndMode),
    engineErrors: ran.flatMap(({ errors }) => errors).toSorted(byProjectAndMode),
  };
}

function ignore(): void {
  // Nobody watches.
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

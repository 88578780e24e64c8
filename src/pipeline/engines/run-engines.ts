import { toCanonicalScope } from '../../core/engines/canonical-scope.ts';
import { createFindOwners } from '../../core/engines/create-sight.ts';
import { DETECTION_FILES, detectEngines, listDetectable } from '../../core/engines/detect-engines.ts';
import { findUncovered } from '../../core/engines/find-uncovered.ts';
import { type PlannedEngines, planEngines } from '../../core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineMode, EngineRun, EngineSpec, ModeRequest } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import { ConfigError } from '../../core/model/errors.ts';
import type { EngineSettings, EnginesPolicy } from '../../core/model/policy.ts';
import { type SettledEngines, settleEngines } from '../../engines/settle-engines.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Log } from '../../ports/log.ts';
import { createFindTool } from './find-tool.ts';
import { forEachAtOnce } from './for-each-at-once.ts';
import { type EngineProgress, type RanEngine, runEngine } from './run-engine.ts';

export type { EngineProgress } from './run-engine.ts';

export interface RunEnginesDeps {
  readonly host: EngineHost;
  /** null: no cache. */
  readonly cache: EngineCache | null;
  readonly log: Log;
  readonly catalogue: readonly EngineSpec[];
}

/** What to run. */
export interface EnginesRequest {
  /** null: no policy; the engines are detected from the repository. */
  readonly policy: EnginesPolicy | null;
  /** Ids of the engines to run, even if the policy does not name them; null: all. */
  readonly only: readonly string[] | null;
  readonly mode: ModeRequest;
  /** null: not given or unknown. */
  readonly scope: { readonly cli: readonly string[] | null; readonly env: readonly string[] | null };
  /** Configuration file by engine id. */
  readonly configs: {
    readonly cli: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  };
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
  readonly planned: PlannedEngines;
  /** The part of the report that is known before the run. */
  readonly report: Omit<EnginesReport, 'runs' | 'engineErrors'>;
}

const MAX_DETECTION_BYTES = 1024 * 1024;
const MAX_MATCHER_BYTES = 256 * 1024;

/**
 * Detects engines, applies the policy and plans the runs. Runs nothing.
 * @throws ConfigError if `only` names an unknown engine.
 */
export async function prepareEngines(
  { host, catalogue }: Pick<RunEnginesDeps, 'host' | 'catalogue'>,
  request: EnginesRequest,
): Promise<PreparedEngines> {
  const { mode, scope, configs } = request;
  const settled = await settle(host, catalogue, request);
  const { files, dependencies } = host;
  const { specs, settings } = settled;
  const planned = planEngines({ specs, settings, request: mode, scope, configs, files, dependencies });
  const { plans, dedup, skipped } = planned;
  const configErrors = [...settled.configErrors, ...planned.configErrors].toSorted(byEngine);
  const report = { root: host.root, request: mode, plans, dedup, configErrors, skipped, projects: [] };
  return { request, specs, settings, planned, report: { ...report, ...toQuestion(host, catalogue, request, settled) } };
}

/** What was asked for, and what of it no engine answers. */
function toQuestion(
  { files }: EngineHost,
  catalogue: readonly EngineSpec[],
  { mode, scope, only, policy }: EnginesRequest,
  { specs, settings }: SettledEngines,
): Pick<EnginesReport, 'requestedEngines' | 'requestedPaths' | 'uncoveredPaths' | 'lookedFor'> {
  const canonical = toCanonicalScope(mode === 'target' ? [] : (scope.cli ?? scope.env ?? []));
  const requestedPaths = canonical.kind === 'scope' ? canonical.paths : [];
  const isDetected = only === null && (policy === null || policy.auto);
  return {
    requestedEngines: only ?? [],
    requestedPaths,
    uncoveredPaths: findUncovered({ paths: requestedPaths, specs, settings, files }),
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
  const { request, planned, settings } = prepared;
  const { host, cache, log } = deps;
  const { refresh, timeoutSeconds, maxTimeoutSeconds = null, concurrency, onProgress = ignore } = request;
  const specs = planned.toRun.map(({ spec }) => spec);
  const findTool = createFindTool(host, specs, signal);
  const owners = createFindOwners(planned.plans);
  const shared = { host, cache, log, owners, findTool, onProgress, refresh, timeoutSeconds, maxTimeoutSeconds };
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
    runs: ran.flatMap(({ runs }) => runs).toSorted(byProjectAndMode),
    engineErrors: ran.flatMap(({ errors }) => errors).toSorted(byProjectAndMode),
  };
}

function ignore(): void {
  // Nobody watches.
}

/** Engines in `only` are selected even if neither policy nor repository names them. */
async function settle(
  host: EngineHost,
  catalogue: readonly EngineSpec[],
  { policy: given, only }: EnginesRequest,
): Promise<SettledEngines> {
  const policy = given === null ? null : await readMatchers(host, given);
  if (only === null) {
    return settleEngines({ policy, catalogue, detected: detectEngines(catalogue, await readFacts(host)) });
  }
  const known = [...new Set([...catalogue.map(({ id }) => id), ...Object.keys(policy?.engines ?? {})])].toSorted();
  const unknown = only.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    throw new ConfigError(
      unknown.map((id) => `there is no engine ${JSON.stringify(id)}; there are ${known.join(', ')}`),
    );
  }
  const { specs, settings, configErrors } = settleEngines({
    policy: policy === null ? null : { ...policy, auto: true },
    catalogue,
    detected: only,
  });
  return {
    specs: specs.filter(({ id }) => only.includes(id)),
    settings,
    configErrors: configErrors.filter(({ engine }) => only.includes(engine)),
  };
}

async function readFacts(host: EngineHost): Promise<Parameters<typeof detectEngines>[1]> {
  const paths = DETECTION_FILES.filter((path) => host.files.includes(path));
  const read = paths.map(async (path) => [path, await host.readText(path, MAX_DETECTION_BYTES)] as const);
  const texts = Object.fromEntries(await Promise.all(read));
  return { files: host.files, texts };
}

/** Adds the text of problem matchers that have not been read yet. */
async function readMatchers(host: EngineHost, policy: EnginesPolicy): Promise<EnginesPolicy> {
  const engines: Record<string, EngineSettings> = {};
  for (const [id, settings] of Object.entries(policy.engines)) {
    const { declared } = settings;
    const isUnread = declared !== null && declared.matcher !== null && declared.matcherText === null;
    if (!isUnread) {
      engines[id] = settings;
      continue;
    }
    const matcherText = await host.readText(declared.matcher, MAX_MATCHER_BYTES);
    engines[id] = { ...settings, declared: { ...declared, matcherText } };
  }
  return { ...policy, engines };
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

import { toCanonicalPath } from '../../core/engines/canonical-scope.ts';
import { createFindOwners } from '../../core/engines/create-sight.ts';
import type { ProjectToPlan } from '../../core/engines/plan-engine.ts';
import { type PlannedEngines, planEngines } from '../../core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../core/model/default-policy.ts';
import type { EngineMode, EngineRun, EngineSpec, ModeRequest } from '../../core/model/engine.ts';
import type { EnginesReport } from '../../core/model/engine-report.ts';
import { ConfigError } from '../../core/model/errors.ts';
import type { EngineSettings, EnginesPolicy } from '../../core/model/policy.ts';
import { isDetected } from '../../core/projects/detect-engines.ts';
import { detectProjects, type FoundProjects, type ProjectRules } from '../../core/projects/detect-projects.ts';
import { findDetectionFiles, type RepositoryFacts } from '../../core/projects/repository-facts.ts';
import { chooseProjects, toUnused } from '../../engines/choose-projects.ts';
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
  /** What was read of the repository to plan. */
  readonly facts: RepositoryFacts;
  readonly planned: PlannedEngines;
  /** The part of the report that is known before the run. */
  readonly report: Omit<EnginesReport, 'runs' | 'engineErrors'>;
}

const MAX_DETECTION_BYTES = 1024 * 1024;
const MAX_MATCHER_BYTES = 256 * 1024;
const READ_AT_ONCE = 32;

/**
 * Detects engines, applies the policy and plans the runs. Runs nothing.
 * @throws ConfigError if `only` names an unknown engine.
 */
export async function prepareEngines(
  { host, catalogue }: Pick<RunEnginesDeps, 'host' | 'catalogue'>,
  request: EnginesRequest,
): Promise<PreparedEngines> {
  const { mode, scope, configs } = request;
  const settled = await settle({ host, catalogue }, request);
  const { files, dependencies } = host;
  const { specs, settings, projects, facts } = settled;
  const planned = planEngines({ specs, settings, request: mode, scope, configs, files, dependencies, projects });
  const { plans, dedup, skipped } = planned;
  const configErrors = [...settled.configErrors, ...planned.configErrors].toSorted(byEngine);
  return {
    request,
    specs,
    settings,
    facts,
    planned,
    report: { root: host.root, request: mode, plans, dedup, configErrors, skipped, projects: settled.considered },
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
  const { request, planned, settings, facts } = prepared;
  const { host, cache, log } = deps;
  const { refresh, timeoutSeconds, maxTimeoutSeconds = null, concurrency, onProgress = ignore } = request;
  const specs = planned.toRun.map(({ spec }) => spec);
  const findTool = createFindTool(host, specs, signal);
  const owners = createFindOwners(planned.plans);
  const shared = {
    host,
    cache,
    log,
    owners,
    texts: facts.texts,
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
    runs: ran.flatMap(({ runs }) => runs).toSorted(byProjectAndMode),
    engineErrors: ran.flatMap(({ errors }) => errors).toSorted(byProjectAndMode),
  };
}

function ignore(): void {
  // Nobody watches.
}

/** What is run where, and why. */
interface SettledProjects extends SettledEngines {
  readonly facts: RepositoryFacts;
  readonly projects: Readonly<Record<string, readonly ProjectToPlan[]>>;
  readonly considered: EnginesReport['projects'];
}

/** Chooses the engines, and the projects of each. An error in the projects of an engine switches off that engine. */
async function settle(
  { host, catalogue }: Pick<RunEnginesDeps, 'host' | 'catalogue'>,
  request: EnginesRequest,
): Promise<SettledProjects> {
  const policy = request.policy === null ? null : await readMatchers(host, request.policy);
  const facts = await readFacts(host);
  const rules = toProjectRules(policy);
  const found = detectProjects(catalogue, facts, rules);
  const detected = catalogue.filter((spec) => isDetected(spec) && (found.get(spec.id)?.taken.length ?? 0) > 0);
  const settled = chooseEngines({ ...request, policy }, catalogue, toIds(detected));
  const chosen = await Promise.all(
    settled.specs.map(async (spec) => {
      const settings = settled.settings[spec.id] ?? DEFAULT_ENGINE_SETTINGS;
      const configPath = request.configs.cli[spec.id] ?? request.configs.env[spec.id] ?? settings.config;
      const texts = configPath === null ? {} : { [configPath]: await host.readText(configPath, MAX_DETECTION_BYTES) };
      const of = { found: found.get(spec.id) ?? NO_PROJECTS, facts: { ...facts, texts: { ...facts.texts, ...texts } } };
      return { spec, ...chooseProjects({ spec, settings, configPath, ...of }) };
    }),
  );
  const unused = catalogue.filter((spec) => isDetected(spec) && !settled.specs.includes(spec));
  return {
    facts,
    specs: chosen.filter(({ error }) => error === null).map(({ spec }) => spec),
    settings: settled.settings,
    configErrors: [...settled.configErrors, ...chosen.flatMap(({ error }) => error ?? [])],
    projects: Object.fromEntries(chosen.map(({ spec, projects }) => [spec.id, projects])),
    considered: [
      ...chosen.flatMap(({ considered }) => considered),
      ...unused.flatMap((spec) => toUnused(spec, found.get(spec.id) ?? NO_PROJECTS)),
    ].toSorted(byEngine),
  };
}

const NO_PROJECTS: FoundProjects = { taken: [], left: [] };

/** Entries that lead out of the repository name nothing. */
function toProjectRules(policy: EnginesPolicy | null): ProjectRules {
  const { add = [], exclude = [] } = policy?.projects ?? {};
  return { add: add.flatMap((path) => toCanonicalPath(path) ?? []), exclude };
}

function toIds(specs: readonly Pick<EngineSpec, 'id'>[]): readonly string[] {
  return specs.map(({ id }) => id);
}

/** Engines in `only` are selected even if neither policy nor repository names them. */
function chooseEngines(
  { policy, only }: Pick<EnginesRequest, 'policy' | 'only'>,
  catalogue: readonly EngineSpec[],
  detected: readonly string[],
): SettledEngines {
  if (only === null) return settleEngines({ policy, catalogue, detected });
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

async function readFacts({ files, readText }: EngineHost): Promise<RepositoryFacts> {
  const texts: Record<string, string | null> = {};
  await forEachAtOnce(findDetectionFiles(files), READ_AT_ONCE, async (path) => {
    texts[path] = await readText(path, MAX_DETECTION_BYTES);
  });
  return { files, texts };
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

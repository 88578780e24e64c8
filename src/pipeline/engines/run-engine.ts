import { toFailureWarning } from '../../core/engines/failure-warning.ts';
import { hasSeenAll } from '../../core/engines/has-seen-all.ts';
import { type JudgedRun, judgeRun } from '../../core/engines/judge-run.ts';
import type { RawRun } from '../../core/engines/merge-chunks.ts';
import { toDependencies } from '../../core/engines/to-dependencies.ts';
import { fingerprintFindings } from '../../core/findings/fingerprint-findings.ts';
import type { EngineError, EnginePlan, EngineRun, EngineSpec } from '../../core/model/engine.ts';
import { CodedError, toError } from '../../core/model/errors.ts';
import type { EngineSettings } from '../../core/model/policy.ts';
import type { RepositoryFacts } from '../../core/projects/repository-facts.ts';
import type { EngineCache } from '../../ports/engine-cache.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Log } from '../../ports/log.ts';
import type { FindTool } from './find-tool.ts';
import { identifyRun, type RunIdentity } from './identify-run.ts';
import { readLines } from './read-lines.ts';
import { runCommands } from './run-commands.ts';

export interface RunEngineDeps {
  readonly host: EngineHost;
  readonly cache: EngineCache | null;
  readonly log: Log;
  readonly findTool: FindTool;
  /** Texts of configuration files by path. */
  readonly texts: RepositoryFacts['texts'];
  /** Folders below the root whose dependencies are missing. */
  readonly lacking: readonly string[];
  /** Ignores stored runs. */
  readonly refresh: boolean;
  /** Time limit that overrides the policy and the engine (resolution C6); null: not set. */
  readonly timeoutSeconds: number | null;
  /** Upper limit set by the operator; null: none. */
  readonly maxTimeoutSeconds: number | null;
}

/** Message of the warning about an engine that failed. Its report says the same. */
export const ENGINE_FAILED = 'an engine failed';
const MAX_LINE_LENGTH = 1000;

/** One plan of an engine. */
export interface EngineJob {
  readonly spec: EngineSpec;
  readonly settings: EngineSettings;
  readonly plan: EnginePlan;
}

/** The raw result of a run. */
interface EngineOutput {
  readonly raw: RawRun;
  readonly version: string | null;
  readonly identity: RunIdentity;
  readonly cached: boolean;
}

/** What became of a plan: a run, an error, or both. */
export interface RanPlan {
  readonly run: EngineRun | null;
  readonly error: EngineError | null;
}

/**
 * Runs one plan of an engine. An error in our code or in a parser is reported as a failure of this engine only. An error that
 * concerns all engines (disk, git) is thrown.
 */
export async function runEngine(deps: RunEngineDeps, job: EngineJob, signal: AbortSignal): Promise<RanPlan> {
  try {
    return await answer(deps, job, signal);
  } catch (error) {
    if (signal.aborted || isForAll(error)) throw error;
    const { engine, project, mode, cwd } = job.plan;
    deps.log.error({ engine, project, mode, error: toError(error) }, 'an engine could not be run');
    const message = 'Ratchet itself failed while it ran; its log says why';
    return {
      run: null,
      error: {
        ...{ engine, project, mode, kind: 'CRASHED', message },
        ...{ exitCode: null, signal: null, argv: [], cwd, stderr: '' },
      },
    };
  }
}

/** An error that may go away on retry is not the fault of an engine. */
function isForAll(error: unknown): boolean {
  return error instanceof CodedError && error.retry !== 'never';
}

async function answer(deps: RunEngineDeps, job: EngineJob, signal: AbortSignal): Promise<RanPlan> {
  const { host } = deps;
  const { spec, plan } = job;
  const got = await runOrRecall(deps, job, signal);
  const judged = judge(deps, job, got);
  const lineText = await readLines(host, judged.findings);
  const findings = fingerprintFindings({ tool: spec.id, project: plan.project, findings: judged.findings, lineText });
  if (judged.error !== null) warn(deps.log, judged.error, { targets: plan.targets, cached: got.cached });
  if (!got.cached && hasSeenAll(judged)) await remember(deps, got, judged);
  return { run: toRun(job, got, { judged, findings }), error: judged.error };
}

async function runOrRecall(deps: RunEngineDeps, job: EngineJob, signal: AbortSignal): Promise<EngineOutput> {
  const { host, cache, refresh } = deps;
  const { spec, plan } = job;
  const tool = await deps.findTool(spec, plan.cwd);
  const identity = await identifyRun(host, { ...job, tool, dependencies: findDependencies(deps, plan) });
  const known = refresh || identity.cacheKey === null ? null : await recall(deps, cache, identity.cacheKey);
  if (known !== null) return { ...known, identity, cached: true };
  const timeoutMs = toTimeoutMs(deps, job);
  const raw = await runCommands({ host, ...job, tool, timeoutMs, texts: deps.texts }, signal);
  return { raw, version: tool.version, identity, cached: false };
}

async function recall(
  { log }: RunEngineDeps,
  cache: EngineCache | null,
  key: string,
): Promise<Pick<EngineOutput, 'raw' | 'version'> | null> {
  try {
    const stored = (await cache?.get(key)) ?? null;
    if (stored === null) return null;
    const { argv, exit, payload, stderr, version } = stored;
    return { raw: { argv, exit, payload, stderr }, version };
  } catch (error) {
    log.warn({ error: toError(error) }, 'the cache of engine runs cannot be read');
    return null;
  }
}

/** Cached runs are judged again too, so that improved rules apply to them (003.R24). */
function judge(deps: RunEngineDeps, { spec, plan, settings }: EngineJob, { raw, version }: EngineOutput): JudgedRun {
  const dependencies = findDependencies(deps, plan);
  return judgeRun({ spec, plan, settings, version, cwd: plan.cwd, dependencies, ...raw });
}

function findDependencies({ host, lacking }: RunEngineDeps, { project }: EnginePlan): EngineHost['dependencies'] {
  return toDependencies({ dependencies: host.dependencies, lacking }, project);
}

async function remember({ cache, log }: RunEngineDeps, got: EngineOutput, judged: JudgedRun): Promise<void> {
  const { raw, version, identity } = got;
  if (cache === null || identity.cacheKey === null) return;
  const { category, classifierVersion } = judged;
  try {
    await cache.put(identity.cacheKey, { ...raw, version, category, classifierVersion });
  } catch (error) {
    log.warn({ error: toError(error) }, 'a run could not be cached');
  }
}

function toRun(
  { spec, plan }: EngineJob,
  { raw, version, identity, cached }: EngineOutput,
  { judged, findings }: { readonly judged: JudgedRun; readonly findings: EngineRun['findings'] },
): EngineRun {
  const { exit, category, returnCode, classifierVersion, complete, incompleteWhy, tests, coverage } = judged;
  const { unparsed, notes } = judged;
  return {
    engine: spec.id,
    project: plan.project,
    kind: spec.kind,
    mode: plan.mode,
    planHash: plan.hash,
    signature: identity.signature,
    version,
    argv: raw.argv,
    cwd: plan.cwd,
    ...{ exit, returnCode, category, classifierVersion, complete, incompleteWhy },
    ...(unparsed === undefined ? {} : { unparsed }),
    ...(notes === undefined ? {} : { notes }),
    findings,
    tests,
    coverage,
    cached,
  };
}

/** The most specific setting wins, up to the limit of the operator. */
function toTimeoutMs({ timeoutSeconds, maxTimeoutSeconds }: RunEngineDeps, { spec, settings }: EngineJob): number {
  const seconds = timeoutSeconds ?? settings.timeoutSeconds;
  const wantedMs = seconds === null ? spec.timeoutMs : seconds * 1000;
  return maxTimeoutSeconds === null ? wantedMs : Math.min(wantedMs, maxTimeoutSeconds * 1000);
}

/** Logs every failure, including cached ones (003.R12). The lists are short, but each word may be long. */
function warn(
  log: Log,
  error: EngineError,
  from: { readonly targets: readonly string[]; readonly cached: boolean },
): void {
  const { command, targets, ...fields } = toFailureWarning(error, from);
  log.warn({ ...fields, command: toLine(command), targets: toLine(targets) }, ENGINE_FAILED);
}

function toLine(words: readonly string[]): string {
  return words.join(' ').slice(0, MAX_LINE_LENGTH).toWellFormed();
}

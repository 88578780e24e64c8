import type { CheckGround } from '../compose-check.ts';
import { findConfigFiles } from '../core/engines/run-signature.ts';
import { compareRuns } from '../core/findings/compare-runs.ts';
import { findSuppressions } from '../core/findings/find-suppressions.ts';
import type { EnginesReport } from '../core/model/engine-report.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { CheckStory } from '../core/render/check-story.ts';
import {
  type EnginesRequest,
  type PreparedEngines,
  prepareEngines,
  type RunEnginesDeps,
  runPrepared,
} from '../pipeline/engines/run-engines.ts';

/** What is compared with what. */
export interface BaseRequest {
  readonly ground: CheckGround;
  readonly deps: RunEnginesDeps;
  readonly request: EnginesRequest;
  readonly prepared: PreparedEngines;
  readonly report: EnginesReport;
  /** Commit of the base, as `findBase` gave it. */
  readonly base: string;
}

const MAX_PATCH_BYTES = 64 * 1024 * 1024;
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/**
 * The commit that HEAD and the revision have in common.
 * @throws ConfigError where there is no such revision.
 */
export async function findBase({ repository }: CheckGround, revision: string, signal: AbortSignal): Promise<string> {
  const base = await repository.findBase(revision, signal);
  if (base === null) throw new ConfigError([`--base: there is no commit ${JSON.stringify(revision)} here`]);
  return base;
}

/**
 * How the TARGET findings differ from those at the base. The base is checked under the settings, configuration files and
 * dependencies of the checkout: a finding is new because of the code, never because of those.
 */
export async function compareWithBase(
  given: BaseRequest,
  signal: AbortSignal,
): Promise<NonNullable<CheckStory['comparison']>> {
  const { ground, report, base } = given;
  const { patch, renames } = await ground.repository.diffFrom(base, MAX_PATCH_BYTES, signal);
  const heads = report.runs.filter(({ mode }) => mode === 'target');
  const baseReport = await runBase(
    given,
    heads.map(({ engine }) => engine),
    signal,
  );
  const engines = heads.map((head) => {
    const run = baseReport.runs.find(({ engine, mode }) => engine === head.engine && mode === 'target');
    return compareRuns({ head, base: run ?? null, renames });
  });
  return { base, engines, suppressions: findSuppressions(patch) };
}

async function runBase(
  { ground, deps, request, prepared, base }: BaseRequest,
  engines: readonly string[],
  signal: AbortSignal,
): Promise<EnginesReport> {
  const host = await ground.openBase(base, (files) => readConfigFiles(ground, prepared, files), signal);
  const baseDeps = { ...deps, host };
  const baseRequest: EnginesRequest = { ...request, mode: 'target', only: engines };
  return runPrepared(baseDeps, await prepareEngines(baseDeps, baseRequest), signal);
}

/** Texts of what steers the engines, as they are in the checkout; null for what only the base has. */
async function readConfigFiles(
  { host }: CheckGround,
  { planned, settings }: PreparedEngines,
  baseFiles: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const files = [...new Set([...host.files, ...baseFiles])];
  const paths = planned.toRun.flatMap(({ spec, plans }) => plans.flatMap((plan) => findConfigFiles(spec, plan, files)));
  const matchers = Object.values(settings).flatMap(({ declared }) => declared?.matcher ?? []);
  const texts: Record<string, string | null> = {};
  for (const path of new Set([...paths, ...matchers])) texts[path] = await host.readText(path, MAX_CONFIG_BYTES);
  return texts;
}

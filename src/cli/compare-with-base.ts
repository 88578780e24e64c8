import type { CheckGround } from '../compose/compose-check.ts';
import { createSight } from '../core/engines/create-sight.ts';
import { type ConfigFiles, findCarried, findChangedConfigs, findConfigs } from '../core/engines/find-carried.ts';
import { findUnlooked } from '../core/engines/find-unlooked.ts';
import { toChangedLines } from '../core/findings/changed-lines.ts';
import { compareSides } from '../core/findings/compare-sides.ts';
import { findSuppressions } from '../core/findings/find-suppressions.ts';
import type { EngineRun } from '../core/model/engine.ts';
import type { EnginesReport } from '../core/model/engine-report.ts';
import { ConfigError } from '../core/model/errors.ts';
import { toProjectKey } from '../core/model/project.ts';
import type { CheckStory } from '../core/render/check-story.ts';
import {
  type EnginesRequest,
  type PreparedEngines,
  prepareEngines,
  type RunEnginesDeps,
  runPrepared,
} from '../pipeline/engines/run-engines.ts';
import type { PlacedCommit } from '../ports/local-repository.ts';

/** Input of the comparison with the base. */
export interface BaseRequest {
  readonly ground: CheckGround;
  readonly deps: RunEnginesDeps;
  readonly request: EnginesRequest;
  readonly prepared: PreparedEngines;
  readonly report: EnginesReport;
  /** Commit of the base, from `findBase`. */
  readonly base: string;
}

const MAX_PATCH_BYTES = 64 * 1024 * 1024;
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

const FETCH = 'fetch its history (git fetch --unshallow, or fetch-depth: 0 of actions/checkout)';

/**
 * The merge base of HEAD and the revision.
 * @throws ConfigError if there is no such revision, or none in common with HEAD. Error if the clone is too shallow to tell.
 */
export async function findBase({ repository }: CheckGround, revision: string, signal: AbortSignal): Promise<string> {
  const base = await repository.findBase(revision, signal);
  if (base.kind === 'found') return base.commit;
  const name = JSON.stringify(revision);
  const hint = base.isShallow ? `; this clone is shallow: ${FETCH}` : '';
  if (base.kind === 'no_commit') throw new ConfigError([`--base: there is no commit ${name} here${hint}`]);
  const why = `--base: HEAD and ${name} have no commit in common here${hint}`;
  throw base.isShallow ? new Error(why) : new ConfigError([why]);
}

/**
 * Compares the TARGET findings with those at the base. The base is checked with the checkout's settings, configuration
 * files and dependencies, so a finding can only be new because of the code.
 */
export async function compareWithBase(
  given: BaseRequest,
  signal: AbortSignal,
): Promise<NonNullable<CheckStory['comparison']>> {
  const { ground, prepared, report, base } = given;
  const diff = await ground.repository.diffFrom(base, MAX_PATCH_BYTES, signal);
  const { patch, isPatchWhole, renames, changed } = diff;
  const heads = report.runs.filter(({ mode }) => mode === 'target');
  const only = [...new Set(heads.map(({ engine }) => engine))];
  const { runs, configs, carried, placed } = await runBase(given, only, signal);
  const changedConfigs = findChangedConfigs(configs, changed);
  const engines = compareSides({
    ...{ heads, renames, changedConfigs },
    bases: new Map(runs.map((run) => [toProjectKey(run), run])),
    changedLines: toChangedLines(patch, renames),
    carried: new Set(carried.filter((path) => changed.has(path))),
    apart: placed.apart,
    sight: createSight(prepared.planned),
  });
  return {
    base,
    engines,
    suppressions: findSuppressions(patch, renames),
    isPatchWhole,
    unlooked: findUnlooked(report, changed),
    changedConfigs,
    notes: placed.notes,
  };
}

/** The base's runs, and the files that it took from the checkout. */
interface RanBase {
  readonly runs: readonly EngineRun[];
  readonly configs: ConfigFiles;
  readonly carried: readonly string[];
  readonly placed: PlacedCommit;
}

async function runBase(
  { ground, deps, request, prepared, base }: BaseRequest,
  engines: readonly string[],
  signal: AbortSignal,
): Promise<RanBase> {
  const toOverlay = async (baseFiles: readonly string[]): Promise<Readonly<Record<string, string | null>>> => {
    return readTexts(ground, findEngineConfigs(ground, prepared, baseFiles).carried);
  };
  const { host, placed } = await ground.openBase(base, toOverlay, signal);
  const baseDeps = { ...deps, host };
  const baseRequest: EnginesRequest = { ...request, mode: 'target', only: engines };
  const { runs } = await runPrepared(baseDeps, await prepareEngines(baseDeps, baseRequest), signal);
  return { runs, placed, ...findEngineConfigs(ground, prepared, placed.files) };
}

/** Finds the files that configure the engines, here or at the base. The base gets the versions of the checkout. */
function findEngineConfigs(
  { host }: CheckGround,
  { report, specs, settings }: PreparedEngines,
  baseFiles: readonly string[],
): Pick<RanBase, 'configs' | 'carried'> {
  const files = [...new Set([...host.files, ...baseFiles])];
  const configs = findConfigs({ plans: report.plans, specs, files });
  const matchers = Object.values(settings).flatMap(({ declared }) => declared?.matcher ?? []);
  return { configs, carried: findCarried(configs, matchers) };
}

/** Texts of the checkout's files; null for files that exist only at the base. */
async function readTexts(
  { host }: CheckGround,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const texts: Record<string, string | null> = {};
  for (const path of paths) texts[path] = await host.readText(path, MAX_CONFIG_BYTES);
  return texts;
}

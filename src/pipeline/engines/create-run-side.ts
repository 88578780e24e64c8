import { createSight } from '../../core/engines/create-sight.ts';
import { type EngineSource, listEngineIds, toSourceConfigs } from '../../core/engines/engine-source.ts';
import type { EngineSpec } from '../../core/model/engine.ts';
import type { Deps } from '../deps.ts';
import type { RunSide } from '../quality/quality-side.ts';
import { createTreeHost } from './create-tree-host.ts';
import { prepareEngines, runPrepared } from './run-engines.ts';

export interface RunSideDeps extends Pick<Deps, 'clock' | 'git' | 'log' | 'sites'> {
  readonly catalogue: readonly EngineSpec[];
  /** What the environment of the service says, for every repository. */
  readonly source: EngineSource;
  /** How many engines run at the same time, each in its own site. */
  readonly concurrency: number;
  /** The time limit that the operator sets for each engine run. null: none. */
  readonly maxTimeoutSeconds: number | null;
}

/** Runs engines over a tree of a pull request. */
export function createRunSide(deps: RunSideDeps): RunSide {
  const { catalogue, source, concurrency, maxTimeoutSeconds, log, clock } = deps;
  return async (side, { policy, mode, only, paths, timeoutSeconds, refresh }, signal) => {
    const host = await createTreeHost(deps, side, signal);
    const engineLog = log.child({ key: side.key, side: side.name });
    const engineDeps = { host, cache: side.cache, log: engineLog, clock, catalogue };
    const prepared = await prepareEngines(engineDeps, {
      ...{ policy, mode, only, timeoutSeconds, maxTimeoutSeconds, refresh, concurrency },
      scope: { cli: paths, env: source.paths },
      configs: { cli: {}, env: toSourceConfigs(source, listEngineIds(catalogue, policy)) },
    });
    const report = await runPrepared(engineDeps, prepared, signal);
    return { report, specs: prepared.specs, sight: createSight(prepared.planned) };
  };
}

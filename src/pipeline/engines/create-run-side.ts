import { createSight } from '../../core/engines/create-sight.ts';
import { DEPENDENCY_FILES, needsDependencies } from '../../core/engines/needs-dependencies.ts';
import type { EngineSpec } from '../../core/model/engine.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import type { Deps } from '../deps.ts';
import type { RunSide, Side } from '../quality/quality-side.ts';
import { createSandboxHost } from './create-sandbox-host.ts';
import { prepareEngines, runPrepared } from './run-engines.ts';

/** What a side is run with. */
export interface RunSideDeps extends Pick<Deps, 'files' | 'git' | 'log' | 'sandbox'> {
  readonly catalogue: readonly EngineSpec[];
  /** How many engines run at one time, each in a slot of its own. */
  readonly concurrency: number;
  /** Ceiling of the operator for each run of an engine; null: none. */
  readonly maxTimeoutSeconds: number | null;
}

const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Engines over a tree of a pull request, in sandboxes. */
export function createRunSide(deps: RunSideDeps): RunSide {
  const { catalogue, concurrency, maxTimeoutSeconds, log } = deps;
  return async (side, { policy, mode, only, paths, timeoutSeconds, refresh }, signal) => {
    const host = await openHost(deps, side, signal);
    const engineDeps = { host, cache: side.cache, log: log.child({ key: side.key, side: side.name }), catalogue };
    const prepared = await prepareEngines(engineDeps, {
      ...{ policy, mode, only, timeoutSeconds, maxTimeoutSeconds, refresh, concurrency },
      scope: { cli: paths, env: null },
      configs: { cli: {}, env: {} },
    });
    const report = await runPrepared(engineDeps, prepared, signal);
    return { report, specs: prepared.specs, sight: createSight(prepared.planned) };
  };
}

async function openHost(deps: RunSideDeps, side: Side, signal: AbortSignal): Promise<EngineHost> {
  const { repository, treeSha, name, slot } = side;
  const files = await deps.git.listFiles(repository, signal, treeSha);
  const ground = {
    ...{ runId: repository.runId, repository, treeSha, name: `engines-${name}`, files, slot },
    mounts: side.dependencies ?? [],
    dependencies: await findDependencies(deps, { side, files }, signal),
    concurrency: deps.concurrency,
  };
  return createSandboxHost(deps, ground, signal);
}

/** Without a `setup` nothing is mounted, which is all right where nothing is needed. */
async function findDependencies(
  { git }: RunSideDeps,
  { side, files }: { readonly side: Side; readonly files: readonly string[] },
  signal: AbortSignal,
): Promise<EngineHost['dependencies']> {
  if (side.dependencies === null) return 'missing';
  if (side.dependencies.length > 0) return 'ready';
  const want = { treeish: side.treeSha, paths: DEPENDENCY_FILES, maxBytes: MAX_MANIFEST_BYTES };
  const texts = await git.readFiles(side.repository, want, signal);
  return needsDependencies(files, texts) ? 'missing' : 'ready';
}

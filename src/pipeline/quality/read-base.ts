import { type ConfigFiles, findCarried, findChangedConfigs, findConfigs } from '../../core/engines/find-carried.ts';
import { findUnlooked } from '../../core/engines/find-unlooked.ts';
import { hasSeenAll } from '../../core/engines/has-seen-all.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import { toProjectKey } from '../../core/model/project.ts';
import type { BudgetSet } from '../../core/model/quality.ts';
import type { QualityStory } from '../../core/quality/quality-story.ts';
import type { StoredRunKey } from '../../ports/quality-store.ts';
import type { Deps } from '../deps.ts';
import { isManifest } from '../prepare/prepare-dependencies.ts';
import type { RunSide, Side, SideRequest, SideResult } from './quality-side.ts';

type BaseDeps = Pick<Deps, 'clock' | 'git' | 'log' | 'store'> & { readonly runSide: RunSide };

const MAX_PATCH_BYTES = 16 * 1024 * 1024;
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;
/** Maximum number of configuration files and manifests carried over to the base. */
const MAX_CARRIED = 500;

/** The head to compare. */
export interface HeadSide {
  readonly head: Side;
  /** null: head and base have no common commit. */
  readonly baseSha: Sha | null;
  /** Tracked paths of the head. */
  readonly tracked: readonly string[];
  readonly result: SideResult;
  readonly request: Pick<SideRequest, 'policy' | 'paths' | 'timeoutSeconds' | 'refresh'>;
}

/** The base side of the comparison. */
export interface BaseSide {
  /** TARGET runs by `toProjectKey`. */
  readonly runs: ReadonlyMap<string, EngineRun>;
  readonly patch: string;
  readonly isPatchWhole: boolean;
  /** See `findUnlooked`. */
  readonly unlooked: readonly string[];
  readonly changedConfigs: QualityStory['changedConfigs'];
  /** Files that the change touches and that the base run took from the head. */
  readonly carried: ReadonlySet<string>;
  readonly budgets: readonly BudgetSet[];
  readonly keepBudgets: (budgets: readonly BudgetSet[]) => void;
}

const NO_BASE: BaseSide = {
  runs: new Map(),
  patch: '',
  isPatchWhole: false,
  unlooked: [],
  changedConfigs: [],
  carried: new Set(),
  budgets: [],
  keepBudgets: () => undefined,
};

/**
 * The TARGET runs of the merge base: stored runs with the same content, signature and rules, or new ones. The base is checked with
 * configuration, manifests and dependencies of the head, so that a new finding comes from the code. Incomplete runs are not
 * stored.
 */
export async function readBase(deps: BaseDeps, side: HeadSide, signal: AbortSignal): Promise<BaseSide> {
  const { head, baseSha, result } = side;
  if (baseSha === null) return NO_BASE;
  const { repository, key } = head;
  const baseFiles = await deps.git.listFiles(repository, signal, baseSha);
  const files = [...new Set([...side.tracked, ...baseFiles])];
  const configs = findConfigs({ plans: result.report.plans, specs: result.specs, files });
  const carried = findSteering(configs, files);
  const treeSha = await writeBaseTree(deps, side, { baseSha, carried }, signal);
  const diff = { from: baseSha, to: head.treeSha, maxPatchBytes: MAX_PATCH_BYTES };
  const { patch, patchTruncated, changes } = await deps.git.diffTrees(repository, diff, signal);
  const heads = result.report.runs.filter(({ mode }) => mode === 'target');
  const toKey = ({ engine, signature }: Pick<EngineRun, 'engine' | 'signature'>): StoredRunKey => ({
    ...{ key, treeSha, engine, signature },
  });
  const changed = new Set(changes.map(({ path }) => path));
  return {
    runs: await takeRuns(deps, side, { heads, treeSha, toKey }, signal),
    patch,
    isPatchWhole: !patchTruncated,
    unlooked: findUnlooked(result.report, changed),
    changedConfigs: findChangedConfigs(configs, changed),
    carried: new Set(carried.filter((path) => changed.has(path))),
    budgets: heads.flatMap((run) => deps.store.budgets(toKey(run), deps.clock.now()) ?? []),
    keepBudgets: (budgets) => {
      for (const set of budgets) deps.store.saveBudgets(toKey(set), set, deps.clock.now());
    },
  };
}

/** Configuration files and manifests of the head or the base. */
function findSteering(configs: ConfigFiles, files: readonly string[]): readonly string[] {
  return findCarried(configs, files.filter(isManifest)).slice(0, MAX_CARRIED);
}

/** Writes the tree of the base with configuration files and manifests of the head. Those missing at the head are removed. */
async function writeBaseTree(
  { git }: BaseDeps,
  { head, tracked }: HeadSide,
  { baseSha, carried }: { readonly baseSha: Sha; readonly carried: readonly string[] },
  signal: AbortSignal,
): Promise<Sha> {
  const there = new Set(tracked);
  const paths = carried.filter((path) => there.has(path));
  const want = { treeish: head.treeSha, paths, maxBytes: MAX_CONFIG_BYTES };
  const texts = await git.readFiles(head.repository, want, signal);
  const gone = carried.filter((path) => !there.has(path)).map((path) => [path, null] as const);
  return git.writeTree(head.repository, { treeSha: baseSha, files: { ...texts, ...Object.fromEntries(gone) } }, signal);
}

interface Runs {
  readonly heads: readonly EngineRun[];
  readonly treeSha: Sha;
  readonly toKey: (run: Pick<EngineRun, 'engine' | 'signature'>) => StoredRunKey;
}

async function takeRuns(
  deps: BaseDeps,
  { head, request }: HeadSide,
  { heads, treeSha, toKey }: Runs,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, EngineRun>> {
  const { clock, store } = deps;
  const runs = new Map<string, EngineRun>();
  const comparable = heads.filter(({ complete, findings }) => complete || findings.length > 0);
  for (const run of request.refresh ? [] : comparable) {
    const stored = store.storedRun(toKey(run), clock.now());
    // A run that older rules judged is made again, so that better rules reach it (003.R24).
    if (stored?.classifierVersion === run.classifierVersion) runs.set(toProjectKey(run), stored);
  }
  const missing = comparable.filter((run) => !runs.has(toProjectKey(run)));
  if (missing.length === 0) return runs;
  const only = [...new Set(missing.map(({ engine }) => engine))];
  const { report } = await deps.runSide(
    { ...head, name: 'base', treeSha },
    { ...request, mode: 'target', only },
    signal,
  );
  signal.throwIfAborted();
  for (const run of report.runs.filter(({ mode }) => mode === 'target')) {
    runs.set(toProjectKey(run), run);
    const isSound =
      hasSeenAll(run) &&
      missing.some((one) => toProjectKey(one) === toProjectKey(run) && one.signature === run.signature);
    if (isSound) store.saveStoredRun(toKey(run), run, clock.now());
  }
  deps.log.info({ key: head.key, engines: only.length, runs: report.runs.length }, 'engines ran over the merge base');
  return runs;
}

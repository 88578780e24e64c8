import { findConfigFiles } from '../../core/engines/run-signature.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { BudgetSet } from '../../core/model/quality.ts';
import type { QualityStory } from '../../core/quality/quality-story.ts';
import type { StoredRunKey } from '../../ports/quality-store.ts';
import type { Deps } from '../deps.ts';
import { isManifest } from '../prepare-dependencies.ts';
import type { RunSide, Side, SideRequest, SideResult } from './quality-side.ts';

type BaseDeps = Pick<Deps, 'clock' | 'git' | 'log' | 'store'> & { readonly runSide: RunSide };

const MAX_PATCH_BYTES = 16 * 1024 * 1024;
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;
/** Configuration files and manifests that are carried over; with more of them nothing is comparable. */
const MAX_CARRIED = 500;

/** The head that is to be compared. */
export interface HeadSide {
  readonly head: Side;
  /** null: there is no common commit. */
  readonly baseSha: Sha | null;
  /** Paths that the head tracks. */
  readonly tracked: readonly string[];
  readonly result: SideResult;
  readonly request: Pick<SideRequest, 'policy' | 'paths' | 'timeoutSeconds' | 'refresh'>;
}

/** What a head is compared with. */
export interface BaseSide {
  /** TARGET runs by engine. */
  readonly runs: ReadonlyMap<string, EngineRun>;
  readonly patch: string;
  readonly isPatchWhole: boolean;
  readonly changedConfigs: QualityStory['changedConfigs'];
  readonly budgets: readonly BudgetSet[];
  readonly keepBudgets: (budgets: readonly BudgetSet[]) => void;
}

const NO_BASE: BaseSide = {
  runs: new Map(),
  patch: '',
  isPatchWhole: false,
  changedConfigs: [],
  budgets: [],
  keepBudgets: () => undefined,
};

/**
 * The TARGET runs of the merge base: stored ones, where content and signature are equal, else made now. The base is looked at with
 * the head's configuration and manifests and under the head's dependencies, so that a finding is new because of the code. A failed
 * run of it is stored nowhere.
 */
export async function readBase(deps: BaseDeps, side: HeadSide, signal: AbortSignal): Promise<BaseSide> {
  const { head, baseSha, result } = side;
  if (baseSha === null) return NO_BASE;
  const { repository, key } = head;
  const baseFiles = await deps.git.listFiles(repository, signal, baseSha);
  const configs = findConfigs(side, baseFiles);
  const treeSha = await writeBaseTree(deps, side, { baseSha, baseFiles, configs }, signal);
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
    changedConfigs: toChangedConfigs(configs, changed),
    budgets: heads.flatMap((run) => deps.store.budgets(toKey(run), deps.clock.now()) ?? []),
    keepBudgets: (budgets) => {
      for (const set of budgets) deps.store.saveBudgets(toKey(set), set, deps.clock.now());
    },
  };
}

type ConfigFiles = ReadonlyMap<string, readonly string[]>;

/** By engine that ran, what configures it at the head or at the base. */
function findConfigs({ result, tracked }: HeadSide, baseFiles: readonly string[]): ConfigFiles {
  const all = [...new Set([...tracked, ...baseFiles])];
  const found = new Map<string, readonly string[]>();
  for (const { engine, configPath } of result.report.plans) {
    const spec = result.specs.find(({ id }) => id === engine);
    if (spec !== undefined) found.set(engine, findConfigFiles(spec, { configPath }, all));
  }
  return found;
}

function toChangedConfigs(configs: ConfigFiles, changed: ReadonlySet<string>): QualityStory['changedConfigs'] {
  return [...configs].flatMap(([engine, files]) => {
    const paths = files.filter((path) => changed.has(path));
    return paths.length === 0 ? [] : [{ engine, paths }];
  });
}

/** Files of the base, with the head's configuration and manifests in their place: also none where the head has none. */
async function writeBaseTree(
  { git }: BaseDeps,
  { head, tracked }: HeadSide,
  base: { readonly baseSha: Sha; readonly baseFiles: readonly string[]; readonly configs: ConfigFiles },
  signal: AbortSignal,
): Promise<Sha> {
  const { baseSha, baseFiles, configs } = base;
  const there = new Set(tracked);
  const manifests = [...tracked, ...baseFiles].filter(isManifest);
  const carried = [...new Set([...[...configs.values()].flat(), ...manifests])].toSorted().slice(0, MAX_CARRIED);
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
    if (stored !== null) runs.set(run.engine, stored);
  }
  const missing = comparable.filter(({ engine }) => !runs.has(engine));
  if (missing.length === 0) return runs;
  const only = missing.map(({ engine }) => engine);
  const { report } = await deps.runSide(
    { ...head, name: 'base', treeSha },
    { ...request, mode: 'target', only },
    signal,
  );
  signal.throwIfAborted();
  for (const run of report.runs.filter(({ mode }) => mode === 'target')) {
    runs.set(run.engine, run);
    const isSound =
      run.complete && missing.some(({ engine, signature }) => engine === run.engine && signature === run.signature);
    if (isSound) store.saveStoredRun(toKey(run), run, clock.now());
  }
  deps.log.info(
    { key: head.key, engines: missing.length, runs: report.runs.length },
    'engines ran over the merge base',
  );
  return runs;
}

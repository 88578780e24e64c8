import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { QualityStore, StoredRunKey } from '../../ports/quality-store.ts';
import { StoredEngineRun } from '../../schemas/stored-engine-run.ts';
import { parseStoredInvocation } from '../../schemas/stored-invocation.ts';
import type { Database } from './database.ts';
import { parseJsonColumn } from './json-columns.ts';
import { StoredBudgets } from './quality-columns.ts';
import { engineCache, engineRuns, qualityBudgets } from './schema.ts';

/** One result: longer ones are made anew each time. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;
/** Results of all pull requests together, of each kind: beyond it the least recently used go. */
const MAX_RESULTS = 1_000;

/** What is stored of the results of runs: nothing of it is missed when it is gone. */
export type QualityResultWriter = Pick<
  QualityStore,
  'storedRun' | 'saveStoredRun' | 'cachedInvocation' | 'cacheInvocation' | 'budgets' | 'saveBudgets'
> & { readonly pruneResults: (before: EpochMs) => number };

/** Creates the writer of `engine_runs`, `engine_cache` and `quality_budgets` on `db`. A damaged entry is none. */
export function createQualityResults(db: Database): QualityResultWriter {
  return {
    ...createRuns(db),
    ...createCache(db),
    ...createBudgets(db),
    pruneResults: (before) =>
      [engineRuns, engineCache, qualityBudgets].reduce((pruned, table) => pruned + prune(db, table, before), 0),
  };
}

type ResultTable = typeof engineRuns | typeof engineCache | typeof qualityBudgets;

function prune(db: Database, table: ResultTable, before: EpochMs): number {
  const kept = db.select({ rowid: sql`rowid` }).from(table).orderBy(sql`used_at desc`).limit(MAX_RESULTS);
  const isOld = lt(table.usedAt, before);
  return db.delete(table).where(sql`${isOld} or rowid not in ${kept}`).run().changes;
}

function createRuns(db: Database): Pick<QualityStore, 'storedRun' | 'saveStoredRun'> {
  const ofKey = ({ key, treeSha, engine, signature }: StoredRunKey): SQL | undefined =>
    and(
      eq(engineRuns.workspaceKey, key),
      eq(engineRuns.treeSha, treeSha),
      eq(engineRuns.engine, engine),
      eq(engineRuns.signature, signature),
    );
  return {
    storedRun: (of, now) => {
      const [row] = db.update(engineRuns).set({ usedAt: now }).where(ofKey(of)).returning().all();
      if (row === undefined) return null;
      const place = { table: 'engine_runs', column: 'run', id: of.key };
      return unlessDamaged(() => parseJsonColumn(StoredEngineRun, row.run, place));
    },
    saveStoredRun: ({ key, ...of }, run, now) => {
      const text = JSON.stringify(run);
      if (isTooLong(text)) return;
      const values = { run: text, usedAt: now };
      const target = [engineRuns.workspaceKey, engineRuns.treeSha, engineRuns.engine, engineRuns.signature];
      db.insert(engineRuns)
        .values({ workspaceKey: key, ...of, ...values })
        .onConflictDoUpdate({ target, set: values })
        .run();
    },
  };
}

function createCache(db: Database): Pick<QualityStore, 'cachedInvocation' | 'cacheInvocation'> {
  return {
    cachedInvocation: (key, cacheKey, now) => {
      const isEntry = and(eq(engineCache.workspaceKey, key), eq(engineCache.cacheKey, cacheKey));
      const [row] = db.update(engineCache).set({ usedAt: now }).where(isEntry).returning().all();
      return row === undefined ? null : parseStoredInvocation(row.invocation);
    },
    cacheInvocation: (key, cacheKey, stored, now) => {
      const invocation = JSON.stringify(stored);
      if (isTooLong(invocation)) return;
      const values = { invocation, usedAt: now };
      db.insert(engineCache)
        .values({ workspaceKey: key, cacheKey, ...values })
        .onConflictDoUpdate({ target: [engineCache.workspaceKey, engineCache.cacheKey], set: values })
        .run();
    },
  };
}

function createBudgets(db: Database): Pick<QualityStore, 'budgets' | 'saveBudgets'> {
  const ofKey = ({ key, treeSha, engine, signature }: StoredRunKey): SQL | undefined =>
    and(
      eq(qualityBudgets.workspaceKey, key),
      eq(qualityBudgets.baseTree, treeSha),
      eq(qualityBudgets.engine, engine),
      eq(qualityBudgets.signature, signature),
    );
  return {
    budgets: (of, now) => {
      const [row] = db.update(qualityBudgets).set({ usedAt: now }).where(ofKey(of)).returning().all();
      if (row === undefined) return null;
      const place = { table: 'quality_budgets', column: 'budgets', id: of.key };
      return unlessDamaged(() => parseJsonColumn(StoredBudgets, row.budgets, place));
    },
    saveBudgets: ({ key, treeSha: baseTree, engine, signature }, budgets, now) => {
      const text = JSON.stringify(budgets);
      if (isTooLong(text)) return;
      const values = { budgets: text, usedAt: now };
      const { workspaceKey, ...rest } = qualityBudgets;
      db.insert(qualityBudgets)
        .values({ workspaceKey: key, baseTree, engine, signature, ...values })
        .onConflictDoUpdate({ target: [workspaceKey, rest.baseTree, rest.engine, rest.signature], set: values })
        .run();
    },
  };
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_RESULT_BYTES;
}

/** Another version may have written it: it is made anew. */
function unlessDamaged<Value>(parse: () => Value): Value | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvariantError) return null;
    throw error;
  }
}

import { and, desc, eq, lt, notInArray, or, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, PullRequestKey } from '../../core/model/ids.ts';
import type { QualityStore, StoredRunKey } from '../../ports/quality-store.ts';
import { StoredEngineRun } from '../../schemas/stored-engine-run.ts';
import { parseStoredInvocation } from '../../schemas/stored-invocation.ts';
import type { Database } from './database.ts';
import { parseJsonColumn } from './json-columns.ts';
import { StoredBudgets } from './quality-columns.ts';
import { qualityResults } from './schema.ts';

/** One result: longer ones are made anew each time. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;
/** Results of all pull requests together, of each kind: beyond it the least recently used go. */
const MAX_RESULTS = 1_000;
const KINDS = qualityResults.kind.enumValues;

/** What is stored of the results of runs: nothing of it is missed when it is gone. */
export type QualityResultWriter = Pick<
  QualityStore,
  'storedRun' | 'saveStoredRun' | 'cachedInvocation' | 'cacheInvocation' | 'budgets' | 'saveBudgets'
> & { readonly pruneResults: (before: EpochMs) => number };

/** Names a result. */
interface ResultOf {
  readonly workspaceKey: PullRequestKey;
  readonly kind: (typeof KINDS)[number];
  readonly resultKey: string;
}

/** Creates the writer of `quality_results` on `db`. A damaged entry is none. */
export function createQualityResults(db: Database): QualityResultWriter {
  const invocationOf = (key: PullRequestKey, cacheKey: string): ResultOf => {
    return { workspaceKey: key, kind: 'invocation', resultKey: cacheKey };
  };
  return {
    storedRun: (of, now) => parse(StoredEngineRun, read(db, toResultOf('run', of), now)),
    saveStoredRun: (of, run, now) => save(db, toResultOf('run', of), { value: run, now }),
    budgets: (of, now) => parse(StoredBudgets, read(db, toResultOf('budgets', of), now)),
    saveBudgets: (of, budgets, now) => save(db, toResultOf('budgets', of), { value: budgets, now }),
    cachedInvocation: (key, cacheKey, now) => {
      const text = read(db, invocationOf(key, cacheKey), now);
      return text === null ? null : parseStoredInvocation(text);
    },
    cacheInvocation: (key, cacheKey, value, now) => save(db, invocationOf(key, cacheKey), { value, now }),
    pruneResults: (before) => KINDS.reduce((pruned, kind) => pruned + prune(db, kind, before), 0),
  };
}

function toResultOf(kind: ResultOf['kind'], { key, treeSha, engine, signature }: StoredRunKey): ResultOf {
  return { workspaceKey: key, kind, resultKey: `${treeSha} ${engine} ${signature}` };
}

/** Its text, which counts as used now. */
function read(db: Database, { workspaceKey, kind, resultKey }: ResultOf, now: EpochMs): string | null {
  const isIt = and(
    eq(qualityResults.workspaceKey, workspaceKey),
    eq(qualityResults.kind, kind),
    eq(qualityResults.resultKey, resultKey),
  );
  const [row] = db.update(qualityResults).set({ usedAt: now }).where(isIt).returning().all();
  return row?.result ?? null;
}

function save(db: Database, of: ResultOf, { value, now }: { readonly value: object; readonly now: EpochMs }): void {
  const result = JSON.stringify(value);
  if (Buffer.byteLength(result) > MAX_RESULT_BYTES) return;
  const { workspaceKey, kind, resultKey } = qualityResults;
  db.insert(qualityResults)
    .values({ ...of, result, usedAt: now })
    .onConflictDoUpdate({ target: [workspaceKey, kind, resultKey], set: { result, usedAt: now } })
    .run();
}

function prune(db: Database, kind: ResultOf['kind'], before: EpochMs): number {
  const isKind = eq(qualityResults.kind, kind);
  const rowid = sql`rowid`;
  const newest = db.select({ rowid }).from(qualityResults).where(isKind).orderBy(desc(qualityResults.usedAt));
  const isUnused = or(lt(qualityResults.usedAt, before), notInArray(rowid, newest.limit(MAX_RESULTS)));
  return db.delete(qualityResults).where(and(isKind, isUnused)).run().changes;
}

/** Another version may have written it: it is made anew. */
function parse<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  try {
    return parseJsonColumn(schema, text, { table: 'quality_results', column: 'result', id: '' });
  } catch (error) {
    if (error instanceof InvariantError) return null;
    throw error;
  }
}

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

/** Maximum size of one result. A larger one is not stored and so computed again each time. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;
/** Maximum number of results of each kind, for all pull requests together. Beyond it, the least recently used are deleted. */
const MAX_RESULTS = 1_000;
const KINDS = qualityResults.kind.enumValues;

/** The store's cache of results. It is safe to lose. */
export type QualityResultWriter = Pick<
  QualityStore,
  'storedRun' | 'saveStoredRun' | 'cachedInvocation' | 'cacheInvocation' | 'budgets' | 'saveBudgets'
> & { readonly pruneResults: (before: EpochMs) => number };

/** The key of a result. */
interface ResultOf {
  readonly workspaceKey: PullRequestKey;
  readonly kind: (typeof KINDS)[number];
  readonly resultKey: string;
}

/** Creates the writer of `quality_results` on `db`. It treats a damaged entry as missing. */
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

/** Returns the stored text and marks it as used at `now`. */
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

/** Null if the text cannot be parsed: another version may have written it. The result is then computed again. */
function parse<Value>(schema: z.ZodType<Value>, text: string | null): Value | null {
  if (text === null) return null;
  try {
    return parseJsonColumn(schema, text, { table: 'quality_results', column: 'result', id: '' });
  } catch (error) {
    if (error instanceof InvariantError) return null;
    throw error;
  }
}

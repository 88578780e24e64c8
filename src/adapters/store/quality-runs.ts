import { and, asc, desc, eq, getTableColumns, isNotNull, lt, ne, sql } from 'drizzle-orm';
import type { QualityAcceptance, QualityAsk, QualityRun } from '../../core/model/quality-run.ts';
import type { QualityStore } from '../../ports/quality-store.ts';
import { type Database, inTransaction } from './database.ts';
import { parseJsonColumn, parseNullableJsonColumn } from './json-columns.ts';
import { StoredAcceptedFindings, StoredPaths, StoredReport } from './quality-columns.ts';
import { checkRuns, qualityAcceptances, qualityAsks, qualityRuns } from './schema.ts';

/** Maximum number of acceptances read for one pull request. Each comes from a person's comment. */
const MAX_ACCEPTANCES = 200;

/** The store of asks, runs and acceptances. */
export type QualityRunWriter = Omit<
  QualityStore,
  'storedRun' | 'saveStoredRun' | 'cachedInvocation' | 'cacheInvocation' | 'budgets' | 'saveBudgets'
>;

/** Creates the writer of `quality_asks`, `quality_runs` and `quality_acceptances` on `db`. */
export function createQualityRuns(db: Database): QualityRunWriter {
  return { ...createAsks(db), ...createRuns(db), ...createReports(db), ...createAcceptances(db) };
}

function createAsks(db: Database): Pick<QualityStore, 'askQuality' | 'qualityAsk' | 'settleQualityAsk'> {
  const one = db
    .select()
    .from(qualityAsks)
    .where(eq(qualityAsks.workspaceKey, sql.placeholder('key')))
    .prepare();
  return {
    askQuality: ({ key, paths, ...ask }) => {
      const values = { ...ask, paths: paths === null ? null : JSON.stringify(paths) };
      db.insert(qualityAsks)
        .values({ workspaceKey: key, ...values })
        .onConflictDoUpdate({ target: qualityAsks.workspaceKey, set: values })
        .run();
    },
    qualityAsk: (key) => {
      const row = one.get({ key });
      return row === undefined ? null : toAsk(row);
    },
    settleQualityAsk: (key, id) => {
      db.delete(qualityAsks)
        .where(and(eq(qualityAsks.workspaceKey, key), eq(qualityAsks.id, id)))
        .run();
    },
  };
}

function toAsk({ workspaceKey, paths, ...row }: typeof qualityAsks.$inferSelect): QualityAsk {
  const place = { table: 'quality_asks', column: 'paths', id: workspaceKey };
  return { ...row, key: workspaceKey, paths: parseNullableJsonColumn(StoredPaths, paths, place) };
}

type Runs = Pick<
  QualityStore,
  'beginQualityRun' | 'endQualityRun' | 'qualityRuns' | 'runningQualityRuns' | 'pruneQuality'
>;

/** Excludes the report, which can be long and is read separately. */
const { report: REPORT, ...RUN_COLUMNS } = getTableColumns(qualityRuns);

function createRuns(db: Database): Runs {
  const newest = db
    .select(RUN_COLUMNS)
    .from(qualityRuns)
    .where(eq(qualityRuns.workspaceKey, sql.placeholder('key')))
    .orderBy(desc(qualityRuns.startedAt), desc(sql`rowid`))
    .limit(sql.placeholder('limit'))
    .prepare();
  const running = db.select({ id: qualityRuns.id }).from(qualityRuns).where(sql`status = 'running'`).prepare();

  return {
    beginQualityRun: ({ key, newFindings, ...run }) => {
      db.insert(qualityRuns)
        .values({ ...run, workspaceKey: key, newFindings: JSON.stringify(newFindings) })
        .run();
    },
    endQualityRun: (id, { conclusion, newFindings, at, report: told, askId }) => {
      const status = told === null ? ('finished' as const) : ('reporting' as const);
      const texts = {
        newFindings: JSON.stringify(newFindings),
        report: told === null ? null : JSON.stringify(told),
      };
      const isRunning = and(eq(qualityRuns.id, id), eq(qualityRuns.status, 'running'));
      return inTransaction(db, () => {
        const end = { status, conclusion, endedAt: at, ...texts };
        if (db.update(qualityRuns).set(end).where(isRunning).run().changes === 0) return false;
        if (askId !== null) db.delete(qualityAsks).where(eq(qualityAsks.id, askId)).run();
        return true;
      });
    },
    qualityRuns: (key, limit) => newest.all({ key, limit }).map(toRun),
    runningQualityRuns: () => running.all().map(({ id }) => id),
    pruneQuality: (before) => {
      const isOld = and(ne(qualityRuns.status, 'running'), lt(qualityRuns.endedAt, before));
      const { changes } = db.delete(qualityRuns).where(isOld).run();
      db.delete(checkRuns).where(sql`series <> '' and series not in (select id from quality_runs)`).run();
      return changes;
    },
  };
}

function createReports(
  db: Database,
): Pick<QualityStore, 'qualityReport' | 'settleQualityReport' | 'reopenQualityReport'> {
  const report = db
    .select({ report: REPORT })
    .from(qualityRuns)
    .where(and(eq(qualityRuns.id, sql.placeholder('id')), eq(qualityRuns.status, 'reporting')))
    .prepare();
  return {
    qualityReport: (id) => {
      const place = { table: 'quality_runs', column: 'report', id };
      return parseNullableJsonColumn(StoredReport, report.get({ id })?.report ?? null, place);
    },
    settleQualityReport: (id) => {
      db.update(qualityRuns)
        .set({ status: 'finished' })
        .where(and(eq(qualityRuns.id, id), eq(qualityRuns.status, 'reporting')))
        .run();
    },
    reopenQualityReport: (id) => {
      const isTold = and(eq(qualityRuns.id, id), eq(qualityRuns.status, 'finished'), isNotNull(qualityRuns.report));
      return db.update(qualityRuns).set({ status: 'reporting' }).where(isTold).run().changes === 1;
    },
  };
}

function toRun({ workspaceKey, newFindings, ...row }: Omit<typeof qualityRuns.$inferSelect, 'report'>): QualityRun {
  const place = { table: 'quality_runs', column: 'new_findings', id: row.id };
  return { ...row, key: workspaceKey, newFindings: parseJsonColumn(StoredAcceptedFindings, newFindings, place) };
}

function createAcceptances(db: Database): Pick<QualityStore, 'addAcceptance' | 'acceptances'> {
  const all = db
    .select()
    .from(qualityAcceptances)
    .where(eq(qualityAcceptances.workspaceKey, sql.placeholder('key')))
    .orderBy(asc(qualityAcceptances.id))
    .limit(MAX_ACCEPTANCES)
    .prepare();
  return {
    addAcceptance: ({ key, author, headSha, acceptance }) => {
      const { reason, at: acceptedAt, findings } = acceptance;
      const who = { authorId: author.id, authorLogin: author.login, authorKind: author.kind };
      db.insert(qualityAcceptances)
        .values({ workspaceKey: key, ...who, headSha, reason, acceptedAt, findings: JSON.stringify(findings) })
        .run();
    },
    acceptances: (key) => all.all({ key }).map(toAcceptance),
  };
}

function toAcceptance(row: typeof qualityAcceptances.$inferSelect): QualityAcceptance {
  const place = { table: 'quality_acceptances', column: 'findings', id: row.id };
  const findings = parseJsonColumn(StoredAcceptedFindings, row.findings, place);
  return {
    key: row.workspaceKey,
    author: { id: row.authorId, login: row.authorLogin, kind: row.authorKind },
    headSha: row.headSha,
    acceptance: { author: row.authorLogin, reason: row.reason, at: row.acceptedAt, findings },
  };
}

import { and, eq, sql } from 'drizzle-orm';
import type { CheckRunStore, StoredCheckRun } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { checkRuns } from './schema.ts';

/** Creates the writer of `check_runs` on `db`. */
export function createCheckRuns(db: Database): CheckRunStore {
  const one = db
    .select()
    .from(checkRuns)
    .where(
      and(
        eq(checkRuns.workspaceKey, sql.placeholder('key')),
        eq(checkRuns.headSha, sql.placeholder('headSha')),
        eq(checkRuns.name, sql.placeholder('name')),
        eq(checkRuns.series, sql.placeholder('series')),
      ),
    )
    .prepare();
  const isOpen = and(
    eq(checkRuns.workspaceKey, sql.placeholder('key')),
    eq(checkRuns.name, sql.placeholder('name')),
    sql`completed = 0`,
  );
  const open = db.select().from(checkRuns).where(isOpen).prepare();

  return {
    checkRun: ({ key, headSha, name, series }) => {
      const row = one.get({ key, headSha, name, series });
      return row === undefined ? null : toStoredCheckRun(row);
    },
    saveCheckRun: ({ key, headSha, name, series, ...content }) => {
      const target = [checkRuns.workspaceKey, checkRuns.headSha, checkRuns.name, checkRuns.series];
      db.insert(checkRuns)
        .values({ workspaceKey: key, headSha, name, series, ...content })
        .onConflictDoUpdate({ target, set: content })
        .run();
    },
    openCheckRuns: (key, name) => open.all({ key, name }).map(toStoredCheckRun),
  };
}

function toStoredCheckRun({ workspaceKey, ...row }: typeof checkRuns.$inferSelect): StoredCheckRun {
  return { key: workspaceKey, ...row };
}

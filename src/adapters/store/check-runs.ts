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
      ),
    )
    .prepare();
  const open = db
    .select()
    .from(checkRuns)
    .where(and(eq(checkRuns.workspaceKey, sql.placeholder('key')), sql`completed = 0`))
    .prepare();

  return {
    checkRun: (key, headSha, name) => {
      const row = one.get({ key, headSha, name });
      return row === undefined ? null : toStoredCheckRun(row);
    },
    saveCheckRun: ({ key, headSha, name, ...content }) => {
      db.insert(checkRuns)
        .values({ workspaceKey: key, headSha, name, ...content })
        .onConflictDoUpdate({ target: [checkRuns.workspaceKey, checkRuns.headSha, checkRuns.name], set: content })
        .run();
    },
    openCheckRuns: (key) => open.all({ key }).map(toStoredCheckRun),
  };
}

function toStoredCheckRun({ workspaceKey, ...row }: typeof checkRuns.$inferSelect): StoredCheckRun {
  return { key: workspaceKey, ...row };
}

import { and, eq, gte, inArray, sql } from 'drizzle-orm';
import type { FlakeStore } from '../../ports/store.ts';
import { type Database, inTransaction } from './database.ts';
import { flakes } from './schema.ts';

/** Of each repository the newest are kept. */
const MAX_FLAKES = 2000;

/** Creates the writer of `flakes` on `db`. */
export function createFlakes(db: Database): FlakeStore {
  return {
    rememberFlakes: (repositoryId, proven) => {
      if (proven.length === 0) return;
      inTransaction(db, () => {
        for (const flake of proven) {
          db.insert(flakes)
            .values({ repositoryId, ...flake })
            .onConflictDoNothing()
            .run();
        }
        db.run(sql`delete from flakes where rowid in (select rowid from flakes
          where repository_id = ${repositoryId} order by at desc, rowid desc limit -1 offset ${MAX_FLAKES})`);
      });
    },
    provenFlakes: (repositoryId, subjects, since) =>
      db
        .select({ subject: flakes.subject, headSha: flakes.headSha, at: flakes.at })
        .from(flakes)
        .where(
          and(eq(flakes.repositoryId, repositoryId), inArray(flakes.subject, [...subjects]), gte(flakes.at, since)),
        )
        .orderBy(flakes.at, flakes.subject)
        .all(),
  };
}

import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Event } from '../../core/model/event.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { RepositoryStore } from '../../ports/store.ts';
import type { Database } from './database.ts';
import { installations, repositories } from './schema.ts';

/** A webhook's change of an installation of the App. */
export type InstallationChange = Event & { readonly kind: 'installation_changed' };

/** Writer of `repositories` and `installations`. */
export interface RepositoryWriter extends RepositoryStore {
  /** Creates the row if missing, otherwise updates its names and installation. Never reactivates a repository. */
  readonly ensureRepository: (repository: RepositoryRef) => void;
  /**
   * Applies a change of an installation. A suspension affects the whole installation, even if it lists repositories.
   * The repositories' rows do not change, so the end of the suspension restores exactly what was active before.
   */
  readonly applyInstallationChange: (change: InstallationChange) => void;
}

/** Creates the writer on `db`. */
export function createRepositories(db: Database): RepositoryWriter {
  const { ensure, save } = prepareUpserts(db);
  return {
    ensureRepository: (repository) => void ensure.run({ ...repository }),
    ...createReads(db),
    applyInstallationChange: (event) => {
      switch (event.change) {
        case 'added':
          setStatus(db, event.installationId, 'active');
          for (const repository of event.repositories) save.run({ ...repository });
          return;
        case 'suspended':
          setStatus(db, event.installationId, 'suspended');
          return;
        case 'unsuspended':
          setStatus(db, event.installationId, 'active');
          return;
        case 'removed':
          if (event.repositories.length === 0) setStatus(db, event.installationId, 'removed');
          for (const { repositoryId } of event.repositories) deactivate(db, event.installationId, repositoryId);
      }
    },
  };
}

function prepareUpserts(db: Database) {
  const values = {
    repositoryId: sql.placeholder('repositoryId'),
    installationId: sql.placeholder('installationId'),
    owner: sql.placeholder('owner'),
    name: sql.placeholder('name'),
  };
  const followed = {
    installationId: sql`excluded.installation_id`,
    owner: sql`excluded.owner`,
    name: sql`excluded.name`,
  };
  const target = repositories.repositoryId;
  return {
    ensure: db.insert(repositories).values(values).onConflictDoUpdate({ target, set: followed }).prepare(),
    save: db
      .insert(repositories)
      .values(values)
      .onConflictDoUpdate({ target, set: { ...followed, active: true } })
      .prepare(),
  };
}

function createReads(db: Database): Pick<RepositoryWriter, 'repository' | 'findRepository'> {
  const byId = db
    .select({ repository: repositories, status: installations.status })
    .from(repositories)
    .leftJoin(installations, eq(installations.installationId, repositories.installationId))
    .where(eq(repositories.repositoryId, sql.placeholder('repositoryId')))
    .prepare();
  return {
    repository: (repositoryId) => {
      const row = byId.get({ repositoryId });
      if (row === undefined) return null;
      const installed = row.status === null || row.status === 'active';
      return { ...row.repository, active: row.repository.active && installed };
    },
    findRepository: (owner, name) => {
      // After a rename without a webhook, another repository may have taken the name. The younger one has it now.
      const row = db
        .select()
        .from(repositories)
        .where(and(isSameName(repositories.owner, owner), isSameName(repositories.name, name)))
        .orderBy(desc(repositories.repositoryId))
        .get();
      return row === undefined ? null : toRepositoryRef(row);
    },
  };
}

/** GitHub's names are ASCII and case-insensitive. */
function isSameName(column: AnySQLiteColumn, name: string): SQL {
  return sql`${column} = ${name} collate nocase`;
}

function toRepositoryRef({ installationId, repositoryId, owner, name }: RepositoryRef): RepositoryRef {
  return { installationId, repositoryId, owner, name };
}

function setStatus(db: Database, installationId: number, status: (typeof installations.$inferSelect)['status']): void {
  db.insert(installations)
    .values({ installationId, status })
    .onConflictDoUpdate({ target: installations.installationId, set: { status } })
    .run();
}

/** Ignores a late removal from an old installation if a new one has taken over the repository. */
function deactivate(db: Database, installationId: number, repositoryId: number): void {
  db.update(repositories)
    .set({ active: false })
    .where(and(eq(repositories.repositoryId, repositoryId), eq(repositories.installationId, installationId)))
    .run();
}

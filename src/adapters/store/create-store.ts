import { randomUUID } from 'node:crypto';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { QualityStore } from '../../ports/quality-store.ts';
import type { SessionStore, Store, WorkspaceStore } from '../../ports/store.ts';
import { createCheckRuns } from './check-runs.ts';
import { createCommands } from './commands.ts';
import { type Database, inTransaction } from './database.ts';
import { createDeliveries } from './deliveries.ts';
import { ingestDeliveries } from './ingest.ts';
import { createIntents, type IntentWriter } from './intents.ts';
import { openDatabase } from './open-database.ts';
import { createQualityResults } from './quality-results.ts';
import { createQualityRuns } from './quality-runs.ts';
import { createRepositories, type RepositoryWriter } from './repositories.ts';
import { createSessions, type SessionWriter } from './sessions.ts';
import { createTransitions } from './transitions.ts';
import { createWakeups } from './wakeups.ts';
import { createWorkspaces, type WorkspaceWriter } from './workspaces.ts';

/** How the store is opened. */
export interface StoreOptions {
  /** File of the database, or `:memory:`; its folder exists. */
  readonly path: string;
  /** Folder with the migrations; default: the source tree's. A bundled program must name it. */
  readonly migrationsDir?: string;
  readonly log?: Log;
  /** Default: the machine's clock. */
  readonly now?: () => EpochMs;
}

/**
 * Opens the database at `path`, brings its schema up to date and returns the store over it. The caller holds the
 * control-plane lock.
 * @throws ConfigError when the database is damaged, newer than this version, or cannot be used.
 */
export function createStore(options: StoreOptions): Store {
  const log = options.log ?? null;
  const { db, close } = openDatabase({ path: options.path, migrationsDir: options.migrationsDir ?? null, log });
  const deliveries = createDeliveries(db);
  const repositories = createRepositories(db);
  const workspaces = createWorkspaces(db);
  const commands = createCommands(db);
  const wakeups = createWakeups(db, { now: options.now ?? Date.now, newLeaseId: randomUUID });
  const intents = createIntents(db);
  const sessions = createSessions(db);
  const transitions = createTransitions(db);
  const ingestDeps = { db, deliveries, repositories, workspaces, commands, wakeups, log };

  return {
    ingest: (batch) => ingestDeliveries(ingestDeps, batch),
    pruneDeliveries: deliveries.pruneDeliveries,
    pendingCommands: commands.pendingCommands,
    settleCommand: commands.settleCommand,
    settledComments: commands.settledComments,
    workspace: workspaces.workspace,
    ensureWorkspace: composeEnsureWorkspace(db, repositories, workspaces),
    updateWorkspace: workspaces.updateWorkspace,
    headHint: workspaces.headHint,
    openHint: workspaces.openHint,
    settleHint: workspaces.settleHint,
    enabledWorkspaces: workspaces.enabledWorkspaces,
    enabledOnBase: workspaces.enabledOnBase,
    repository: repositories.repository,
    findRepository: repositories.findRepository,
    saveRepository: repositories.saveRepository,
    ...wakeups,
    openIntent: intents.openIntent,
    settleIntent: intents.settleIntent,
    openIntents: intents.openIntents,
    openAnswers: intents.openAnswers,
    recentAnswers: intents.recentAnswers,
    ...pickSessionReads(sessions),
    ...composeSessionEnds({
      db,
      sessions,
      intents,
      workspaces,
      appendTransition: transitions.appendTransition,
      markWakeup: wakeups.markWakeup,
    }),
    ...transitions,
    ...createCheckRuns(db),
    ...composeQuality(db),
    close,
  };
}

function composeEnsureWorkspace(
  db: Database,
  repositories: RepositoryWriter,
  workspaces: WorkspaceWriter,
): WorkspaceStore['ensureWorkspace'] {
  return (ref) =>
    inTransaction(db, () => {
      repositories.ensureRepository(ref.repository);
      const workspace = workspaces.workspace(workspaces.ensureRow(ref));
      if (workspace === null) throw new InvariantError('a workspace is missing right after it was made');
      return workspace;
    });
}

function composeQuality(db: Database): QualityStore {
  const runs = createQualityRuns(db);
  const { pruneResults, ...results } = createQualityResults(db);
  return {
    ...runs,
    ...results,
    pruneQuality: (before) => inTransaction(db, () => runs.pruneQuality(before) + pruneResults(before)),
  };
}

type SessionReads = Omit<SessionStore, 'launchSession' | 'endSession'>;

function pickSessionReads(sessions: SessionWriter): SessionReads {
  const { session, liveSessions, allLiveSessions, endedSessions, launchesSince, heartbeat } = sessions;
  const { addUserSession, endUserSession, idleUserSessions, renewUserSession } = sessions;
  return {
    ...{ session, liveSessions, allLiveSessions, endedSessions, launchesSince, heartbeat },
    ...{ addUserSession, endUserSession, idleUserSessions, renewUserSession },
  };
}

interface SessionEndDeps {
  readonly db: Database;
  readonly sessions: SessionWriter;
  readonly intents: IntentWriter;
  readonly workspaces: WorkspaceWriter;
  readonly appendTransition: Store['appendTransition'];
  readonly markWakeup: Store['markWakeup'];
}

function composeSessionEnds(deps: SessionEndDeps): Pick<SessionStore, 'launchSession' | 'endSession'> {
  const { db, sessions, intents, workspaces, appendTransition, markWakeup } = deps;
  return {
    launchSession: ({ session, transition, patch, wake }) =>
      inTransaction(db, () => {
        if (!sessions.addWorkingSession(session)) return false;
        const { id, key, startedAt } = session;
        intents.openIntent({ uniqueKey: id, key, sessionId: id, effect: { kind: 'launch' }, createdAt: startedAt });
        appendTransition(transition);
        workspaces.updateWorkspace(key, patch);
        markWakeup(wake.queue, wake.key, wake.notBefore);
        return true;
      }),
    endSession: (id, { outcome, at, patch, transition, wake, answer }) =>
      inTransaction(db, () => {
        const key = sessions.closeSession(id, outcome, at);
        if (key === null) return false;
        intents.settleIntentsOf(id, outcome.kind, at);
        if (answer !== undefined) {
          intents.openIntent({ uniqueKey: id, key, sessionId: id, effect: answer, createdAt: at });
        }
        appendTransition(transition);
        workspaces.updateWorkspace(key, patch);
        markWakeup(wake.queue, wake.key, wake.notBefore);
        return true;
      }),
  };
}

import { randomUUID } from 'node:crypto';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Log } from '../../ports/log.ts';
import type { IntentStore, SessionStore, Store, TransitionStore, WakeupStore } from '../../ports/store.ts';
import { createAgentRuns } from './agent-runs.ts';
import { createAgentSwitches } from './agent-switches.ts';
import { createCheckRuns } from './check-runs.ts';
import { createCircuits } from './circuits.ts';
import { createCommands } from './commands.ts';
import { createTaskStore } from './create-task-store.ts';
import { type Database, inTransaction } from './database.ts';
import { createDeliveries } from './deliveries.ts';
import { createFigures } from './figures.ts';
import { createFlakes } from './flakes.ts';
import { ingestDeliveries } from './ingest.ts';
import { createIntents, type IntentWriter } from './intents.ts';
import { createLostDeliveries } from './lost-deliveries.ts';
import { createModelCalls } from './model-calls.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { createPlanRuns } from './plan-runs.ts';
import { createQualityResults } from './quality-results.ts';
import { createQualityRuns } from './quality-runs.ts';
import { createRepositories } from './repositories.ts';
import { createRetention } from './retention.ts';
import { createRunEvents } from './run-events.ts';
import { createSessions, type SessionWriter } from './sessions.ts';
import { createTransitions } from './transitions.ts';
import { createWakeups } from './wakeups.ts';
import { createWorkspaces, type WorkspaceWriter } from './workspaces.ts';

/** Options of `createStore`. */
export interface StoreOptions {
  /** Database file in an existing folder; `:memory:` or the bytes of a database stay in memory. */
  readonly path: string | Buffer;
  /** Folder with the migrations. Default: the one in the source tree. A bundled program must set it. */
  readonly migrationsDir?: string;
  readonly log?: Log;
  /** Default: the system clock. */
  readonly now?: () => EpochMs;
}

/**
 * Opens the database at `path`, migrates it and returns the store. The caller must hold the control-plane lock.
 * @throws ConfigError if the database is damaged, newer than this version, or unusable.
 */
export function createStore(options: StoreOptions): Store {
  const { path, migrationsDir = null, log = null, now = Date.now } = options;
  const { db, ...connection } = openDatabase({ path, migrationsDir, log });
  return { ...createStoreOn(db, { log, now }), ...connection };
}

/** The store on an open database. */
export function createStoreOn(
  db: Database,
  { log, now }: { readonly log: Log | null; readonly now: () => EpochMs },
): Omit<Store, keyof Connection> {
  const deliveries = createDeliveries(db);
  const repositories = createRepositories(db);
  const workspaces = createWorkspaces(db);
  const commands = createCommands(db);
  const wakeups = createWakeups(db, { now, newLeaseId: randomUUID });
  const intents = createIntents(db);
  const sessions = createSessions(db);
  const runEvents = createRunEvents(db);
  const transitions = createTransitions(db, runEvents);
  const qualityRuns = createQualityRuns(db);
  const qualityResults = createQualityResults(db);
  const ingestDeps = { db, deliveries, repositories, workspaces, commands, wakeups, log };

  return {
    ingest: (batch) => ingestDeliveries(ingestDeps, batch),
    // The writers have more methods than the port, for use by each other.
    ...{ ...deliveries, ...commands, ...repositories, ...workspaces, ...wakeups, ...intents, ...sessions },
    ...{ ...createLostDeliveries(db), ...transitions, ...createCheckRuns(db), ...qualityRuns, ...qualityResults },
    ...{ ...createModelCalls(db), ...createAgentRuns(db), ...createCircuits(db), ...createAgentSwitches(db) },
    ...{ ...createFlakes(db), ...createPlanRuns(db), ...createTaskStore(db, runEvents) },
    pruneQuality: (before) =>
      inTransaction(db, () => qualityRuns.pruneQuality(before) + qualityResults.pruneResults(before)),
    ...composeBranchReads({ sessions, workspaces }),
    ...composeTransactions({ db, sessions, intents, workspaces, transitions, wakeups }),
    ensureWorkspace: (ref) =>
      inTransaction(db, () => {
        repositories.ensureRepository(ref.repository);
        const workspace = workspaces.workspace(workspaces.ensureRow(ref, now()));
        if (workspace === null) throw new InvariantError('a workspace is missing right after it was made');
        return workspace;
      }),
    ...createRetention(db, now),
    ...createFigures(db),
  };
}

/** What the store has of its connection. */
type Connection = Omit<OpenDatabase, 'db'>;

interface Writers {
  readonly db: Database;
  readonly sessions: SessionWriter;
  readonly intents: IntentWriter;
  readonly workspaces: WorkspaceWriter;
  readonly transitions: TransitionStore;
  readonly wakeups: WakeupStore;
}

type Transactions = Pick<SessionStore, 'launchSession' | 'endSession'> & Pick<IntentStore, 'settleIntent'>;

/** Reads of sessions that concern a head branch as a whole. */
function composeBranchReads({
  sessions,
  workspaces: { branchKeys },
}: Pick<Writers, 'sessions' | 'workspaces'>): Pick<SessionStore, 'liveOnBranch' | 'endedSessions' | 'launchesSince'> {
  return {
    liveOnBranch: (key) => branchKeys(key).flatMap((one) => sessions.liveSessions(one)),
    endedSessions: (key, limit) => sessions.endedOf(branchKeys(key), limit),
    launchesSince: (key, since) => sessions.launchesOf(branchKeys(key), since),
  };
}

/** Composes the writes that share a transaction with a transition and a wake-up. */
function composeTransactions({ db, sessions, intents, workspaces, transitions, wakeups }: Writers): Transactions {
  const tell = ({ transition, wake }: Parameters<IntentStore['settleIntent']>[3] & object): void => {
    if (transition !== undefined) transitions.appendTransition(transition);
    if (wake !== undefined) wakeups.markWakeup(wake.queue, wake.key, wake.notBefore);
  };
  return {
    launchSession: ({ session, patch, ...told }) =>
      inTransaction(db, () => {
        if (!sessions.addWorkingSession(session, workspaces.branchKeys(session.key))) return false;
        const { id, key, startedAt } = session;
        intents.openIntent({ uniqueKey: id, key, sessionId: id, effect: { kind: 'launch' }, createdAt: startedAt });
        workspaces.updateWorkspace(key, patch);
        tell(told);
        return true;
      }),
    endSession: (id, { outcome, at, patch, answer, ...told }) =>
      inTransaction(db, () => {
        const key = sessions.closeSession(id, outcome, at);
        if (key === null) return false;
        intents.settleIntentsOf(id, outcome.kind, at);
        if (answer !== undefined) {
          intents.openIntent({ uniqueKey: id, key, sessionId: id, effect: answer, createdAt: at });
        }
        workspaces.updateWorkspace(key, patch);
        tell(told);
        // The others of the branch waited for the session.
        for (const beside of workspaces.branchKeys(key).slice(1)) {
          wakeups.markWakeup(EVALUATE_QUEUE, beside, told.wake.notBefore);
        }
        return true;
      }),
    settleIntent: (id, outcome, at, told = {}) =>
      inTransaction(db, () => {
        if (!intents.settleIntent(id, outcome, at)) return false;
        tell(told);
        return true;
      }),
  };
}

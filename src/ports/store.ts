import type { Ask, AskEffect } from '../core/model/ask.ts';
import type { CheckRunConclusion } from '../core/model/check-run.ts';
import type { LogAction } from '../core/model/decision.ts';
import type { COMMAND_OUTCOMES, Command, CommandSource, Event, Reaction } from '../core/model/event.ts';
import type { DeliveryId, EpochMs, PullRequestKey, RunId, SessionId, Sha } from '../core/model/ids.ts';
import type { ListProgress } from '../core/model/list-progress.ts';
import type { AgentUse } from '../core/model/model-use.ts';
import type { ProvenFlake } from '../core/model/proven-flake.ts';
import type { Actor, PullRequestRef, RepositoryRef } from '../core/model/pull-request.ts';
import type { AgentQuestion, Fixup, ReviewAnswer, Session, SessionOutcome } from '../core/model/session.ts';
import type { SetupReport } from '../core/model/setup-report.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import type { Workspace, WorkspacePatch } from '../core/model/workspace.ts';
import type { SentDelivery } from './github.ts';
import type { FigureStore } from './metrics.ts';
import type { PlanRunStore } from './plan-run-store.ts';
import type { QualityStore } from './quality-store.ts';
import type { SpendStore } from './spend-store.ts';
import type { TaskStore } from './task-store.ts';

/** A verified and parsed delivery. */
export interface Delivery {
  readonly id: DeliveryId;
  /** SHA-256 of the raw body, hex. The same body with another GUID or event name is also a duplicate (T2). */
  readonly bodyHash: string;
  readonly eventName: string;
  readonly action: string | null;
  readonly receivedAt: EpochMs;
  /** The parsed event. null: Ratchet does not use this kind of event. */
  readonly event: Event | null;
  /** Commands of a new comment or a pressed button; empty for other events. */
  readonly commands: readonly Command[];
}

/** How a delivery was stored. */
export type IngestOutcome =
  | {
      readonly kind: 'accepted';
      readonly wakes: readonly PullRequestKey[];
      /** Keys of the sweep queue that this delivery woke. */
      readonly sweeps: readonly string[];
    }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'ignored' };

/** Stored deliveries. */
export interface DeliveryStore {
  /**
   * Stores deliveries and everything that follows from them in one durable transaction (synchronous=FULL): delivery rows, the
   * repository, changed workspace rows, commands and wake-ups. Returns outcomes in input order.
   * Wake-ups in the evaluate queue go to the pull request with the number in the event (its row is created if missing), or to
   * every workspace of the repository whose head SHA or head branch matches (`ci_changed`, `rerun_requested`) or whose head branch
   * was pushed. A push to a base branch wakes the sweep of that base instead (sweep queue, key `<repositoryId>:<branch>`), never
   * all its pull requests at once. If it changes the policy file, it also wakes the newest 100 pull requests of that base that are
   * not enabled, spread over time.
   */
  readonly ingest: (batch: readonly Delivery[]) => readonly IngestOutcome[];
}

/** A delivery that GitHub could not bring. */
export interface LostDelivery extends Pick<SentDelivery, 'guid' | 'eventName'> {
  /** GitHub's id of an attempt. */
  readonly sentId: string;
  /** How often GitHub was asked to send it again. */
  readonly tries: number;
}

/** Deliveries that did not arrive, and how far GitHub's list of them has been read. */
export interface LostDeliveryStore {
  /** Stores those that are new and have not arrived, to be requested at once. Returns how many. */
  readonly noteLost: (lost: readonly SentDelivery[], now: EpochMs) => number;
  /** Deletes those that have arrived since, and returns how many. */
  readonly forgetArrived: () => number;
  /** The most urgent ones that may be requested now. */
  readonly dueLost: (now: EpochMs, limit: number) => readonly LostDelivery[];
  readonly noteTry: (guid: DeliveryId, tries: number, nextTryAt: EpochMs) => void;
  readonly pruneLost: (sentBefore: EpochMs) => number;
  /** null: the list was never read. */
  readonly listProgress: () => ListProgress | null;
  readonly saveListProgress: (progress: ListProgress) => void;
}

/** A stored command. */
export interface StoredCommand {
  readonly id: number;
  readonly key: PullRequestKey;
  readonly command: Command;
  readonly author: Actor;
  /** Where the command was given. For a button, `id` is that of the check run. */
  readonly comment: { readonly kind: CommandSource; readonly id: number };
  readonly receivedAt: EpochMs;
}

/** A reaction that the comment of a settled command still needs. `id`: of the command. */
export interface OwedReaction extends Pick<StoredCommand, 'id' | 'comment'> {
  readonly reaction: Reaction;
}

/** Commands and their outcomes. */
export interface CommandStore {
  /** Oldest first. */
  readonly pendingCommands: (key: PullRequestKey) => readonly StoredCommand[];
  /** Settles a command once; a second call changes nothing. The reaction that its comment then needs is stored with it. */
  readonly settleCommand: (
    id: number,
    outcome: (typeof COMMAND_OUTCOMES)[number],
    at: EpochMs,
    owedReaction?: Reaction | null,
  ) => void;
  /** Oldest first. */
  readonly owedReactions: (key: PullRequestKey) => readonly OwedReaction[];
  readonly settleReaction: (commandId: number) => void;
  /**
   * Whether a command of a newer comment in the same conversation, one that enables, disables, pauses, resumes, retries or stops,
   * has been carried out already: this one arrived late.
   */
  readonly isOvertaken: (stored: StoredCommand) => boolean;
  /** How many comments of the account on the pull request had a command settled since then. Only recent ones are counted. */
  readonly settledComments: (key: PullRequestKey, authorId: number, since: EpochMs) => number;
}

/** Workspaces: one row of state per pull request. */
export interface WorkspaceStore {
  readonly workspace: (key: PullRequestKey) => Workspace | null;
  /** Creates the row if it is missing. Never changes an existing one, except for the name of its repository. */
  readonly ensureWorkspace: (ref: PullRequestRef) => Workspace;
  /** Fields of `BranchState` are stored for all pull requests of the head branch. */
  readonly updateWorkspace: (key: PullRequestKey, patch: WorkspacePatch) => void;
  /** The pull request itself, then all others that are known with the same head branch, open or not. */
  readonly branchKeys: (key: PullRequestKey) => readonly PullRequestKey[];
  /** Head SHA in the latest webhook: a hint that may be outdated. null: no webhook named one. */
  readonly headHint: (key: PullRequestKey) => Sha | null;
  /** The head hint if it has not been checked yet, or if a push has changed the policy of the base since; otherwise null. */
  readonly openHint: (key: PullRequestKey) => Sha | null;
  /** Marks the head hint as checked. */
  readonly settleHint: (key: PullRequestKey, headSha: Sha) => void;
  /** Enabled workspaces with that base branch, except closed ones. */
  readonly enabledOnBase: (repositoryId: number, baseRef: string) => readonly Workspace[];
}

/** Repositories and installations, as reported by webhooks. */
export interface RepositoryStore {
  readonly repository: (repositoryId: number) => (RepositoryRef & { readonly active: boolean }) | null;
  /** Finds a repository by name, ignoring case. null: no webhook has named it yet. */
  readonly findRepository: (owner: string, name: string) => RepositoryRef | null;
}

/** The durable state of the queues: one row per (queue, key). */
export interface WakeupStore {
  /** Marks the key dirty. With `notBefore`, only brings its next check forward (never back). */
  readonly markWakeup: (queue: string, key: string, notBefore: EpochMs | null) => void;
  /**
   * Claims the key if it is dirty or its next check is due, and no live lease is on it. Returns the lease id; null if nothing is
   * due or another run holds the key.
   */
  readonly claimWakeup: (queue: string, key: string, now: EpochMs, leaseMs: number) => string | null;
  /** Whether the key was woken since its last run, or a run of it did not finish. False if only its check is due. */
  readonly isWoken: (queue: string, key: string) => boolean;
  readonly renewLease: (queue: string, key: string, leaseId: string, until: EpochMs) => boolean;
  readonly holdsLease: (queue: string, key: string, leaseId: string) => boolean;
  /**
   * Finishes the run of `leaseId`: clears the wake-ups that existed at the claim and sets the next check, unless an earlier future
   * one was set meanwhile. Returns whether the key is dirty again (then announce it). A stale lease changes nothing.
   */
  readonly finishWakeup: (
    queue: string,
    key: string,
    leaseId: string,
    nextCheckAt: EpochMs | null,
  ) => { readonly dirty: boolean };
  /** Keys without a live lease that are dirty or due, oldest first, at most `limit`. */
  readonly dueWakeups: (queue: string, now: EpochMs, limit: number) => readonly string[];
  /**
   * The earliest time at which a key becomes due without a wake-up (next check, or end of a lease); null if there is none. With
   * `after`, only later times count, because a scan at `after` has found the others.
   */
  readonly nextWakeupAt: (queue: string, after?: EpochMs) => EpochMs | null;
  /** Frees all leases of `queue` and marks the interrupted keys dirty. For the start of the only control plane. */
  readonly freeLeases: (queue: string) => number;
}

/** A planned push, with all data to make it or to recognise it after a crash. */
export interface PushEffect {
  readonly kind: 'push';
  readonly commitSha: Sha;
  /** Branch name without `refs/heads/`. */
  readonly branch: string;
  /** The head that the push replaces; the push fails if the branch is elsewhere. */
  readonly oldSha: Sha;
  /** When the ground was last checked before the plan; null or absent: it could not be checked. */
  readonly groundCheckedAt?: EpochMs | null;
  /** Base branch and policy that the change was judged for; absent in plans of earlier versions. */
  readonly judgedBy?: { readonly baseRef: string; readonly policyHash: string };
  /** The outcome of the session once the push has arrived. */
  readonly outcome: SessionOutcome & { readonly kind: 'pushed' };
}

/** Replies to a review that follow a push. A later look posts them, once the head contains the pushed commit. */
export interface AnswerEffect {
  readonly kind: 'answer';
  readonly commitSha: Sha;
  readonly answers: readonly ReviewAnswer[];
}

/**
 * An effect that must not happen twice, with the data to finish or recognise it after a crash. A push is finished or recognised;
 * an answer is posted later. An ask interrupted by a crash counts as asked, because it may have arrived.
 */
export type IntentEffect = { readonly kind: 'launch' } | PushEffect | AnswerEffect | AskEffect;

/** A planned effect. It is stored before the effect is made, and settled exactly once. */
export interface Intent {
  readonly id: number;
  /** Unique forever among intents of its kind, so the same effect is never planned twice. */
  readonly uniqueKey: string;
  readonly key: PullRequestKey;
  /** null: planned by a look, not by a session (for example an ask). */
  readonly sessionId: SessionId | null;
  readonly effect: IntentEffect;
  readonly createdAt: EpochMs;
  readonly settledAt: EpochMs | null;
  readonly outcome: string | null;
}

/** Intents: each is stored before its effect (security decision 5). */
export interface IntentStore {
  /** Returns the new intent, or the existing one with the same kind and unique key, settled or open. */
  readonly openIntent: (intent: Omit<Intent, 'id' | 'settledAt' | 'outcome'>) => {
    readonly intent: Intent;
    readonly isNew: boolean;
  };
  /** Settles an intent once, in one transaction with `also`. False, and no change, if it was settled before. */
  readonly settleIntent: (
    id: number,
    outcome: string,
    at: EpochMs,
    also?: { readonly transition?: NewTransition; readonly wake?: StoredWake },
  ) => boolean;
  /** Deletes an open intent whose effect did not happen. The same effect can then be planned again. */
  readonly withdrawIntent: (id: number) => void;
  /** Opens the settled `launch` intent of a session again: the session has to begin anew. */
  readonly reopenLaunch: (sessionId: SessionId) => void;
  readonly openIntents: (sessionId: SessionId) => readonly Intent[];
  /** Open `answer` intents of the pull request, oldest first. */
  readonly openAnswers: (key: PullRequestKey) => readonly Intent[];
  /** The newest `answer` intents of the pull request, open or settled, newest first. */
  readonly recentAnswers: (key: PullRequestKey, limit: number) => readonly Intent[];
  /** What GitHub was asked to do, open or settled, newest first. Cut at a fixed number, since a head has only a few. */
  readonly recentAsks: (key: PullRequestKey) => readonly (Ask & { readonly id: number })[];
}

/** What a repository remembers of its flakes (see `ProvenFlake`). */
export interface FlakeStore {
  /** Each counts once for a commit. Keeps the newest 2,000 of a repository. */
  readonly rememberFlakes: (repositoryId: number, proven: readonly ProvenFlake[]) => void;
  /** Those of the subjects that were proven at `since` or later, oldest first. */
  readonly provenFlakes: (repositoryId: number, subjects: readonly string[], since: EpochMs) => readonly ProvenFlake[];
}

/** Until when rows of a kind are deleted. Nothing that an open loop reads is deleted, however old it is. */
export interface Retention {
  readonly transitions: EpochMs;
  readonly deliveries: EpochMs;
  /** Settled commands. */
  readonly commands: EpochMs;
  /** Ended sessions and settled intents, except for the newest of each pull request. */
  readonly sessions: EpochMs;
  /** Pull requests, with all their rows, that are closed or not enabled and that no event has named since. */
  readonly workspaces: EpochMs;
  /** Proven flakes. */
  readonly flakes: EpochMs;
  /** Ended calls to models; what was spent on a fixup, in a day or a month; circuits. Not that of a pull request that is kept. */
  readonly spend: EpochMs;
}

/** Keeps the database small. */
export interface RetentionStore {
  /** Deletes some rows of each kind, about `limit`. Returns the most that it deleted of one kind: at `limit` there may be more. */
  readonly prune: (before: Retention, limit: number) => number;
  /** Deletes at most `limit` runs of tasks that began before that time, each with all that it has. Returns how many. */
  readonly pruneTaskRuns: (before: EpochMs, limit: number) => number;
  /** The pull request of a fixup's session or an engine run; null: its rows are gone. */
  readonly ownerOf: (runId: RunId) => PullRequestKey | null;
  /** Gives up to `maxPages` unused pages back to the disk, if a quarter of the file is unused. Returns how many. */
  readonly shrink: (maxPages: number) => number;
}

/** Work on a database that another process may hold for a while. */
export interface LockStore {
  /**
   * Does `work` and returns its result. While another process holds the lock, waits without blocking the event loop, at most
   * `waitMs`, and does the work again: its writes must be one transaction. @throws the database's error if it stays locked.
   */
  readonly onceWritable: <Result>(work: () => Result, waitMs: number) => Promise<Result>;
  /**
   * Why the database file cannot be used any more (deleted, replaced, cut off); null: it can. With a loss the connection is closed,
   * so that every other method throws: what it wrote would be lost.
   */
  readonly examine: () => Promise<string | null>;
}

/** A wake-up to store in the same transaction as its cause. */
export interface StoredWake {
  readonly queue: string;
  readonly key: string;
  /** null: now. */
  readonly notBefore: EpochMs | null;
}

/** Sessions (resolution S6). */
export interface SessionStore {
  readonly session: (id: SessionId) => Session | null;
  /** Sessions of the pull request that have not ended. */
  readonly liveSessions: (key: PullRequestKey) => readonly Session[];
  /** The same of all pull requests with its head branch: its own first. */
  readonly liveOnBranch: (key: PullRequestKey) => readonly Session[];
  /** All sessions that have not ended. For the recovery at start. */
  readonly allLiveSessions: () => readonly Session[];
  /** Sessions that ended since then with a change that a person may still accept. */
  readonly heldSessions: (since: EpochMs) => readonly SessionId[];
  /** How many `ratchet` sessions were launched on the head branch since then, ended or not. Neither an undo nor an acceptance is counted. */
  readonly launchesSince: (key: PullRequestKey, since: EpochMs) => number;
  /** Ended `ratchet` sessions of all pull requests with the same head branch, newest first. */
  readonly endedSessions: (key: PullRequestKey, limit: number) => readonly Session[];
  /**
   * Stores the session, its `launch` intent, the transition, the patch of the workspace, and the wake-up that runs it, in one
   * transaction. False, and nothing is stored, if another session is working on the head branch.
   */
  readonly launchSession: (launch: {
    readonly session: Session & { readonly fixup: Fixup };
    readonly transition: NewTransition;
    readonly patch: WorkspacePatch;
    readonly wake: StoredWake;
  }) => boolean;
  readonly heartbeat: (id: SessionId, at: EpochMs) => void;
  /** Stores how the dependencies of a working fixup were prepared; a later report replaces it. */
  readonly noteSetup: (id: SessionId, report: SetupReport) => void;
  /** Stores the answer to the question of an ended session. False if there is no such question, or it was answered before. */
  readonly answerQuestion: (id: SessionId, answer: NonNullable<AgentQuestion['answer']>) => boolean;
  /** Stores what the agent of a session used, whether or not the session has ended. */
  readonly saveAgentUse: (id: SessionId, use: AgentUse) => void;
  /**
   * Ends a session exactly once and settles its open intents with the kind of the outcome, in one transaction with the transition,
   * the patch of the workspace and the wake-up of the pull requests with that head branch. False if it had already ended.
   */
  readonly endSession: (
    id: SessionId,
    end: {
      readonly outcome: SessionOutcome;
      readonly at: EpochMs;
      readonly patch: WorkspacePatch;
      readonly transition: NewTransition;
      readonly wake: StoredWake;
      /** Replies to post later; their intent is opened in the same transaction. */
      readonly answer?: AnswerEffect;
    },
  ) => boolean;
  /**
   * Stores the session of a person or an outside agent (resolution S6). Several may work in parallel, also next to a fixup;
   * `hasAnyWorkingSession` decides what blocks a launch.
   */
  readonly addUserSession: (session: Session & { readonly kind: 'user' }) => void;
  /** Ends a `user` session; false if no live one has that id. */
  readonly endUserSession: (id: SessionId, at: EpochMs) => boolean;
  /** Sets the deadline of a live `user` session. */
  readonly renewUserSession: (id: SessionId, deadlineAt: EpochMs) => void;
  /** Marks `user` sessions idle that had no heartbeat since `before`; a heartbeat reverts that. Returns their ids. */
  readonly idleUserSessions: (key: PullRequestKey, before: EpochMs) => readonly SessionId[];
}

/** One entry of the transition log (002.R22). */
export interface NewTransition {
  readonly key: PullRequestKey;
  /** The action of a decision, or another kind of entry. */
  readonly action: LogAction;
  readonly code: string;
  readonly reason: string;
  /** Input of the decision; null for other entries. */
  readonly snapshot: Snapshot | null;
  readonly createdAt: EpochMs;
}

export interface Transition extends NewTransition {
  readonly id: number;
}

/** The transition log. Append-only and mandatory. */
export interface TransitionStore {
  readonly appendTransition: (transition: NewTransition) => void;
  /** Newest first; with `before`, those that are older than the line of that id. */
  readonly transitions: (key: PullRequestKey, limit: number, before?: number) => readonly Transition[];
}

/** Which check run of ours. */
export interface CheckRunIdentity {
  readonly key: PullRequestKey;
  readonly headSha: Sha;
  readonly name: string;
  /** Distinguishes check runs of one name at one head: the id of a run of the engines, empty for other check runs. */
  readonly series: string;
}

/** A check run of ours on one head, and a hash of its content. */
export interface StoredCheckRun extends CheckRunIdentity {
  /** How many completed check runs it has replaced. */
  readonly generation: number;
  readonly checkRunId: number | null;
  /** Hash of the content sent last. Unchanged content makes no call. null: send it again. */
  readonly contentHash: string | null;
  readonly completed: boolean;
  /** null: it is not completed, or an older version completed it. */
  readonly conclusion: CheckRunConclusion | null;
}

/** Check runs of ours. */
export interface CheckRunStore {
  readonly checkRun: (of: CheckRunIdentity) => StoredCheckRun | null;
  readonly saveCheckRun: (checkRun: StoredCheckRun) => void;
  /** Check runs of that name that are not completed, on all heads of the pull request. */
  readonly openCheckRuns: (key: PullRequestKey, name: string) => readonly StoredCheckRun[];
}

/** The database. Every method is synchronous and runs as one transaction. */
export interface Store
  extends DeliveryStore,
    LostDeliveryStore,
    CommandStore,
    WorkspaceStore,
    RepositoryStore,
    WakeupStore,
    IntentStore,
    SessionStore,
    TransitionStore,
    CheckRunStore,
    FlakeStore,
    PlanRunStore,
    QualityStore,
    SpendStore,
    TaskStore,
    RetentionStore,
    FigureStore,
    LockStore {
  readonly close: () => void;
}

import type { Ask, AskEffect } from '../core/model/ask.ts';
import type { LogAction } from '../core/model/decision.ts';
import type { COMMAND_OUTCOMES, Command, CommandPlace, Event } from '../core/model/event.ts';
import type { DeliveryId, EpochMs, PullRequestKey, SessionId, Sha } from '../core/model/ids.ts';
import type { Actor, PullRequestRef, RepositoryRef } from '../core/model/pull-request.ts';
import type { Fixup, ReviewAnswer, Session, SessionOutcome } from '../core/model/session.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import type { Workspace, WorkspacePatch } from '../core/model/workspace.ts';
import type { QualityStore } from './quality-store.ts';

/** A delivery that was verified and parsed, ready to be stored. */
export interface Delivery {
  readonly id: DeliveryId;
  /** SHA-256 of the raw body, hex: the same body under another GUID or event name is a repetition too (T2). */
  readonly bodyHash: string;
  readonly eventName: string;
  readonly action: string | null;
  readonly receivedAt: EpochMs;
  /** What the payload says in our words; null for an event that Ratchet does not use. */
  readonly event: Event | null;
  /** Commands of a created comment or a pressed button; none with any other event. */
  readonly commands: readonly Command[];
}

/** What became of a delivery. */
export type IngestOutcome =
  | {
      readonly kind: 'accepted';
      readonly wakes: readonly PullRequestKey[];
      /** Keys of the sweep queue that were woken. */
      readonly sweeps: readonly string[];
    }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'ignored' };

/** Deliveries: the inbox. */
export interface DeliveryStore {
  /**
   * Stores deliveries with all that follows from them in ONE durable transaction (synchronous=FULL): the delivery row,
   * the repository, the workspace rows it touches, its commands, and the dirtied wake-up rows. Outcomes in input order.
   * A wake-up of the evaluate queue goes to: the numbered pull request (row made when missing), or every workspace of the repository whose head
   * SHA or head branch matches (`ci_changed`, `rerun_requested`), or whose head branch was pushed. A push to a base branch
   * wakes the sweep of that base instead (key `<repositoryId>:<branch>` of the sweep queue), never all pull requests at once;
   * one that changes the policy file also those of the base that nobody enabled (the newest 100), one after the other.
   */
  readonly ingest: (batch: readonly Delivery[]) => readonly IngestOutcome[];
  /** Deletes deliveries received before `before`; returns how many. */
  readonly pruneDeliveries: (before: EpochMs) => number;
}

/** A command of a comment, stored before anything is queued. */
export interface StoredCommand {
  readonly id: number;
  readonly key: PullRequestKey;
  readonly command: Command;
  readonly author: Actor;
  /** Where it was given; with a button, the id of the check run. */
  readonly comment: { readonly kind: CommandPlace; readonly id: number };
  readonly receivedAt: EpochMs;
}

/** Commands waiting to be carried out. */
export interface CommandStore {
  /** Oldest first. */
  readonly pendingCommands: (key: PullRequestKey) => readonly StoredCommand[];
  /** Settles once; a second call changes nothing. */
  readonly settleCommand: (id: number, outcome: (typeof COMMAND_OUTCOMES)[number], at: EpochMs) => void;
  /** Comments of the account on the pull request, a command of which was settled since then; looks at recent ones only. */
  readonly settledComments: (key: PullRequestKey, authorId: number, since: EpochMs) => number;
}

/** Workspaces: one row per pull request, the memory of the loop. */
export interface WorkspaceStore {
  readonly workspace: (key: PullRequestKey) => Workspace | null;
  /** Makes the row when it is missing; never changes an existing one but for the repository's name. */
  readonly ensureWorkspace: (ref: PullRequestRef) => Workspace;
  readonly updateWorkspace: (key: PullRequestKey, patch: WorkspacePatch) => void;
  /** Head that a webhook named last: a hint, never the truth; null when none did. */
  readonly headHint: (key: PullRequestKey) => Sha | null;
  /** The same where nobody has settled it yet, or a push changed the policy of the base since; else null. */
  readonly openHint: (key: PullRequestKey) => Sha | null;
  /** The pull request was looked at with this head: the hint of it is settled. */
  readonly settleHint: (key: PullRequestKey, headSha: Sha) => void;
  /** Enabled workspaces whose base is that branch, but for closed ones. */
  readonly enabledOnBase: (repositoryId: number, baseRef: string) => readonly Workspace[];
}

/** Repositories and installations, as the webhooks told. */
export interface RepositoryStore {
  readonly repository: (repositoryId: number) => (RepositoryRef & { readonly active: boolean }) | null;
  /** By name, in any case; null when no webhook named it yet. */
  readonly findRepository: (owner: string, name: string) => RepositoryRef | null;
}

/** The durable half of the queue: one row per (queue, key). */
export interface WakeupStore {
  /** Marks the key dirty, or with `notBefore` moves its next check forward (never back). */
  readonly markWakeup: (queue: string, key: string, notBefore: EpochMs | null) => void;
  /**
   * Takes the key when it is due (dirty, or its next check has come) and no live lease is on it.
   * Returns the lease id, or null when there is nothing to do or another run is at it.
   */
  readonly claimWakeup: (queue: string, key: string, now: EpochMs, leaseMs: number) => string | null;
  /** Whether something woke the key since its last run, or a run of it came to no end; false where only a check is due. */
  readonly isWoken: (queue: string, key: string) => boolean;
  readonly renewLease: (queue: string, key: string, leaseId: string, until: EpochMs) => boolean;
  readonly holdsLease: (queue: string, key: string, leaseId: string) => boolean;
  /**
   * Ends the run of `leaseId`: what was dirty at the claim is clean, `nextCheckAt` replaces the check that was due; an
   * earlier future check set meanwhile stays. Returns whether the key is dirty again (announce it). A stale lease changes nothing.
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
   * The earliest instant at which a key becomes due by time alone (next check, or end of a lease); null when there is none.
   * With `after`, instants up to it are left out: a scan at that instant has found them.
   */
  readonly nextWakeupAt: (queue: string, after?: EpochMs) => EpochMs | null;
  /** Frees every lease of `queue`: for the start of the only control plane. The interrupted keys become dirty. */
  readonly freeLeases: (queue: string) => number;
}

/** A push that was planned: all that is needed to make it, or to recognise it, after a crash. */
export interface PushEffect {
  readonly kind: 'push';
  readonly commitSha: Sha;
  /** Branch name without `refs/heads/`. */
  readonly branch: string;
  /** Head that the push replaces: its lease. */
  readonly oldSha: Sha;
  /** The session's outcome once the push has arrived. */
  readonly outcome: SessionOutcome & { readonly kind: 'pushed' };
}

/** Replies to a review that follow a push: made by a later look, once the pushed commit is part of the head. */
export interface AnswerEffect {
  readonly kind: 'answer';
  readonly commitSha: Sha;
  readonly answers: readonly ReviewAnswer[];
}

/**
 * An effect that must not happen twice, and what is needed to finish or to recognise it after a crash. A push is finished or
 * recognised, an answer is made later; an ask that a crash cut off counts as asked, for nobody can tell whether it arrived.
 */
export type IntentEffect = { readonly kind: 'launch' } | PushEffect | AnswerEffect | AskEffect;

/** A planned effect, written before it is made and settled exactly once. */
export interface Intent {
  readonly id: number;
  /** Unique over all time for its kind: the same effect is never planned twice. */
  readonly uniqueKey: string;
  readonly key: PullRequestKey;
  /** null: no session plans it, as with what a look asks of GitHub. */
  readonly sessionId: SessionId | null;
  readonly effect: IntentEffect;
  readonly createdAt: EpochMs;
  readonly settledAt: EpochMs | null;
  readonly outcome: string | null;
}

/** Intents (decision 4: write the intent before the effect). */
export interface IntentStore {
  /** Returns the new intent, or the existing one of the same kind and unique key (settled or open). */
  readonly openIntent: (intent: Omit<Intent, 'id' | 'settledAt' | 'outcome'>) => {
    readonly intent: Intent;
    readonly isNew: boolean;
  };
  /** Settles once, in one transaction with what follows from it: false when it was settled before (nothing changes then). */
  readonly settleIntent: (
    id: number,
    outcome: string,
    at: EpochMs,
    also?: { readonly transition?: NewTransition; readonly wake?: StoredWake },
  ) => boolean;
  /** Forgets an open intent of which nothing was done: the same effect may be planned again. */
  readonly withdrawIntent: (id: number) => void;
  readonly openIntents: (sessionId: SessionId) => readonly Intent[];
  /** Open `answer` intents of the pull request, oldest first. */
  readonly openAnswers: (key: PullRequestKey) => readonly Intent[];
  /** The newest `answer` intents of the pull request, open or settled, newest first. */
  readonly recentAnswers: (key: PullRequestKey, limit: number) => readonly Intent[];
  /** What GitHub was asked for, open or settled, newest first, cut at a fixed number: one head has few. */
  readonly recentAsks: (key: PullRequestKey) => readonly (Ask & { readonly id: number })[];
}

/** A wake-up that is stored along with what it follows from: neither is there without the other. */
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
  /** All sessions of the process that have not ended: for the recovery at start. */
  readonly allLiveSessions: () => readonly Session[];
  /** How many `ratchet` sessions of the pull request were launched since then, ended or not. */
  readonly launchesSince: (key: PullRequestKey, since: EpochMs) => number;
  /** The newest ended `ratchet` sessions, newest first. */
  readonly endedSessions: (key: PullRequestKey, limit: number) => readonly Session[];
  /**
   * In one transaction: the session row, its `launch` intent, the transition, the workspace's patch, and the wake-up that
   * gets it run. False (nothing written) when another session of the pull request is working: there is never a second one.
   */
  readonly launchSession: (launch: {
    readonly session: Session & { readonly fixup: Fixup };
    readonly transition: NewTransition;
    readonly patch: WorkspacePatch;
    readonly wake: StoredWake;
  }) => boolean;
  readonly heartbeat: (id: SessionId, at: EpochMs) => void;
  /**
   * Ends a session exactly once, in one transaction with its transition, the workspace's patch and the wake-up of the pull
   * request; false when it had ended before. Settles its open intents with the outcome's kind.
   */
  readonly endSession: (
    id: SessionId,
    end: {
      readonly outcome: SessionOutcome;
      readonly at: EpochMs;
      readonly patch: WorkspacePatch;
      readonly transition: NewTransition;
      readonly wake: StoredWake;
      /** Replies to make later; opened in the same transaction. */
      readonly answer?: AnswerEffect;
    },
  ) => boolean;
  /**
   * Announces a person or an outside agent at work (resolution S6). Several may work beside each other, and beside a fixup:
   * what blocks is decided by `hasAnyWorkingSession`.
   */
  readonly addUserSession: (session: Session & { readonly kind: 'user' }) => void;
  /** Ends a `user` session; false when there is none of that id at work. */
  readonly endUserSession: (id: SessionId, at: EpochMs) => boolean;
  /** Sets when a `user` session that has not ended is over. */
  readonly renewUserSession: (id: SessionId, deadlineAt: EpochMs) => void;
  /** Turns `user` sessions idle whose last heartbeat is before `before`; a heartbeat makes them work again. Returns the ids. */
  readonly idleUserSessions: (key: PullRequestKey, before: EpochMs) => readonly SessionId[];
}

/** One line of the transition log (002.R22). */
export interface NewTransition {
  readonly key: PullRequestKey;
  /** The decision's action, or a word for what is not a decision. */
  readonly action: LogAction;
  readonly code: string;
  readonly reason: string;
  /** Input of the decision; null for what is not a decision. */
  readonly snapshot: Snapshot | null;
  readonly createdAt: EpochMs;
}

/** A stored line of the transition log. */
export interface Transition extends NewTransition {
  readonly id: number;
}

/** The transition log: append-only, mandatory. */
export interface TransitionStore {
  readonly appendTransition: (transition: NewTransition) => void;
  /** Newest first. */
  readonly transitions: (key: PullRequestKey, limit: number) => readonly Transition[];
  readonly pruneTransitions: (before: EpochMs) => number;
}

/** Our check run on one head: which one it is and what it says. */
export interface StoredCheckRun {
  readonly key: PullRequestKey;
  readonly headSha: Sha;
  readonly name: string;
  readonly checkRunId: number | null;
  /** Hash of what was last sent: unchanged text makes no call. */
  readonly contentHash: string | null;
  readonly completed: boolean;
}

/** Check runs that we own. */
export interface CheckRunStore {
  readonly checkRun: (key: PullRequestKey, headSha: Sha, name: string) => StoredCheckRun | null;
  readonly saveCheckRun: (checkRun: StoredCheckRun) => void;
  /** Check runs that are not completed, of all heads of this pull request. */
  readonly openCheckRuns: (key: PullRequestKey) => readonly StoredCheckRun[];
}

/** The database. Every method is synchronous and one transaction. */
export interface Store
  extends DeliveryStore,
    CommandStore,
    WorkspaceStore,
    RepositoryStore,
    WakeupStore,
    IntentStore,
    SessionStore,
    TransitionStore,
    CheckRunStore,
    QualityStore {
  readonly close: () => void;
}

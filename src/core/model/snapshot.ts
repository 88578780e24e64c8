import type { AgentStanding } from './agent-standing.ts';
import type { DecisionCode } from './decision.ts';
import type { EpochMs } from './ids.ts';
import type { POLICY_KEYS, ValueOf } from './policy.ts';
import type { MergeState, PullRequestFacts, ReviewDecision } from './pull-request.ts';
import type { PersonFailure, TakenBack } from './workspace.ts';

/** The verdict over all CI results of one head. `none`: there is provably no CI. `blocked`: CI waits for a person. */
export const CI_STATUSES = ['none', 'pending', 'failure', 'success', 'blocked'] as const;
export type CiStatus = (typeof CI_STATUSES)[number];

type Leaves<Keys> = {
  [Name in keyof Keys]: Keys[Name] extends { readonly keys: infer Inner } ? Leaves<Inner> : Keys[Name];
}[keyof Keys];
type Deciding = Extract<Leaves<typeof POLICY_KEYS>, { readonly decision: unknown }>;

/** The policy values that the decision reads, by the `decision` names of their declarations. */
export type DecisionPolicy = {
  readonly [One in Deciding as One['decision'] extends { readonly name: infer Name extends string }
    ? Name
    : Extract<One['decision'], string>]: One['decision'] extends string ? ValueOf<One> : boolean;
} & {
  /** Longest wait for GitHub to report whether the pull request merges cleanly. */
  readonly mergeTimeoutSeconds: number;
};

/** A required check without any result, and the name of a result that may be the one that is meant. */
export interface MissingCheck {
  readonly name: string;
  readonly near: string | null;
}

/** The result of a closer look, which is taken only if red CI is what there is to fix. */
export interface CiFailure {
  /** Every red job looks flaky or failed because of the infrastructure, and none was re-run at this head before. */
  readonly rerunnable: boolean;
  /** A red job that is red at the merge base is green by now at the tip of the base. */
  readonly repairedOnBase: boolean;
  /** One red job that no code can mend, if nothing else is left to fix. */
  readonly person: PersonFailure | null;
  /** Every red job is red at the merge base too. */
  readonly redOnBase: boolean;
  /** CI fails in exactly the same way as before our last push. */
  readonly sameAsBefore: boolean;
}

export const LEFT_WHYS = [
  /** Ratchet's answer: a person has to decide. */
  'needs_human',
  /** Ratchet's answer: no change. */
  'declined',
  /** A deleted account, or one whose permission was not read, asks for something. */
  'unknown_author',
  /** The thread has comments that were not read. */
  'unread',
  /** The base takes only resolved threads. */
  'unresolved',
] as const;

/** An open review item that only a person can settle. */
export interface LeftItem {
  readonly why: (typeof LEFT_WHYS)[number];
  /** Login of who asks; null: not known. */
  readonly by: string | null;
  /** File of the thread; null for a request for changes. */
  readonly path: string | null;
  /** Ratchet's answer, cut; empty without one. Untrusted. */
  readonly answer: string;
}

/** The whole input of `determineFixupAction`. It is stored with the decision, so that the decision can be replayed. */
export interface Snapshot {
  /** null: the pull request does not exist (any more). */
  readonly pullRequest: {
    readonly state: PullRequestFacts['state'];
    readonly draft: boolean;
    readonly fork: boolean;
    readonly autoMerge: boolean;
    readonly inMergeQueue: boolean;
    /** Why the merge queue removed this head, because its merge result failed; otherwise null. */
    readonly queueFailure: string | null;
    /** Approvals survive a push, so auto-merge could merge a push that nobody reviewed (resolution S16). */
    readonly approvalsSurvive: boolean;
    /** The pull request has the hold label of the policy. */
    readonly holdLabel: boolean;
    /** A head that lacks commits of the base cannot be merged, and the policy lets Ratchet update it. */
    readonly mustBeUpToDate: boolean;
    /** Known reasons why branch rules would refuse our push; null if there are none. */
    readonly pushForbidden: string | null;
    /** Numbers of the other open pull requests with the same head branch. */
    readonly beside: readonly number[];
  } | null;
  readonly ci: {
    readonly status: CiStatus;
    /** CI run id at the head (resolution S5); null if no result was seen. */
    readonly runId: string | null;
    /** Whether a check is running at the head; null: not known. Then any CI result counts as running. */
    readonly running: boolean | null;
    /** A workflow run of the head waits for an approval: without it, its code may not run here either (trap 12). */
    readonly unapproved: boolean;
    /** Required checks without a result, if CI is pending for nothing else. */
    readonly missing: readonly MissingCheck[];
    /** null: no closer look was taken. */
    readonly failure: CiFailure | null;
  };
  /**
   * New findings of the last finished run of the engines over this very head. Left out: there is none, or the policy does not have them
   * fixed.
   */
  readonly quality?: { readonly new: number };
  readonly merge: MergeState;
  readonly review: {
    readonly actionable: number;
    /** When the newest actionable comment was written; null if there is none, or it is not known. */
    readonly newestAt: EpochMs | null;
    /** Number of items that ask nothing of Ratchet and only a person can settle. */
    readonly left: number;
    /** The first few of them. */
    readonly leftItems: readonly LeftItem[];
    /** Number of other open threads and requests that ask nothing of Ratchet. */
    readonly otherOpen: number;
    /** Logins of the reviewers whose requests for changes stand, answered or not. */
    readonly changesRequestedBy: readonly string[];
    readonly decision: ReviewDecision;
  };
  readonly ratchet: {
    readonly enabled: boolean;
    readonly consecutiveAttempts: number;
    /** Sessions launched on this pull request in the last 24 hours, however they ended. */
    readonly launchesToday: number;
    readonly lastCiRunId: string | null;
    readonly staleCiSince: EpochMs | null;
    /** Cause key that the last stop applies to. Nothing is launched while it equals `causeKey`. */
    readonly stoppedFor: string | null;
    /**
     * The wait at the last decision: the clock of one wait must not time out another. null: there was none, or its kind is not
     * known. `waitingSince` then counts for any wait.
     */
    readonly waitingFor: DecisionCode | null;
    /** When this wait began; null if it was not waiting. */
    readonly waitingSince: EpochMs | null;
    /** Paused by a command, until resumed. */
    readonly paused: boolean;
    /** Number of another pull request with the same head branch on which it was paused; null: none. */
    readonly pausedBeside: number | null;
    /** The revert of a person that still counts (resolution S19). */
    readonly takenBack: (Pick<TakenBack, 'commitSha' | 'action' | 'at'> & { readonly by: string | null }) | null;
    /** The last requested re-run: its CI result, and when the wait for it began (0: GitHub refused). */
    readonly rerun: { readonly ciRunId: string; readonly at: EpochMs } | null;
    /** When an update to the current base SHA was requested (0: GitHub refused); null: not yet. */
    readonly updateAskedAt: EpochMs | null;
  };
  /** Whether an agent may be launched. */
  readonly agent: AgentStanding;
  /** A fixup for this cause has shown that a merge needs an agent. Otherwise git may be enough. */
  readonly mergeNeedsAgent: boolean;
  readonly causeKey: string | null;
  readonly workingSession: boolean;
  /** Number of the other pull request with the same head branch that the working session is for; null: it is for this one. */
  readonly sessionBeside: number | null;
  /** Problems of the policy file. Nothing is launched while there are any. */
  readonly policyErrors: readonly string[];
  readonly now: EpochMs;
  readonly policy: DecisionPolicy;
}

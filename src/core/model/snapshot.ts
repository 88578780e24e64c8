import type { DecisionCode } from './decision.ts';
import type { EpochMs } from './ids.ts';
import type { POLICY_KEYS, ValueOf } from './policy.ts';
import type { MergeState, PullRequestFacts } from './pull-request.ts';

/** The verdict over all CI results of one head. `none` means proven that there is no CI; `blocked` waits for a person's approval. */
export const CI_STATUSES = ['none', 'pending', 'failure', 'success', 'blocked'] as const;
export type CiStatus = (typeof CI_STATUSES)[number];

type Leaves<Keys> = {
  [Name in keyof Keys]: Keys[Name] extends { readonly keys: infer Inner } ? Leaves<Inner> : Keys[Name];
}[keyof Keys];
type Deciding = Extract<Leaves<typeof POLICY_KEYS>, { readonly decision: unknown }>;

/** What the decision asks of the policy, by the names that the keys are declared with. */
export type DecisionPolicy = {
  readonly [One in Deciding as One['decision'] extends { readonly name: infer Name extends string }
    ? Name
    : Extract<One['decision'], string>]: One['decision'] extends string ? ValueOf<One> : boolean;
} & {
  /** Longest wait for GitHub to tell whether the pull request merges cleanly. */
  readonly mergeTimeoutSeconds: number;
};

/** What a closer look at red CI found; taken only where that is what there is to fix. */
export interface CiFailure {
  /** Every red job failed by the infrastructure or looks flaky, and none of them was re-run at this head before. */
  readonly rerunnable: boolean;
  /** Every red job is red at the merge base too. */
  readonly redOnBase: boolean;
  /** CI fails in exactly the way in which it failed before our last push. */
  readonly sameAsBefore: boolean;
}

/** Everything that `determineFixupAction` looks at: the whole input of a decision, stored with it so that it can be replayed. */
export interface Snapshot {
  /** null: the pull request does not exist (any more). */
  readonly pullRequest: {
    readonly state: PullRequestFacts['state'];
    readonly draft: boolean;
    readonly fork: boolean;
    readonly autoMerge: boolean;
    readonly inMergeQueue: boolean;
    /** Approvals outlive a push: what auto-merge then merges, nobody has reviewed (resolution S16). */
    readonly approvalsSurvive: boolean;
    /** The label that holds Ratchet is there. */
    readonly holdLabel: boolean;
    /** A head that lacks commits of the base cannot be merged, and policy lets Ratchet update it. */
    readonly mustBeUpToDate: boolean;
    /** Why the rules of the head branch would refuse a push of ours; null when nothing is known to. */
    readonly pushForbidden: string | null;
  } | null;
  readonly ci: {
    readonly status: CiStatus;
    /** Identity of the CI result at the head (resolution S5); null when no result was seen. */
    readonly runId: string | null;
    /** Whether some check runs at the head; null: not known, then every result counts as one that does. */
    readonly running: boolean | null;
    /** null: not looked at (CI is not red, or something else decides). */
    readonly failure: CiFailure | null;
  };
  readonly merge: MergeState;
  readonly review: {
    readonly actionable: number;
    /** When the newest actionable comment was written; null without one, or when not known. */
    readonly newestAt: EpochMs | null;
  };
  readonly ratchet: {
    readonly enabled: boolean;
    readonly consecutiveAttempts: number;
    /** Sessions launched on this pull request in the last 24 hours, however they ended. */
    readonly launchesToday: number;
    readonly lastCiRunId: string | null;
    readonly staleCiSince: EpochMs | null;
    /** Cause key of the last stop; nothing is launched while it equals `causeKey`. */
    readonly stoppedFor: string | null;
    /**
     * What it was waiting for at the last decision. A clock that was started for running CI must not time out an unknown
     * merge state. null: it was not waiting, or it is not known for what (`waitingSince` then counts for any wait).
     */
    readonly waitingFor: DecisionCode | null;
    /** Since when this pull request has been waiting for the same thing; null when it was not waiting. */
    readonly waitingSince: EpochMs | null;
    /** Paused by a command, until resumed. */
    readonly paused: boolean;
    /** The last re-run that was asked for: for which CI result, and when. */
    readonly rerun: { readonly ciRunId: string; readonly at: EpochMs } | null;
    /** When the update of the branch to the base SHA of now was asked for; null: not yet. */
    readonly updateAskedAt: EpochMs | null;
  };
  readonly causeKey: string | null;
  readonly workingSession: boolean;
  /** What is wrong with the policy file; nothing is launched while it is not empty. */
  readonly policyErrors: readonly string[];
  readonly now: EpochMs;
  readonly policy: DecisionPolicy;
}

import type { DecisionCode } from './decision.ts';
import type { EpochMs } from './ids.ts';
import type { MergeState } from './pull-request.ts';

/** The verdict over all CI results of one head. `none` means proven that there is no CI; `blocked` waits for a person's approval. */
export type CiStatus = 'none' | 'pending' | 'failure' | 'success' | 'blocked';

/** Limits of the decision that the policy file or the operator sets. */
export interface DecisionPolicy {
  readonly maxAttempts: number;
  /** Launches within a day, pushed or not, before a person is asked: a bound on money that nothing resets but time. */
  readonly maxLaunchesPerDay: number;
  readonly staleCiTimeoutSeconds: number;
  /** Longest wait for running (or not yet observed) CI before a person is asked. */
  readonly ciTimeoutSeconds: number;
  /** Longest wait for GitHub to tell whether the pull request merges cleanly. */
  readonly mergeTimeoutSeconds: number;
}

/** Everything that `determineFixupAction` looks at: the whole input of a decision, stored with it so that it can be replayed. */
export interface Snapshot {
  /** null: the pull request does not exist (any more). */
  readonly pullRequest: {
    readonly state: 'open' | 'closed' | 'merged';
    readonly draft: boolean;
    readonly fork: boolean;
    readonly autoMerge: boolean;
    readonly inMergeQueue: boolean;
  } | null;
  readonly ci: {
    readonly status: CiStatus;
    /** Identity of the CI result at the head (resolution S5); null when no result was seen. */
    readonly runId: string | null;
  };
  readonly merge: MergeState;
  readonly review: { readonly actionable: number };
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
  };
  readonly causeKey: string | null;
  readonly workingSession: boolean;
  /** What is wrong with the policy file; nothing is launched while it is not empty. */
  readonly policyErrors: readonly string[];
  readonly now: EpochMs;
  readonly policy: DecisionPolicy;
}

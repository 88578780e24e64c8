import { DECISION_CODES, type DecisionCode } from './decision.ts';
import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';
import type { Actor, MergeState, PullRequestRef } from './pull-request.ts';

/** A state to show (derived from the last decision; the decision itself never reads it). */
export const RATCHET_STATES = [
  'idle',
  'waiting',
  'fixing',
  'stopped',
  'failed',
  'green',
  'disabled',
  'closed',
] as const;
export type RatchetState = (typeof RATCHET_STATES)[number];

export const STOP_CODES = [...DECISION_CODES, 'NO_PUSH', 'NEEDS_HUMAN', 'SUGGESTED', 'DECLINED'] as const;

/** Why the loop stopped and for which cause; lifted by a changed cause key, retry, or disable and enable (resolution S8). */
export interface Stop {
  readonly causeKey: string;
  readonly code: (typeof STOP_CODES)[number];
  readonly reason: string;
}

/** What a closer look at one red CI result found, kept so that it is taken once. */
export interface Diagnosis {
  readonly ciRunId: string;
  /** Red jobs that failed by the infrastructure or look flaky. */
  readonly flaky: readonly string[];
  /** Red jobs that are red at the merge base too. */
  readonly redOnBase: readonly string[];
  /** Equal for equal failures: names, conclusions and what the logs say, without what changes from run to run. */
  readonly signature: string;
}

/** A job that was red, was run again on the same commit, and was green. */
export interface Flake {
  readonly name: string;
  readonly headSha: Sha;
  readonly at: EpochMs;
}

export const ENABLEMENTS = ['never', 'enabled', 'disabled'] as const;

/** What Ratchet remembers about one pull request: only what GitHub cannot tell (002.R21). */
export interface Workspace extends PullRequestRef {
  readonly key: PullRequestKey;
  /** `never`: nobody has enabled it yet; such a pull request costs one small read of GitHub for each new head. */
  readonly enablement: (typeof ENABLEMENTS)[number];
  /** Who enabled it last; their permission is checked again before a push. */
  readonly enabledBy: Actor | null;
  readonly state: RatchetState;
  readonly activeSessionId: SessionId | null;
  readonly lastCiRunId: string | null;
  readonly staleCiSince: EpochMs | null;
  readonly lastCheckedAt: EpochMs | null;
  readonly lastPushAt: EpochMs | null;
  /** Commit of our last push, or of the last update that was made for us; a head that is neither this nor `seenHeadSha` came from outside. */
  readonly lastPushSha: Sha | null;
  readonly consecutiveAttempts: number;
  readonly stop: Stop | null;
  /** Head at the last look, and since when it is the head. */
  readonly seenHeadSha: Sha | null;
  readonly seenHeadAt: EpochMs | null;
  readonly headRef: string | null;
  readonly baseRef: string | null;
  /** A CI result was seen at some head of this pull request: silence is then no proof of "no CI" (resolution S3). */
  readonly ciEverSeen: boolean;
  /** The wait that is under way, and since when (resolution S4: every wait has a deadline). */
  readonly waitingFor: DecisionCode | null;
  readonly waitingSince: EpochMs | null;
  /** Who paused it, and when; null: not paused. */
  readonly pause: { readonly by: Actor; readonly at: EpochMs } | null;
  /**
   * How often its budget has begun anew: when it was enabled or retried, and with each push from outside. What GitHub was asked for
   * before the last one counts no more.
   */
  readonly freshStarts: number;
  readonly diagnosis: Diagnosis | null;
  /** Newest first, at most 20. */
  readonly flakes: readonly Flake[];
  /** Whether it merged cleanly at the last look or probe: a push to the base wakes first whom it changed. */
  readonly seenMerge: MergeState | null;
  /** Hash of what our one comment says; null: there is none. */
  readonly commentHash: string | null;
}

/** The fields that one iteration may change. */
export type WorkspacePatch = Partial<Omit<Workspace, 'key' | 'repository' | 'number'>>;

import type { DecisionCode } from './decision.ts';
import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';
import type { Actor, PullRequestRef } from './pull-request.ts';

/** A state to show (derived from the last decision; the decision itself never reads it). */
export type RatchetState = 'idle' | 'waiting' | 'fixing' | 'stopped' | 'failed' | 'green' | 'disabled' | 'closed';

/** Why the loop stopped and for which cause; lifted by a changed cause key, retry, or disable and enable (resolution S8). */
export interface Stop {
  readonly causeKey: string;
  readonly code: DecisionCode | 'NO_PUSH' | 'NEEDS_HUMAN';
  readonly reason: string;
}

/** What Ratchet remembers about one pull request: only what GitHub cannot tell (002.R21). */
export interface Workspace extends PullRequestRef {
  readonly key: PullRequestKey;
  /** `never`: nobody has enabled it yet; such a pull request costs no read of GitHub. */
  readonly enablement: 'never' | 'enabled' | 'disabled';
  /** Who enabled it last; their permission is checked again before a push. */
  readonly enabledBy: Actor | null;
  readonly state: RatchetState;
  readonly activeSessionId: SessionId | null;
  readonly lastCiRunId: string | null;
  readonly staleCiSince: EpochMs | null;
  readonly lastCheckedAt: EpochMs | null;
  readonly lastPushAt: EpochMs | null;
  /** Commit of our last push; a head that is neither this nor `seenHeadSha` came from outside. */
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
}

/** The fields that one iteration may change. */
export type WorkspacePatch = Partial<Omit<Workspace, 'key' | 'repository' | 'number'>>;

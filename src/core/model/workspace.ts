import { DECISION_CODES, type DecisionCode } from './decision.ts';
import type { FailureClass } from './failure-class.ts';
import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';
import type { Actor, MergeState, PullRequestRef } from './pull-request.ts';
import type { ReportedFailure } from './reported-failure.ts';
import type { FixupKind, RejectCode } from './session.ts';

/** The displayed state. It is derived from the last decision; no decision reads it. */
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

export const STOP_CODES = [
  ...DECISION_CODES,
  'NO_PUSH',
  'NEEDS_HUMAN',
  'SUGGESTED',
  'HELD',
  'QUESTION',
  'DECLINED',
] as const;

/** Why the loop stopped, and for which cause. A changed cause key, retry, or disable and enable lift it (resolution S8). */
export interface Stop {
  readonly causeKey: string;
  readonly code: (typeof STOP_CODES)[number];
  readonly reason: string;
  /** Only after a rejected attempt. Missing in a stop of an earlier version. */
  readonly reject?: RejectCode;
}

/** A red job that no code of the repository can mend (resolution S21), and the line of its output that shows it. */
export interface PersonFailure {
  readonly name: string;
  readonly line: string;
}

/** What the red jobs of one name failed through. */
export interface DiagnosedJob {
  readonly name: string;
  readonly class: FailureClass;
  /** What shows it; null if nothing does. Untrusted, cut, without secrets. */
  readonly line: string | null;
  /** Name of the rule that says so; null if none does. */
  readonly rule: string | null;
  /** Ids of the failed tests that its logs name, cut; at most 20. */
  readonly tests: readonly string[];
  /** The command that failed, as its log shows it; null if it does not. Untrusted, cut, without secrets. */
  readonly command: string | null;
}

/** The result of a closer look at one red CI result, stored so that it is taken once. */
export interface Diagnosis {
  readonly ciRunId: string;
  /** `Workspace.freshStarts` at the time of the look: a fresh start looks again. */
  readonly freshStart: number;
  /** The base branch and its tip that the head was compared with; null: not known. */
  readonly base: { readonly ref: string; readonly sha: Sha } | null;
  /** The class of each name; empty in a diagnosis of an earlier version. */
  readonly jobs: readonly DiagnosedJob[];
  /** Red jobs that look flaky, or failed because of the infrastructure. */
  readonly flaky: readonly string[];
  /** Red jobs that no code of the repository can mend, each with the line of its output that shows it (resolution S21). */
  readonly person: readonly PersonFailure[];
  /** Red jobs that are red at the merge base too, and not green at the tip of the base by now. */
  readonly redOnBase: readonly string[];
  /** Red jobs that are red at the merge base and green at the tip of the base. */
  readonly repairedOnBase: readonly string[];
  /** What the logs of the red jobs report, with files that the head has. */
  readonly failures: readonly ReportedFailure[];
  /** Equal for equal failures: names, conclusions and log content, without the parts that change from run to run. */
  readonly signature: string;
}

/** A job that was red, was re-run on the same commit, and was green. What is known of its tests is remembered per repository. */
export interface Flake {
  readonly name: string;
  readonly headSha: Sha;
  readonly at: EpochMs;
}

/** A person's revert of a commit that Ratchet pushed. Nothing is launched for its cause until somebody asks (resolution S19). */
export interface TakenBack {
  /** The commit of Ratchet that was reverted. */
  readonly commitSha: Sha;
  /** What that commit was to fix. */
  readonly action: FixupKind;
  /** Who pushed the revert; null: not known. */
  readonly by: Actor | null;
  /** The head that the revert led to. */
  readonly headSha: Sha;
  readonly at: EpochMs;
}

/**
 * The stored state of a head branch. Pull requests with the same head branch are one loop: they share it (resolution S18). Those
 * from forks share nothing.
 */
export interface BranchState {
  readonly lastCiRunId: string | null;
  readonly staleCiSince: EpochMs | null;
  readonly lastPushAt: EpochMs | null;
  /** Commit of our last push or requested branch update. A new head that is not this one came from outside. */
  readonly lastPushSha: Sha | null;
  readonly consecutiveAttempts: number;
  /**
   * Number of fresh starts: enable, retry, and each push of a person reset the budget. Requests to GitHub from before the last one
   * no longer count.
   */
  readonly freshStarts: number;
  /** The newest head that these fields account for. */
  readonly settledHeadSha: Sha | null;
  /**
   * Pushes from outside whose pushers GitHub has not told yet: they came on top of `fromSha`. Until it has, they count as a bot's.
   */
  readonly openPush: { readonly fromSha: Sha; readonly at: EpochMs } | null;
  /** When a person last asked for a fresh start (enable, retry). Reverts of older commits no longer count. */
  readonly askedAt: EpochMs | null;
  readonly takenBack: TakenBack | null;
}

export const ENABLEMENTS = ['never', 'enabled', 'disabled'] as const;

/** The stored state of one pull request: only facts that GitHub does not have (002.R21). */
export interface Workspace extends PullRequestRef, BranchState {
  readonly key: PullRequestKey;
  /** `never`: nobody has enabled it yet. Each new head then costs one small read of GitHub. */
  readonly enablement: (typeof ENABLEMENTS)[number];
  /** Who enabled it last. Their permission is checked again before a push. */
  readonly enabledBy: Actor | null;
  readonly state: RatchetState;
  readonly activeSessionId: SessionId | null;
  readonly lastCheckedAt: EpochMs | null;
  readonly stop: Stop | null;
  /** Head at the last look, and when it was first seen. */
  readonly seenHeadSha: Sha | null;
  readonly seenHeadAt: EpochMs | null;
  /** Head branch in the repository; null: not known yet, or the head is in a fork. */
  readonly headRef: string | null;
  readonly baseRef: string | null;
  /** Whether any head here had a CI result. If so, a missing result does not prove that there is no CI (resolution S3). */
  readonly ciEverSeen: boolean;
  /** The current wait and its beginning. Every wait has a deadline (resolution S4). */
  readonly waitingFor: DecisionCode | null;
  readonly waitingSince: EpochMs | null;
  /** Who paused it, and when; null: not paused. */
  readonly pause: { readonly by: Actor; readonly at: EpochMs } | null;
  readonly diagnosis: Diagnosis | null;
  /** Newest first, at most 20. */
  readonly flakes: readonly Flake[];
  /** Merge state at the last look or probe. A push to the base first wakes the pull requests whose state it changed. */
  readonly seenMerge: MergeState | null;
  /** Hash of the text of our comment; null: there is none. */
  readonly commentHash: string | null;
}

export type WorkspacePatch = Partial<Omit<Workspace, 'key' | 'repository' | 'number'>>;

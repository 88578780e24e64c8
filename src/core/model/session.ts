import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';

/** Which fixup a session works on. */
export type FixupKind = 'FIX_MERGE_CONFLICT' | 'FIX_CI' | 'FIX_REVIEW';

/** Why an attempt was refused; stable names, each with a text for people in `core/render`. */
export type RejectCode =
  | 'AGENT_CRASHED'
  | 'AGENT_TIMEOUT'
  | 'AGENT_UNAVAILABLE'
  | 'AGENT_OUTPUT_FLOOD'
  | 'RESULT_INVALID'
  | 'AGENT_FAILED'
  | 'AGENT_BLOCKED'
  | 'NO_CHANGE'
  | 'PATH_NOT_ALLOWED'
  | 'PROTECTED_PATH'
  | 'UNSAFE_ENTRY'
  | 'DIFF_TOO_LARGE'
  | 'TESTS_DELETED'
  | 'CONFLICT_MARKERS'
  | 'SECRET_FOUND'
  | 'NO_VALIDATION'
  | 'SETUP_FAILED'
  | 'VALIDATION_FAILED'
  | 'VALIDATION_TIMEOUT'
  | 'PROCESSES_LEFT'
  | 'SANDBOX_UNAVAILABLE'
  | 'WORKSPACE_FAILED'
  | 'PUSH_REFUSED';

/** Counts of a diff. */
export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** One command that was run to validate, and how it ended. */
export interface ValidationRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Last lines of its output, redacted, for the check run. */
  readonly tail: string;
}

/** What took the ground from under a session. */
export type SupersededBy =
  | 'head_moved'
  | 'closed'
  | 'disabled'
  | 'permission'
  | 'stopped'
  | 'shutdown'
  /** What it was launched for is no more: CI is not red. */
  | 'cause_gone';

/** How a session ended. Exactly one is recorded. */
export type SessionOutcome =
  | {
      readonly kind: 'pushed';
      readonly commitSha: Sha;
      readonly diff: DiffStat;
      readonly files: readonly string[];
      readonly summary: string;
      readonly validation: readonly ValidationRun[];
    }
  | {
      readonly kind: 'rejected';
      readonly code: RejectCode;
      readonly detail: string;
      readonly diff: DiffStat | null;
      readonly validation: readonly ValidationRun[];
    }
  /** The session's own time limit; counts as one attempt (002.R28). */
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  /** The ground moved: head changed, pull request closed, disabled, permission gone. Not counted. */
  | {
      readonly kind: 'superseded';
      readonly why: SupersededBy;
      readonly detail: string;
    }
  /** The process died, or something of ours failed. Not counted; tried again a bounded number of times. */
  | { readonly kind: 'died'; readonly detail: string };

/** An agent (or an announced person) at work on one pull request (resolution S6). */
export interface Session {
  readonly id: SessionId;
  readonly key: PullRequestKey;
  readonly kind: 'ratchet' | 'user';
  readonly status: 'working' | 'idle' | 'ended';
  /** null for a `user` session. */
  readonly fixup: Fixup | null;
  readonly startedAt: EpochMs;
  readonly heartbeatAt: EpochMs;
  readonly deadlineAt: EpochMs;
  readonly endedAt: EpochMs | null;
  readonly outcome: SessionOutcome | null;
}

/** What a `ratchet` session was launched for; pinned at launch, judged against at the gate. */
export interface Fixup {
  readonly action: FixupKind;
  readonly causeKey: string;
  readonly headSha: Sha;
  readonly headRef: string;
  readonly baseSha: Sha;
  /** n of "attempt n of m". */
  readonly attempt: number;
  readonly agent: string;
}

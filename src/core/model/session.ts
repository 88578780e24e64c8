import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';

/** Which fixup a session works on. */
export const FIXUP_KINDS = ['FIX_MERGE_CONFLICT', 'FIX_CI', 'FIX_REVIEW'] as const;
export type FixupKind = (typeof FIXUP_KINDS)[number];

/** Why an attempt was refused; stable names, each with a text for people in `core/render`. */
export const REJECT_CODES = [
  'AGENT_CRASHED',
  'AGENT_TIMEOUT',
  'AGENT_UNAVAILABLE',
  'AGENT_OUTPUT_FLOOD',
  'RESULT_INVALID',
  'AGENT_FAILED',
  'AGENT_BLOCKED',
  'NO_CHANGE',
  'PATH_NOT_ALLOWED',
  'PROTECTED_PATH',
  'UNSAFE_ENTRY',
  'DIFF_TOO_LARGE',
  'TESTS_DELETED',
  'CONFLICT_MARKERS',
  'SECRET_FOUND',
  'NO_VALIDATION',
  'SETUP_FAILED',
  'VALIDATION_FAILED',
  'VALIDATION_TIMEOUT',
  'PROCESSES_LEFT',
  'SANDBOX_UNAVAILABLE',
  'WORKSPACE_FAILED',
  'PUSH_REFUSED',
  /** The merge holds markers, or changes what did not conflict. */
  'MERGE_NOT_RESOLVED',
  /** The merge brings workflow files, which the App may not push. */
  'WORKFLOWS_FORBIDDEN',
  /** This very change was pushed before and taken back by a person. */
  'REVERTED_BEFORE',
  /** The agent left a review thread without an answer. */
  'NOT_ANSWERED',
  /** The agent changed something for a review, and says that it fixed none of its comments. */
  'UNASKED_CHANGE',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

/** By what a change was made. */
export const MADE_BY = ['agent', 'git', 'rerere', 'regeneration'] as const;
export type MadeBy = (typeof MADE_BY)[number];

export const ANSWER_STATUSES = ['fixed', 'declined', 'needs_human'] as const;

/** What an agent answers to one review item. */
export interface ReviewAnswer {
  /** Id of the thread, or `review:<id>` of a request for changes without one. */
  readonly itemId: string;
  readonly status: (typeof ANSWER_STATUSES)[number];
  /** Text of the agent: untrusted. */
  readonly reason: string;
  /** Newest comment that the agent saw; null where there is none. */
  readonly newestCommentId: number | null;
}

/** Counts of a diff. */
export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** The last bytes of a command's output are kept. */
export const MAX_TAIL_BYTES = 4096;

/** One command that was run to validate, and how it ended. */
export interface ValidationRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** Last lines of its output, redacted, for the check run. */
  readonly tail: string;
  /** Of a merge: it fails, and failed on the head before it too. */
  readonly failedBefore?: true;
}

/** What took the ground from under a session. */
export const SUPERSEDED_BY = [
  'head_moved',
  'closed',
  'disabled',
  'permission',
  'stopped',
  'paused',
  'shutdown',
  /** What it was launched for is no more: CI is not red. */
  'cause_gone',
] as const;
export type SupersededBy = (typeof SUPERSEDED_BY)[number];

/** How a session ended. Exactly one is recorded. */
export type SessionOutcome =
  | {
      readonly kind: 'pushed';
      readonly commitSha: Sha;
      readonly diff: DiffStat;
      readonly files: readonly string[];
      readonly summary: string;
      readonly validation: readonly ValidationRun[];
      readonly madeBy: MadeBy;
      /** `git patch-id --stable` of what the commit changes; null where there is none (a merge). */
      readonly patchId: string | null;
      /** Answers to review items; empty with another fixup. */
      readonly answers: readonly ReviewAnswer[];
    }
  /** Mode `suggest`: it passed the gate and was not pushed. Not counted; a stop. */
  | {
      readonly kind: 'suggested';
      /** Unified diff, cut to what a check run can show. */
      readonly patch: string;
      readonly diff: DiffStat;
      readonly files: readonly string[];
      readonly summary: string;
      readonly validation: readonly ValidationRun[];
    }
  /** Every review item was declined or left to a person: nothing to push, a stop. */
  | { readonly kind: 'declined'; readonly answers: readonly ReviewAnswer[]; readonly summary: string }
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

export const SESSION_KINDS = ['ratchet', 'user'] as const;
export const SESSION_STATUSES = ['working', 'idle', 'ended'] as const;

/** An agent (or an announced person) at work on one pull request (resolution S6). */
export interface Session {
  readonly id: SessionId;
  readonly key: PullRequestKey;
  readonly kind: (typeof SESSION_KINDS)[number];
  readonly status: (typeof SESSION_STATUSES)[number];
  /** null for a `user` session. */
  readonly fixup: Fixup | null;
  /** Who a `user` session is, as announced; null for a `ratchet` session. */
  readonly label: string | null;
  readonly startedAt: EpochMs;
  readonly heartbeatAt: EpochMs;
  readonly deadlineAt: EpochMs;
  readonly endedAt: EpochMs | null;
  readonly outcome: SessionOutcome | null;
}

/** Ratchet looks for the same failure, the same change and earlier answers in this many ended sessions. */
export const REMEMBERED_SESSIONS = 50;

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
  /** Signature of the failure that it was launched for; null with another fixup, or when not known. */
  readonly signature: string | null;
}

/** A session that Ratchet launched. */
export type FixupSession = Session & { readonly fixup: Fixup };

import type { EpochMs, PullRequestKey, SessionId, Sha } from './ids.ts';
import type { AgentUse } from './model-use.ts';
import type { Actor } from './pull-request.ts';
import type { SetupReport } from './setup-report.ts';

/** Kinds of fixups: the actions that fix something. */
export const FIXUP_KINDS = ['FIX_MERGE_CONFLICT', 'FIX_CI', 'FIX_REVIEW'] as const;
export type FixupKind = (typeof FIXUP_KINDS)[number];

/** Why an attempt was rejected. Stable names; `core/render` has a text for each. */
export const REJECT_CODES = [
  'AGENT_CRASHED',
  'AGENT_TIMEOUT',
  'AGENT_UNAVAILABLE',
  'AGENT_OUTPUT_FLOOD',
  'RESULT_INVALID',
  'AGENT_FAILED',
  'AGENT_BLOCKED',
  /** The agent asks a person before it can go on. */
  'ANSWER_NEEDED',
  'NO_CHANGE',
  'PATH_NOT_ALLOWED',
  'PROTECTED_PATH',
  'UNSAFE_ENTRY',
  'DIFF_TOO_LARGE',
  'TESTS_DELETED',
  /** An existing test is skipped or loses assertions, or the process is made to end with success. */
  'TESTS_WEAKENED',
  /** The change adds characters that people cannot see. */
  'HIDDEN_TEXT',
  'CONFLICT_MARKERS',
  'SECRET_FOUND',
  'NO_VALIDATION',
  'SETUP_FAILED',
  'VALIDATION_FAILED',
  'VALIDATION_TIMEOUT',
  /** The validation succeeded, but its output says that no test ran. */
  'NO_TESTS_RAN',
  'PROCESSES_LEFT',
  /** A command exceeded a limit of its site. */
  'MEMORY_LIMIT',
  'PROCESS_LIMIT',
  'DISK_QUOTA',
  'SANDBOX_UNAVAILABLE',
  'WORKSPACE_FAILED',
  'PUSH_REFUSED',
  /** The merge has conflict markers, or changes files that did not conflict. */
  'MERGE_NOT_RESOLVED',
  /** The merge has new workflow content, which the App may not push. */
  'WORKFLOWS_FORBIDDEN',
  /** The same change was pushed before, and a person reverted it. */
  'REVERTED_BEFORE',
  /** The agent did not answer a review item. */
  'NOT_ANSWERED',
  /** The agent changed files, but reports no review item as fixed. */
  'UNASKED_CHANGE',
  /** A budget of the fixup or of the pull request has no room for the next call. */
  'BUDGET_EXHAUSTED',
  /** A budget of a day or of a month has no room for the next call. */
  'BUDGET_PERIOD_EXHAUSTED',
  /** No agent may be started for now: see `AgentStanding`. */
  'AGENT_HELD',
  /** An operator switched agents off while the agent worked. */
  'AGENTS_SWITCHED_OFF',
  'MODEL_AUTH',
  'MODEL_NO_CREDIT',
  'MODEL_RATE_LIMITED',
  /** Overloaded, silent, cut off, or no model at all. */
  'MODEL_UNAVAILABLE',
  'CONTEXT_TOO_LONG',
  /** A call that was not allowed, or that the model could not read. */
  'MODEL_REFUSED',
  /** The agent ended without a call to its model. */
  'NO_MODEL_CALL',
  /** An undo: others changed the same lines since. */
  'UNDO_CONFLICT',
  /** An undo: the head holds nothing of the change any more. */
  'UNDO_GONE',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

/** What made a change. */
export const MADE_BY = ['agent', 'git', 'rerere', 'structure', 'regeneration'] as const;
export type MadeBy = (typeof MADE_BY)[number];

/** Conflicted files of a merge that one means resolved. */
export interface ResolvedBy {
  readonly by: Exclude<MadeBy, 'git'>;
  /** The program with its version, or the command; null: neither. */
  readonly tool: string | null;
  readonly paths: readonly string[];
}

/** A button of a check run has room for so many characters, and there are three. */
export const MAX_CHOICE_LENGTH = 20;
export const MAX_CHOICES = 3;

/** What an agent asks a person. Untrusted. */
export interface AgentQuestion {
  readonly text: string;
  /** See `MAX_CHOICES`; empty: any text is an answer. */
  readonly choices: readonly string[];
  /** Of a person who may write; null: nobody has answered yet. */
  readonly answer: { readonly text: string; readonly by: string } | null;
}

export const ANSWER_STATUSES = ['fixed', 'declined', 'needs_human'] as const;
export type AnswerStatus = (typeof ANSWER_STATUSES)[number];

/** The agent's answer to one review item. */
export interface ReviewAnswer {
  /** Id of the thread, or `review:<id>` for a request for changes without a thread. */
  readonly itemId: string;
  readonly status: AnswerStatus;
  /** The agent's text: untrusted. */
  readonly reason: string;
  /** Newest comment that the agent saw; null if there is none. */
  readonly newestCommentId: number | null;
}

/** Counts of a diff. */
export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** How many of the last bytes of a command's output are kept. */
export const MAX_TAIL_BYTES = 4096;

/** One run of a validation command. */
export interface ValidationRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** End of its output, redacted, for the check run. */
  readonly tail: string;
  /** Only for a merge: the command failed on the head too, so the failure is excused. */
  readonly failedBefore?: true;
}

/** Why a session lost its ground. */
export const SUPERSEDED_BY = [
  'head_moved',
  'closed',
  'disabled',
  'permission',
  'stopped',
  'paused',
  'shutdown',
  /** The fault that it was launched for is gone. */
  'cause_gone',
  /** The pull request has another base branch, or the base branch has another policy. */
  'base_changed',
] as const;
export type SupersededBy = (typeof SUPERSEDED_BY)[number];

/** What a person has to look at before a change may be pushed. */
export interface OpenFact {
  /** Stable name. */
  readonly code: string;
  /** As git names it: untrusted. null: the change as a whole. */
  readonly path: string | null;
  /** In the file after the change, or before it if the line is gone; null: the whole file. */
  readonly line: number | null;
  /** A sentence for people. May quote the change: untrusted. */
  readonly message: string;
}

/** A change that waits for a person, with all that its push needs. */
export interface HeldChange {
  readonly kind: 'held';
  /** At least one. */
  readonly facts: readonly OpenFact[];
  /** The commit that is kept: its tree is the change. */
  readonly commitSha: Sha;
  /** The message of that commit. */
  readonly commitMessage: string;
  /** Unified diff, cut to fit into a check run. */
  readonly patch: string;
  readonly diff: DiffStat;
  readonly files: readonly string[];
  readonly summary: string;
  /** As for a push. */
  readonly madeBy: MadeBy;
  readonly resolved: readonly ResolvedBy[];
  readonly answers: readonly ReviewAnswer[];
  readonly validation: readonly ValidationRun[];
}

/** How a session ended. Exactly one outcome is recorded. */
export type SessionOutcome =
  | {
      readonly kind: 'pushed';
      readonly commitSha: Sha;
      readonly diff: DiffStat;
      readonly files: readonly string[];
      readonly summary: string;
      readonly validation: readonly ValidationRun[];
      readonly madeBy: MadeBy;
      /** In the order of the means; empty for other fixups and for a merge without conflicts. */
      readonly resolved: readonly ResolvedBy[];
      /** `git patch-id --stable` of the change, or of a merge's conflict resolution; null for a merge without conflicts. */
      readonly patchId: string | null;
      /** Answers to review items; empty for other fixups. */
      readonly answers: readonly ReviewAnswer[];
    }
  /** The change passed the gate, but the policy does not push (mode `suggest`). Not counted; leads to a stop. */
  | {
      readonly kind: 'suggested';
      /** Unified diff, cut to fit into a check run. */
      readonly patch: string;
      readonly diff: DiffStat;
      readonly files: readonly string[];
      readonly summary: string;
      /** As for a push. */
      readonly resolved: readonly ResolvedBy[];
      readonly validation: readonly ValidationRun[];
    }
  /**
   * The change passed the gate but for what a person has to look at. It is kept and not pushed. Not counted; leads to a stop, until a
   * person accepts it (resolution S28).
   */
  | HeldChange
  /** Every review item was declined or left to a person. Nothing is pushed; leads to a stop. */
  | { readonly kind: 'declined'; readonly answers: readonly ReviewAnswer[]; readonly summary: string }
  | {
      readonly kind: 'rejected';
      readonly code: RejectCode;
      readonly detail: string;
      readonly diff: DiffStat | null;
      readonly validation: readonly ValidationRun[];
      /** Only with `ANSWER_NEEDED`. */
      readonly question?: AgentQuestion;
    }
  /** It reached its time limit. Counts as one attempt (002.R28). */
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  /** It lost its ground (see `SUPERSEDED_BY`). Not counted. */
  | {
      readonly kind: 'superseded';
      readonly why: SupersededBy;
      readonly detail: string;
    }
  /** The process died, or Ratchet itself failed. Not counted; retried a limited number of times. */
  | { readonly kind: 'died'; readonly detail: string };

export const SESSION_KINDS = ['ratchet', 'user'] as const;
export const SESSION_STATUSES = ['working', 'idle', 'ended'] as const;

/** An agent, or an announced person, that works on one pull request (resolution S6). */
export interface Session {
  readonly id: SessionId;
  readonly key: PullRequestKey;
  readonly kind: (typeof SESSION_KINDS)[number];
  readonly status: (typeof SESSION_STATUSES)[number];
  /** null for a `user` session. */
  readonly fixup: Fixup | null;
  /** Name that a `user` session announced; null for a `ratchet` session. */
  readonly label: string | null;
  readonly startedAt: EpochMs;
  readonly heartbeatAt: EpochMs;
  readonly deadlineAt: EpochMs;
  readonly endedAt: EpochMs | null;
  readonly outcome: SessionOutcome | null;
  /** null: nothing was prepared yet, or it is a `user` session. */
  readonly setup: SetupReport | null;
  /** What its agent used, by the gateway's count; null: no agent ran. */
  readonly agentUse: AgentUse | null;
}

/** Number of ended sessions that are searched for the same failure, the same change and earlier answers. */
export const REMEMBERED_SESSIONS = 50;

/** The order of a person to revert the last fixup of a branch (resolution S26). */
export interface UndoOrder {
  /** The commit of that fixup. */
  readonly commitSha: Sha;
  /** Its only parent. */
  readonly parentSha: Sha;
  /** Who asked; null: an operator, through the admin API. */
  readonly by: Actor | null;
  /** Row of the command that asked; null: the admin API. */
  readonly commandId: number | null;
  /** CI result of the head that it starts from: CI has to say something new after the revert (resolution S5). */
  readonly ciRunId: string | null;
}

/** The order of a person to push a change that waits for one (resolution S28). */
export interface AcceptOrder {
  /** Session that ended with the change. */
  readonly sessionId: SessionId;
  readonly by: Actor;
  /** Row of the command that asked. */
  readonly commandId: number;
  /** CI result of the head that it starts from: CI has to say something new after the push (resolution S5). */
  readonly ciRunId: string | null;
}

/** What a `ratchet` session was launched for. Pinned at the launch; the gate judges against it. */
export interface Fixup {
  readonly action: FixupKind;
  readonly causeKey: string;
  readonly headSha: Sha;
  readonly headRef: string;
  readonly baseSha: Sha;
  /** n of "attempt n of m". */
  readonly attempt: number;
  readonly agent: string;
  /** Signature of the CI failure that it was launched for; null for other fixups, or if not known. */
  readonly signature: string | null;
  /** It reverts an earlier fixup and makes no attempt of its own. `action` is then the one of that fixup. */
  readonly undo?: UndoOrder;
  /** It pushes a change that was held. All else is then as in the fixup that made the change. */
  readonly accept?: AcceptOrder;
}

/** A session that Ratchet launched. */
export type FixupSession = Session & { readonly fixup: Fixup };

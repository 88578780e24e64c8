/** The seven things that an iteration can decide (002.R12). */
export const FIXUP_ACTIONS = [
  'WAIT',
  'CLEANUP_ONLY',
  'FIX_MERGE_CONFLICT',
  'FIX_CI',
  'FIX_REVIEW',
  'DONE',
  'TERMINAL_FAILED',
] as const;
export type FixupAction = (typeof FIXUP_ACTIONS)[number];

/** Actions of the lines in the transition log that are not decisions. */
export const LOG_WORDS = ['BREAK', 'SESSION_ENDED', 'COMMAND', 'RESET', 'OBSERVED', 'EFFECT'] as const;
/** Action of a line in the transition log. */
export type LogAction = FixupAction | (typeof LOG_WORDS)[number];

/** Stable names of why; one per guard of `determineFixupAction`. */
export const DECISION_CODES = [
  'WORKING_SESSION',
  'NO_PR',
  'PR_NOT_OPEN',
  'CI_RUNNING',
  'CI_TIMEOUT',
  'CI_BLOCKED',
  'STALE_CI_RUN',
  'STALE_CI_TIMEOUT',
  'DISABLED',
  'FORK_NOT_SUPPORTED',
  'PAUSED',
  'DRAFT_HELD',
  'POLICY_INVALID',
  'OBSERVE_ONLY',
  'PUSH_FORBIDDEN',
  'IN_MERGE_QUEUE',
  'AUTO_MERGE_ON',
  'MERGE_UNKNOWN',
  'MERGE_UNKNOWN_TIMEOUT',
  'MERGE_CONFLICT',
  'BRANCH_BEHIND',
  'UPDATE_AWAITED',
  'CI_FAILED',
  'CI_FLAKY',
  'RERUN_AWAITED',
  'RED_ON_BASE',
  'SAME_FAILURE',
  'REVIEW_COMMENTS',
  'REVIEW_SETTLING',
  'ATTEMPTS_EXHAUSTED',
  'LAUNCHES_EXHAUSTED',
  'STOPPED_SAME_CAUSE',
  'ALL_GREEN',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

/** By what a FIX_* is done (resolution S7): the cheaper means come first; only the first two are free of an attempt. */
export const MEANS = ['rerun', 'update-branch', 'agent'] as const;
export type Means = (typeof MEANS)[number];

/** What an iteration decided, with a reason for people. */
export interface Decision {
  readonly action: FixupAction;
  readonly code: DecisionCode;
  readonly reason: string;
  /** Of a FIX_* only. */
  readonly means?: Means;
}

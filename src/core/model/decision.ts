/** The seven things that an iteration can decide (002.R12). */
export type FixupAction =
  | 'WAIT'
  | 'CLEANUP_ONLY'
  | 'FIX_MERGE_CONFLICT'
  | 'FIX_CI'
  | 'FIX_REVIEW'
  | 'DONE'
  | 'TERMINAL_FAILED';

/** Stable names of why; one per guard of `determineFixupAction`. */
export type DecisionCode =
  | 'WORKING_SESSION'
  | 'NO_PR'
  | 'PR_NOT_OPEN'
  | 'CI_RUNNING'
  | 'CI_TIMEOUT'
  | 'CI_BLOCKED'
  | 'STALE_CI_RUN'
  | 'STALE_CI_TIMEOUT'
  | 'DISABLED'
  | 'FORK_NOT_SUPPORTED'
  | 'POLICY_INVALID'
  | 'IN_MERGE_QUEUE'
  | 'AUTO_MERGE_ON'
  | 'MERGE_UNKNOWN'
  | 'MERGE_UNKNOWN_TIMEOUT'
  | 'MERGE_CONFLICT'
  | 'CI_FAILED'
  | 'REVIEW_COMMENTS'
  | 'ATTEMPTS_EXHAUSTED'
  | 'LAUNCHES_EXHAUSTED'
  | 'STOPPED_SAME_CAUSE'
  | 'ALL_GREEN';

/** What an iteration decided, with a reason for people. */
export interface Decision {
  readonly action: FixupAction;
  readonly code: DecisionCode;
  readonly reason: string;
}

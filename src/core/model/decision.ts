/** The seven actions of a decision (002.R12). */
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

/** Actions of transition log lines that are not decisions. */
export const LOG_WORDS = ['BREAK', 'SESSION_ENDED', 'COMMAND', 'RESET', 'OBSERVED', 'EFFECT'] as const;
export type LogAction = FixupAction | (typeof LOG_WORDS)[number];

/** Stable names of the reasons for a decision. */
export const DECISION_CODES = [
  'WORKING_SESSION',
  'NO_PR',
  'PR_NOT_OPEN',
  'CI_RUNNING',
  'CI_TIMEOUT',
  'CI_BLOCKED',
  'CI_REQUIRED_MISSING',
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
  'BRANCH_SHARED',
  'MERGE_UNKNOWN',
  'MERGE_UNKNOWN_TIMEOUT',
  'MERGE_CONFLICT',
  'BRANCH_BEHIND',
  'UPDATE_AWAITED',
  'MERGE_QUEUE_FAILED',
  'MERGE_QUEUE_UNEXPLAINED',
  'CI_FAILED',
  'QUALITY_FINDINGS',
  'CI_FLAKY',
  'RERUN_AWAITED',
  'CI_NEEDS_PERSON',
  'BASE_REPAIRED',
  'RED_ON_BASE',
  'SAME_FAILURE',
  'REVIEW_COMMENTS',
  'REVIEW_SETTLING',
  'REVIEW_NEEDS_PERSON',
  'ATTEMPTS_EXHAUSTED',
  'LAUNCHES_EXHAUSTED',
  'AGENT_UNKNOWN',
  'AGENT_NOT_ALLOWED',
  'AGENTS_SWITCHED_OFF',
  'BUDGET_EXHAUSTED',
  'BUDGET_AWAITED',
  'MODEL_AWAITED',
  'MODEL_UNUSABLE',
  'STOPPED_SAME_CAUSE',
  'TAKEN_BACK',
  'ALL_GREEN',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

/** How a FIX_* is done, cheapest first (resolution S7). Only `agent` uses an attempt. */
export const MEANS = ['rerun', 'update-branch', 'agent'] as const;
export type Means = (typeof MEANS)[number];

/** The decision of one iteration; `reason` is for people. */
export interface Decision {
  readonly action: FixupAction;
  readonly code: DecisionCode;
  readonly reason: string;
  /** Only with a FIX_*. */
  readonly means?: Means;
}

/** What a step does (004.R3). */
export const ACTION_TYPES = [
  'create_file',
  'modify_file',
  'delete_file',
  'run_command',
  'read_file',
  'get_user_input',
  'browser_act',
] as const;

/** As the plan writes it. `1` and `"1"` are the same id. */
export type StepId = number | string;

/** How the step of a condition must have ended. `ended`: it completed or failed. */
export const CONDITION_STATES = ['completed', 'failed', 'ended'] as const;

/** One step of a plan, with the names of document 004 (004.R4). All texts may come from a stranger. */
export interface StructuredStep {
  readonly step_id: StepId;
  /** One of `ACTION_TYPES`, or of another type that has an adapter. */
  readonly action_type: string;
  readonly description: string;
  /** Steps that must have completed before this one starts. */
  readonly depends_on: readonly StepId[];
  /** If this step fails, every completed step is undone, and the rest is skipped. */
  readonly rollback_on_fail: boolean;
  /** Further starts after one that failed for a transient cause. */
  readonly max_retries: number;
  readonly timeout_seconds: number;
  /** Depends on `action_type`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** This step follows the named one, and starts only if that one ended so. null: no condition. */
  readonly when: { readonly step: StepId; readonly is: (typeof CONDITION_STATES)[number] } | null;
  /** What the step is expected to cost in USD; null: the default of its type. */
  readonly estimate_usd: number | null;
}

/** Steps and their dependencies (004.R5). */
export interface StructuredPlan {
  readonly steps: readonly StructuredStep[];
  /** The most that the plan may cost in USD. */
  readonly budget_usd: number;
}

/** Document 004 gives a plan without a budget of its own so much (004.R20). */
export const DEFAULT_BUDGET_USD = 0.1;
/** Of a step (004.R4). */
export const DEFAULT_RETRIES = 2;
export const DEFAULT_TIMEOUT_SECONDS = 300;

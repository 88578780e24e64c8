import type { RetryConfig } from '../../core/execution/retry.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BudgetGuard, ExecutionToolRegistry } from '../../ports/execution.ts';
import type { PlanJournal } from './plan-journal.ts';
import type { StartTimer } from './with-limit.ts';

/** What a plan runs with. */
export interface PlanExecution<Place> {
  readonly registry: ExecutionToolRegistry<Place>;
  readonly place: Place;
  /** Stops the run: running steps end as CANCELLED, and the rest is skipped. */
  readonly signal: AbortSignal;
  /** Only for how long steps take. */
  readonly clock: Clock;
  /** How many steps may run at the same time. */
  readonly maxConcurrent: number;
  /** Budgets beside that of the plan. A step starts only if it fits into all of them. */
  readonly budgets?: readonly BudgetGuard[];
  /** null: nobody can resume the run. */
  readonly journal?: PlanJournal | null;
  readonly retry?: RetryConfig;
  /** Measured costs of earlier steps with an action type, in USD. */
  readonly costsOf?: (actionType: string) => readonly number[];
  /** Is told of each change as it happens. */
  readonly watch?: (change: PlanChange) => void;
  readonly startTimer?: StartTimer;
  /** How long an action may take to end after its signal has fired. */
  readonly graceMs?: number;
}

/** For people who watch a run. */
export type PlanChange =
  | { readonly kind: 'started'; readonly key: string; readonly attempt: number }
  /** A later change may replace the result: a completed step can be rolled back. */
  | { readonly kind: 'ended'; readonly key: string; readonly result: StepResult };

import type { AttemptCause, Task, TaskCause, TaskStatus } from '../model/task.ts';
import { toRejectEffect } from '../sessions/reject-effects.ts';

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly kind: 'succeeded' }
  /** The change passed all checks but needs a person; `detail` says why. */
  | { readonly kind: 'held'; readonly detail: string }
  | { readonly kind: 'failed'; readonly cause: AttemptCause; readonly detail: string };

/** An attempt of the task that ended before. */
export interface EarlierAttempt {
  /** null: it did not fail. */
  readonly cause: AttemptCause | null;
}

/** What becomes of a task. */
export interface TaskSettlement {
  readonly status: Exclude<TaskStatus, 'running'>;
  readonly cause: TaskCause | null;
  readonly causeDetail: string;
  /** The same would happen to every other task: no further attempt is started, and the run ends. */
  readonly endsRun: boolean;
}

/** How often a task may be started again for a reason that is not its own: a crash, a model that does not answer. */
export const MAX_UNCOUNTED = 3;

/** Causes that say nothing about the task. Such an attempt does not use up its retries, but it is bounded all the same. */
function isUncounted(cause: AttemptCause): boolean {
  return cause === 'LEASE_EXPIRED' || cause === 'INTERRUPTED' || endsRun(cause);
}

/** Whether a cause meets every task of the run alike. */
function endsRun(cause: AttemptCause): boolean {
  switch (cause) {
    case 'LEASE_EXPIRED':
    case 'INTERRUPTED':
    case 'CRITERIA_NOT_MET':
      return false;
    case 'AGENT_UNAVAILABLE':
    case 'SANDBOX_UNAVAILABLE':
    case 'BUDGET_EXHAUSTED':
      return true;
    default:
      return toRejectEffect(cause).then === 'hold';
  }
}

/**
 * What becomes of a task after an attempt (001.R43): it succeeded, waits for a person, is tried again, or is blocked. `earlier` are
 * its attempts before this one, in any order.
 */
export function settleAttempt(
  { retryPolicy }: Pick<Task, 'retryPolicy'>,
  end: AttemptEnd,
  earlier: readonly EarlierAttempt[],
): TaskSettlement {
  if (end.kind === 'succeeded') return { status: 'succeeded', cause: null, causeDetail: '', endsRun: false };
  if (end.kind === 'held') return block('HELD', end.detail);
  if (end.cause === 'AGENT_BLOCKED') return block('AGENT_BLOCKED', end.detail);
  const causes = [...earlier.flatMap(({ cause }) => (cause === null ? [] : [cause])), end.cause];
  const uncounted = causes.filter(isUncounted).length;
  const hasRetry = causes.length - uncounted <= retryPolicy.maxRetries && uncounted <= MAX_UNCOUNTED;
  const settled: TaskSettlement = hasRetry
    ? { status: 'queued', cause: null, causeDetail: '', endsRun: false }
    : block('RETRY_CAP', end.detail);
  return { ...settled, endsRun: endsRun(end.cause) };
}

function block(cause: TaskCause, causeDetail: string): TaskSettlement {
  return { status: 'blocked', cause, causeDetail, endsRun: false };
}

import { toCharge, toCost, toUsd } from '../../core/execution/budget.ts';
import { type RetryConfig, toRetryWait } from '../../core/execution/retry.ts';
import { toStepKey } from '../../core/execution/step-key.ts';
import type { StepCause, StepResult } from '../../core/model/plan-run.ts';
import type { StructuredStep } from '../../core/model/structured-plan.ts';
import { cutHead } from '../../core/text/cut-bytes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ActionAdapter, ActionEnd, BudgetGuard, Compensation, StepInput } from '../../ports/execution.ts';
import type { RollbackManager } from './rollback-manager.ts';
import { type LimitedEnd, type StartTimer, withLimit } from './with-limit.ts';

/** What a step needs to run, besides itself. */
export interface StepDeps<Place> {
  readonly input: StepInput<Place>;
  readonly adapter: ActionAdapter<Place>;
  readonly budget: BudgetGuard;
  readonly estimateUsd: number;
  readonly retry: RetryConfig;
  readonly rollback: RollbackManager;
  /** Stores a start with its undo, before the action acts. */
  readonly onStart: (start: StepStart) => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly startTimer: StartTimer;
}

export interface StepStart {
  readonly compensation: Compensation | null;
  readonly attempts: number;
  /** Charged before this start. */
  readonly costUsd: number;
}

/** How a step ended, and what of its cost was measured. */
export interface RunStepEnd {
  readonly result: StepResult;
  readonly measuredUsd: number | null;
}

const MAX_MESSAGE_BYTES = 2000;
const MAX_OUTPUT_BYTES = 64 * 1024;

const CANCELLED: StepCause = { code: 'CANCELLED', step: null, message: 'The run was stopped while it ran.' };

/** One start of an action, or what kept it from starting. */
interface Attempt extends Pick<ActionEnd, 'costUsd' | 'output'> {
  readonly hasStarted: boolean;
  /** null: completed. */
  readonly cause: StepCause | null;
  readonly isTransient: boolean;
  /** Whether it must be undone before the next start. */
  readonly hasActed: boolean;
  /** The undo of this start would take back what steps beside it did. */
  readonly restoresPlace: boolean;
}

/**
 * Runs a step whose estimate is reserved: starts its action, and starts it again after a transient failure (004.R27, R35). What a
 * failed start did is undone before the next one. @throws what `onStart` throws.
 */
export async function runStep<Place>(step: StructuredStep, deps: StepDeps<Place>): Promise<RunStepEnd> {
  const startedAt = deps.clock.now();
  const estimate = toCost(deps.estimateUsd) ?? 0;
  let attempts = 0;
  let charged = 0;
  let measured: number | null = null;
  for (;;) {
    const attempt = await tryOnce(step, deps, { attempts: attempts + 1, costUsd: toUsd(charged) });
    const costUsd = attempt.hasStarted ? attempt.costUsd : 0;
    deps.budget.update(toStepKey(step.step_id), costUsd);
    charged += toCharge(costUsd, estimate);
    if (attempt.hasStarted) {
      attempts += 1;
      const known = attempt.costUsd === null ? null : toCost(attempt.costUsd);
      if (known !== null) measured = (measured ?? 0) + known;
    }
    const cause =
      attempt.cause === null ? null : await findLastCause(step, deps, { ...attempt, cause: attempt.cause, attempts });
    if (cause !== 'again') {
      const ended = { attempts, costUsd: toUsd(charged), durationMs: Math.max(0, deps.clock.now() - startedAt) };
      const state = cause === null ? 'completed' : 'failed';
      const result = { state, cause, ...ended, output: attempt.output } as const;
      return { result, measuredUsd: measured === null ? null : toUsd(measured) };
    }
  }
}

/** Prepares the undo, stores the start and acts. Preparation and action each have the step's time limit. */
async function tryOnce<Place>(
  step: StructuredStep,
  { adapter, input, onStart, ...deps }: StepDeps<Place>,
  start: Omit<StepStart, 'compensation'>,
): Promise<Attempt> {
  const limit = { ...deps, ms: step.timeout_seconds * 1000 };
  const prepared = await withLimit((signal) => adapter.prepareUndo(step, input, signal), limit);
  if (prepared.kind !== 'returned' || prepared.stoppedBy !== null) return { ...toFailure(step, prepared), ...NO_START };
  await onStart({ ...start, compensation: prepared.value });
  // Stopped meanwhile: the start is recorded, and its undo does nothing.
  if (deps.signal.aborted) return { ...NO_START, cause: CANCELLED, output: '' };
  const end = await withLimit((signal) => adapter.act(step, input, signal), limit);
  if (end.kind !== 'returned') {
    return { ...ACTED, ...toFailure(step, end), costUsd: null };
  }
  const { costUsd, output } = end.value;
  const acted = { ...ACTED, costUsd, output: cutHead(output, MAX_OUTPUT_BYTES) };
  // An action that completed although it was to stop has completed.
  if (end.value.kind === 'completed') return { ...acted, cause: null };
  if (end.stoppedBy !== null) return { ...acted, cause: toStop(step, end) };
  const { message, isTransient, hasActed = true } = end.value;
  const restoresPlace = prepared.value !== null && adapter.restoresPlace?.(prepared.value) === true;
  return { ...acted, cause: toCause('ACTION_FAILED', message), isTransient, hasActed, restoresPlace };
}

const ACTED = { hasStarted: true, isTransient: false, hasActed: true, restoresPlace: false } as const;
const NO_START = {
  costUsd: null,
  hasStarted: false,
  isTransient: false,
  hasActed: false,
  restoresPlace: false,
} as const;

/** Of work that did not return what it should. */
function toFailure(step: StructuredStep, end: LimitedEnd<unknown>): Pick<Attempt, 'cause' | 'output'> {
  if (end.stoppedBy !== null) return { cause: toStop(step, end), output: '' };
  return { cause: toCause('ACTION_FAILED', end.kind === 'threw' ? end.error.message : ''), output: '' };
}

function toStop({ timeout_seconds }: StructuredStep, { stoppedBy, kind }: LimitedEnd<unknown>): StepCause {
  const left = kind === 'left' ? ' It did not stop when it was told to, and may still be at work.' : '';
  return stoppedBy === 'timeout'
    ? toCause('TIMEOUT', `It took longer than ${timeout_seconds} s.${left}`)
    : toCause('CANCELLED', `${CANCELLED.message}${left}`);
}

function toCause(code: StepCause['code'], message: string): StepCause {
  return { code, step: null, message: cutHead(message, MAX_MESSAGE_BYTES) };
}

/**
 * Gets a step that failed ready to start again. Returns `again` with its estimate reserved; else the cause that it ends with.
 */
async function findLastCause<Place>(
  { step_id, max_retries }: StructuredStep,
  { budget, estimateUsd, retry, rollback, signal, startTimer }: StepDeps<Place>,
  {
    cause,
    isTransient,
    hasActed,
    restoresPlace,
    attempts,
  }: Pick<Attempt, 'isTransient' | 'hasActed' | 'restoresPlace'> & {
    readonly cause: StepCause;
    readonly attempts: number;
  },
): Promise<StepCause | 'again'> {
  const waitMs = isTransient ? toRetryWait(retry, { attempts, allowed: max_retries }) : null;
  if (waitMs === null) return cause;
  const key = toStepKey(step_id);
  if (hasActed && restoresPlace)
    return addTo(cause, 'It was not tried again, because its undo would take back what other steps did meanwhile.');
  const undone = hasActed ? await rollback.undo(key) : null;
  if (undone?.isUndone === false)
    return addTo(cause, `It was not tried again, because its undo failed: ${undone.note ?? ''}`);
  await waitFor(waitMs, signal, startTimer);
  if (signal.aborted) return CANCELLED;
  return budget.check(key, estimateUsd)
    ? 'again'
    : addTo(cause, 'It was not tried again: its estimate does not fit into the budget.');
}

function addTo(cause: StepCause, more: string): StepCause {
  return { ...cause, message: cutHead(`${cause.message} ${more}`, MAX_MESSAGE_BYTES) };
}

async function waitFor(ms: number, signal: AbortSignal, start: StartTimer): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    resolve(undefined);
  };
  const stopTimer = start(ms, end);
  signal.addEventListener('abort', end, { once: true });
  await promise;
  stopTimer();
  signal.removeEventListener('abort', end);
}

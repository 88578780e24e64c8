import { toRollback } from '../../core/execution/apply-undo.ts';
import { splitLeft, undoesRun } from '../../core/execution/resume.ts';
import { toStepKey } from '../../core/execution/step-key.ts';
import { type PlanTracker, toSkipped, trackPlan } from '../../core/execution/track-plan.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import { DEFAULT_TIMEOUT_SECONDS, type StepId, type StructuredPlan } from '../../core/model/structured-plan.ts';
import type { BudgetGuard } from '../../ports/execution.ts';
import type { StoredPlanStep } from '../../ports/plan-run-store.ts';
import { createBudgetGuard, nestBudgetGuards } from './budget-guard.ts';
import type { PlanExecution } from './plan-execution.ts';
import { createPlanRecorder, type PlanRecorder, type RecordedEnd } from './plan-recorder.ts';
import { createRollbackManager, type RollbackManager } from './rollback-manager.ts';

/** A run in progress. */
export interface PlanRun<Place> {
  readonly plan: StructuredPlan;
  readonly execution: Required<PlanExecution<Place>>;
  readonly tracker: PlanTracker;
  readonly budget: BudgetGuard;
  readonly rollback: RollbackManager;
  readonly recorder: PlanRecorder;
  /** What an earlier process used for steps that run again, by step key. */
  readonly usedBefore: ReadonlyMap<string, Pick<StoredPlanStep, 'attempts' | 'costUsd'>>;
  /** The step whose failure an earlier process undid the run for. No step starts then. null: there is none. */
  readonly undoneFor: StepId | null;
  /** The last number that was given to a start. */
  readonly lastSequence: number;
}

/** Opens a run. If an earlier process began it, undoes what its unfinished steps did, so that they can run again. */
export async function openPlanRun<Place>(
  plan: StructuredPlan,
  execution: Required<PlanExecution<Place>>,
): Promise<PlanRun<Place>> {
  const { journal, registry, place, graceMs, startTimer, budgets } = execution;
  const recorded = journal?.recorded ?? [];
  const limit = { ms: DEFAULT_TIMEOUT_SECONDS * 1000, graceMs, startTimer };
  const rollback = createRollbackManager({ registry, place, limit });
  for (const { key, actionType, sequence, compensation } of recorded) {
    if (sequence !== null) rollback.record({ key, actionType, sequence, compensation });
  }
  const recorder = createPlanRecorder(plan, journal);
  const spentUsd = recorded.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const budget = nestBudgetGuards(createBudgetGuard({ limitUsd: plan.budget_usd, spentUsd }), budgets);
  const undoneFor = findUndoneFor(plan, recorded);
  const kept =
    undoneFor === null
      ? await toKept(recorded, execution, { rollback, recorder })
      : new Map([...skipAll(plan, undoneFor), ...toAll(recorded)]);
  return {
    ...{ plan, execution, budget, rollback, recorder, undoneFor },
    tracker: trackPlan(plan.steps, kept),
    usedBefore: new Map(recorded.filter(({ key }) => !kept.has(key)).map((step) => [step.key, step])),
    lastSequence: recorded.reduce((last, { sequence }) => Math.max(last, sequence ?? 0), 0),
  };
}

function findUndoneFor({ steps }: StructuredPlan, recorded: readonly StoredPlanStep[]): StepId | null {
  const results = new Map(recorded.map(({ key, result }) => [key, result]));
  const failed = steps.find((step) => {
    const result = results.get(toStepKey(step.step_id)) ?? null;
    return result !== null && undoesRun(step, result);
  });
  return failed?.step_id ?? null;
}

function skipAll({ steps }: StructuredPlan, undoneFor: StepId): ReadonlyMap<string, StepResult> {
  return new Map(steps.map(({ step_id }) => [toStepKey(step_id), toSkipped(toRollback(undoneFor))]));
}

/** The ends that stay. What the other steps did is undone; one that cannot be undone cannot run again. */
async function toKept<Place>(
  recorded: readonly StoredPlanStep[],
  { registry }: Pick<PlanExecution<Place>, 'registry'>,
  { rollback, recorder }: Pick<PlanRun<Place>, 'rollback' | 'recorder'>,
): Promise<ReadonlyMap<string, StepResult>> {
  const left = recorded.map((step) => {
    const { compensation, actionType, sequence, startsAtEnd } = step;
    const first = sequence ?? 0;
    const restoresPlace =
      compensation !== null && registry.getAdapter(actionType)?.restoresPlace?.(compensation) === true;
    return { ...step, restoresPlace, starts: { first, last: Math.max(first, startsAtEnd ?? 0) } };
  });
  const { kept: staying, again } = splitLeft(left);
  const kept = toAll(staying);
  const ends: RecordedEnd[] = [];
  for (const step of again) {
    const undone = await rollback.undo(step.key);
    const isUndone = undone?.isUndone !== false;
    const result = isUndone ? toInterrupted(step) : toStuck(step, undone.note);
    if (!isUndone) kept.set(step.key, result);
    ends.push({ key: step.key, result, isUndone });
  }
  // At once: as long as one of them counts as unfinished, so do those whose work its undo took back.
  await recorder.save(ends);
  return kept;
}

function toAll(recorded: readonly StoredPlanStep[]): Map<string, StepResult> {
  return new Map(recorded.map((step) => [step.key, step.result ?? toInterrupted(step)]));
}

function toInterrupted({ attempts, costUsd }: StoredPlanStep): StepResult {
  const cause = { code: 'CANCELLED', step: null, message: 'Its process ended while it ran.' } as const;
  return { state: 'failed', cause, attempts, costUsd, durationMs: 0, output: '' };
}

function toStuck(step: StoredPlanStep, why: string | null): StepResult {
  const message = ['It was interrupted, and what it did could not be undone:', why].filter(Boolean).join(' ');
  return { ...toInterrupted(step), state: 'rollback_failed', cause: { code: 'CANCELLED', step: null, message } };
}

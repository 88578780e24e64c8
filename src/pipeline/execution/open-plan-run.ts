import { isKept } from '../../core/execution/resume.ts';
import { type PlanTracker, trackPlan } from '../../core/execution/track-plan.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import { DEFAULT_TIMEOUT_SECONDS, type StructuredPlan } from '../../core/model/structured-plan.ts';
import type { BudgetGuard } from '../../ports/execution.ts';
import type { StoredPlanStep } from '../../ports/plan-run-store.ts';
import { createBudgetGuard, nestBudgetGuards } from './budget-guard.ts';
import type { PlanExecution } from './plan-execution.ts';
import { createPlanRecorder, type PlanRecorder } from './plan-recorder.ts';
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
  const isUndoing = journal !== null && journal.rollbackOf !== null;
  const kept = isUndoing ? toAll(recorded) : await toKept(recorded, rollback, recorder);
  return {
    ...{ plan, execution, budget, rollback, recorder },
    tracker: trackPlan(plan.steps, kept),
    usedBefore: new Map(recorded.filter(({ key }) => !kept.has(key)).map((step) => [step.key, step])),
    lastSequence: recorded.reduce((last, { sequence }) => Math.max(last, sequence ?? 0), 0),
  };
}

/** The ends that stay. The others are undone, newest first; one that cannot be undone cannot run again. */
async function toKept(
  recorded: readonly StoredPlanStep[],
  rollback: RollbackManager,
  recorder: PlanRecorder,
): Promise<ReadonlyMap<string, StepResult>> {
  const kept = new Map<string, StepResult>();
  const again: StoredPlanStep[] = [];
  for (const step of recorded) {
    if (step.result !== null && isKept(step.result)) kept.set(step.key, step.result);
    else again.push(step);
  }
  for (const step of again.toSorted((a, b) => (b.sequence ?? 0) - (a.sequence ?? 0))) {
    const undone = await rollback.undo(step.key);
    if (undone?.isUndone !== false) continue;
    const message = `It was interrupted, and what it did could not be undone: ${undone.note ?? ''}`;
    const result = {
      ...toInterrupted(step),
      state: 'rollback_failed',
      cause: { code: 'CANCELLED', step: null, message },
    } as const;
    kept.set(step.key, result);
    await recorder.save([{ key: step.key, result }]);
  }
  return kept;
}

function toAll(recorded: readonly StoredPlanStep[]): ReadonlyMap<string, StepResult> {
  return new Map(recorded.map((step) => [step.key, step.result ?? toInterrupted(step)]));
}

function toInterrupted({ attempts, costUsd }: StoredPlanStep): StepResult {
  const cause = { code: 'CANCELLED', step: null, message: 'Its process ended while it ran.' } as const;
  return { state: 'failed', cause, attempts, costUsd, durationMs: 0, output: '' };
}

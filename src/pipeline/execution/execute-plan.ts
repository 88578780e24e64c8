import { DEFAULT_RETRY } from '../../core/execution/retry.ts';
import { toRunStats } from '../../core/execution/run-stats.ts';
import { toStepKey } from '../../core/execution/step-key.ts';
import { findPlanErrors, InvalidPlanError } from '../../core/execution/validate-plan.ts';
import type { ExecutionResult, StepResult } from '../../core/model/plan-run.ts';
import type { StructuredPlan } from '../../core/model/structured-plan.ts';
import { openPlanRun, type PlanRun } from './open-plan-run.ts';
import type { PlanExecution } from './plan-execution.ts';
import { rollBackRun } from './roll-back-run.ts';
import { runSteps } from './run-steps.ts';
import { startTimer } from './with-limit.ts';

const GRACE_MS = 10_000;

/**
 * Runs a plan: the PlanExecutor of document 004. Independent steps run at the same time; one that fails leaves its siblings alone;
 * those that need it are skipped. Each step of the plan has a result in the end. Resumes what the journal holds.
 * @throws InvalidPlanError before anything runs; and what the journal throws, after all running steps were stopped.
 */
export async function executePlan<Place>(
  plan: StructuredPlan,
  execution: PlanExecution<Place>,
): Promise<ExecutionResult> {
  const errors = findPlanErrors(plan.steps, { supported: execution.registry.actionTypes });
  if (errors.length > 0) throw new InvalidPlanError(errors);
  const startedAt = execution.clock.now();
  const run = await openPlanRun(plan, {
    budgets: [],
    journal: null,
    retry: DEFAULT_RETRY,
    costsOf: () => [],
    watch: () => {},
    startTimer,
    graceMs: GRACE_MS,
    ...execution,
  });
  const found = await toTheEnd(run);
  const results = new Map(
    plan.steps.flatMap(({ step_id }) => {
      const result = found.get(toStepKey(step_id));
      return result === undefined ? [] : [[toStepKey(step_id), result] as const];
    }),
  );
  return { results, stats: toRunStats(results.values(), Math.max(0, execution.clock.now() - startedAt)) };
}

async function toTheEnd<Place>(run: PlanRun<Place>): Promise<ReadonlyMap<string, StepResult>> {
  const { recorder, tracker, execution } = run;
  const { journal, signal } = execution;
  try {
    const failed = await runSteps(run);
    const results = failed === null ? tracker.results : await rollBackRun(run, failed);
    await recorder.save([]);
    await journal?.close(failed !== null || !signal.aborted);
    return results;
  } catch (error) {
    // The run stays as the journal has it, for another process. That it cannot even be released is no news.
    await journal?.close(false).catch(() => {});
    throw error;
  }
}

import { toCost, toUsd } from '../../core/execution/budget.ts';
import { estimateCost } from '../../core/execution/estimate-cost.ts';
import { quoteId, toPredecessors, toStepKey } from '../../core/execution/step-key.ts';
import { pickResults, toSkipped } from '../../core/execution/track-plan.ts';
import type { StepResult } from '../../core/model/plan-run.ts';
import type { StructuredStep } from '../../core/model/structured-plan.ts';
import { cutHead, toByteLength } from '../../core/text/cut-bytes.ts';
import type { PlanRun } from './open-plan-run.ts';
import { type RunStepEnd, runStep } from './run-step.ts';

/** Of all steps of a run together: results are kept in memory until its end. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** `startsAtEnd`: see `StoredPlanStep`. */
export type StartedStepEnd = RunStepEnd & { readonly startsAtEnd: number };

/** Starts the steps of a run. */
export interface StepStarter {
  /** Reserves the estimate of a step in all budgets; false if it does not fit. */
  readonly reserve: (step: StructuredStep) => boolean;
  /** The end of a step for which there is no money. */
  readonly toRefused: (step: StructuredStep) => StepResult;
  /** Runs a step whose estimate is reserved. @throws what the journal throws. */
  readonly start: (step: StructuredStep, signal: AbortSignal) => Promise<StartedStepEnd>;
}

export function createStepStarter<Place>(run: PlanRun<Place>): StepStarter {
  const { execution, rollback, budget, tracker, usedBefore } = run;
  const { registry, journal, costsOf, watch, place, ...deps } = execution;
  const costs = new Map<string, readonly number[]>();
  let sequence = run.lastSequence;
  let outputLeft = MAX_OUTPUT_BYTES;
  for (const { output } of tracker.results.values()) outputLeft -= toByteLength(output);

  function estimateOf(step: StructuredStep): number {
    const { action_type } = step;
    const known = costs.get(action_type) ?? costsOf(action_type);
    costs.set(action_type, known);
    return estimateCost(step, { costs: known, defaultUsd: registry.getAdapter(action_type)?.estimateUsd ?? 0 });
  }

  return {
    reserve: (step) => budget.check(toStepKey(step.step_id), estimateOf(step)),
    toRefused: (step) => toSkipped({ code: 'BUDGET', step: null, message: describeRefusal(estimateOf(step)) }),
    start: async (step, signal) => {
      const key = toStepKey(step.step_id);
      const { action_type: actionType } = step;
      const adapter = registry.getAdapter(actionType);
      if (adapter === null) {
        budget.update(key, 0);
        return { result: toUnsupported(step), measuredUsd: null, startsAtEnd: sequence };
      }
      const before = usedBefore.get(key) ?? { attempts: 0, costUsd: 0 };
      const end = await runStep(step, {
        ...{ ...deps, adapter, budget, rollback, signal, estimateUsd: estimateOf(step) },
        input: { place, results: pickResults(tracker.results, toPredecessors(step)) },
        onStart: async ({ compensation, attempts, costUsd }) => {
          sequence += 1;
          const started = { key, actionType, sequence, compensation };
          const used = { attempts: before.attempts + attempts, costUsd: sumUsd(before.costUsd, costUsd) };
          rollback.record(started);
          await journal?.start({ ...started, ...used });
          watch({ kind: 'started', key, attempt: used.attempts });
        },
      });
      const { attempts, costUsd } = end.result;
      const output = cutHead(end.result.output, Math.max(0, outputLeft));
      outputLeft -= toByteLength(output);
      const used = { attempts: before.attempts + attempts, costUsd: sumUsd(before.costUsd, costUsd) };
      return { ...end, startsAtEnd: sequence, result: { ...end.result, ...used, output } };
    },
  };
}

/** Without the errors of floating-point sums. */
function sumUsd(left: number, right: number): number {
  return toUsd((toCost(left) ?? 0) + (toCost(right) ?? 0));
}

function describeRefusal(estimateUsd: number): string {
  return `It may cost ${estimateUsd} USD, which is more than what is left of the budget.`;
}

function toUnsupported({ step_id, action_type }: StructuredStep): StepResult {
  const message = `UNSUPPORTED_ACTION: nothing carries out the action type ${quoteId(action_type)} of step ${quoteId(step_id)}.`;
  return { ...toSkipped({ code: 'UNSUPPORTED_ACTION', step: null, message }), state: 'failed' };
}

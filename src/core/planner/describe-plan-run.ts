import { toStepKey } from '../execution/step-key.ts';
import type { ExecutionResult } from '../model/plan-run.ts';
import type { StructuredPlan } from '../model/structured-plan.ts';
import { toCountText, toSecondsText } from '../text/words.ts';

const MAX_STEPS = 15;
const MAX_LENGTH = 80;

/** The steps of a model's plan and how each ended, one to a line. Ids and descriptions are the model's. */
export function describePlanRun({ steps }: StructuredPlan, { results }: Pick<ExecutionResult, 'results'>): string {
  const lines = steps.slice(0, MAX_STEPS).map(({ step_id, action_type, description }) => {
    const result = results.get(toStepKey(step_id));
    const name = `${String(step_id)} ${action_type} ${description}`.replaceAll(/\s+/gu, ' ').trim();
    const time = result === undefined || result.state === 'skipped' ? '' : `, ${toSecondsText(result.durationMs)}`;
    return `${name.slice(0, MAX_LENGTH).toWellFormed()}: ${result?.state.replace('_', ' ') ?? 'no result'}${time}`;
  });
  const more = steps.length > MAX_STEPS ? [toCountText(steps.length - MAX_STEPS, 'more step')] : [];
  return ['Its plan:', ...lines, ...more].join('\n');
}

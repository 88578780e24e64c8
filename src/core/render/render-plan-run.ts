import { toStepKey } from '../execution/step-key.ts';
import type { ExecutionResult, RunStats, StepCause, StepResult } from '../model/plan-run.ts';
import type { StructuredStep } from '../model/structured-plan.ts';
import { stripInvisible } from '../text/escape.ts';
import { toMoneyText, toSecondsText } from '../text/words.ts';

const MAX_CELL_LENGTH = 100;
/** A terminal shows so many steps; JSON has them all. */
const MAX_ROWS = 200;

/** The cause of a step for programs: a stable code, then the step that it follows from or a sentence. */
export function toCauseText({ code, step, message }: StepCause): string {
  if (step !== null) return `${code}: step ${step}`;
  return message === '' ? code : `${code}: ${message}`;
}

/** What `ratchet plan run --json` prints. */
export interface PlanRunJson {
  readonly runId: string;
  readonly results: Readonly<Record<string, Omit<StepResult, 'cause'> & { readonly cause: string | null }>>;
  readonly stats: RunStats;
}

/** `ratchet plan run --json`. */
export function toPlanRunJson(runId: string, { results, stats }: ExecutionResult): PlanRunJson {
  const byId = [...results].map(([key, { cause, state, attempts, costUsd, durationMs, output }]) => {
    const json = { state, cause: cause === null ? null : toCauseText(cause), attempts, costUsd, durationMs, output };
    return [key, json] as const;
  });
  return { runId, results: Object.fromEntries(byId), stats };
}

/** One line about a step that ended. Ids and causes come from the plan and from what commands printed. */
export function toStepLine(key: string, { state, cause, attempts, costUsd, durationMs }: StepResult): string {
  const parts = [
    toCell(key),
    state,
    ...(attempts === 0 ? [] : [toSecondsText(durationMs)]),
    ...(costUsd > 0 ? [toMoneyText(costUsd * 1_000_000)] : []),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(cause === null ? [] : [toCell(toCauseText(cause))]),
  ];
  return parts.join('  ');
}

/** The steps of a run with their ends, and the sums, for a terminal. */
export function renderPlanRun(steps: readonly StructuredStep[], { results, stats }: ExecutionResult): string {
  const lines = steps.flatMap(({ step_id }) => {
    const result = results.get(toStepKey(step_id));
    return result === undefined ? [] : [toStepLine(toStepKey(step_id), result)];
  });
  const rest = lines.length - MAX_ROWS;
  const sums = [
    `${stats.completed} completed`,
    ...(stats.failed > 0 ? [`${stats.failed} failed`] : []),
    ...(stats.skipped > 0 ? [`${stats.skipped} skipped`] : []),
    ...(stats.rolledBack > 0 ? [`${stats.rolledBack} rolled back`] : []),
    ...(stats.rollbackFailed > 0 ? [`${stats.rollbackFailed} not rolled back`] : []),
  ];
  const total = `${sums.join(', ')}; ${toMoneyText(stats.costUsd * 1_000_000)}, ${toSecondsText(stats.durationMs)}`;
  return [...lines.slice(0, MAX_ROWS), ...(rest > 0 ? [`and ${rest} more steps`] : []), total, ''].join('\n');
}

function toCell(text: string): string {
  const line = stripInvisible(text.replaceAll(/\s+/gu, ' '));
  return line.length > MAX_CELL_LENGTH ? `${line.slice(0, MAX_CELL_LENGTH - 1).toWellFormed()}…` : line;
}

import { toStepKey } from '../execution/step-key.ts';
import type { ShownStep } from '../model/shown-step.ts';
import { toMicroUsd } from '../spend/session-limits.ts';
import { toPlainText } from '../text/escape.ts';
import { toMoneyText, toSecondsText } from '../text/words.ts';
import { toDetails } from './markdown.ts';
import { toMermaid } from './render-plan.ts';

const MAX_STEPS = 50;
const MAX_NAME_LENGTH = 80;

/** The graph of the steps with their states, as Mermaid (004.R31). */
export function drawSteps(steps: readonly ShownStep[]): string {
  const results = steps.flatMap(({ step, result }) =>
    result === null ? [] : [[toStepKey(step.step_id), result] as const],
  );
  return toMermaid(
    steps.map(({ step }) => step),
    new Map(results),
  );
}

/** The steps of an attempt as a table that is shown on demand (004.R31): state, time and cost. Empty without steps. */
export function renderSteps(steps: readonly ShownStep[]): string {
  return toTable(steps, { title: 'Steps', failed: 'ended the attempt' });
}

/** The same for the plan of an agent. By the agent's own words. */
export function renderAgentSteps(steps: readonly ShownStep[]): string {
  return toTable(steps, { title: "Steps of the agent's plan", failed: 'failed' });
}

interface TableWords {
  readonly title: string;
  readonly failed: string;
}

function toTable(steps: readonly ShownStep[], words: TableWords): string {
  if (steps.length === 0) return '';
  const rows = steps.slice(0, MAX_STEPS).map((step) => toRow(step, words));
  const more = steps.length > MAX_STEPS ? ['', `${String(steps.length - MAX_STEPS)} more`] : [];
  return toDetails(
    words.title,
    ['| Step | State | Time | Cost |', '| --- | --- | --: | --: |', ...rows, ...more].join('\n'),
  );
}

function toRow({ step, result }: ShownStep, words: TableWords): string {
  const name = toPlainText(step.description === '' ? String(step.step_id) : step.description, MAX_NAME_LENGTH);
  const hasRun = result !== null && result.state !== 'skipped';
  const time = hasRun ? toSecondsText(result.durationMs) : '';
  const cost = hasRun && result.costUsd > 0 ? toMoneyText(toMicroUsd(result.costUsd)) : '';
  return `| ${name.replaceAll('|', '\\|')} | ${toStateText(result, words)} | ${time} | ${cost} |`;
}

function toStateText(result: ShownStep['result'], { failed }: TableWords): string {
  if (result === null) return 'interrupted';
  if (result.cause?.code === 'CANCELLED') return result.state === 'skipped' ? 'not reached' : 'stopped';
  const states = {
    completed: 'completed',
    failed,
    skipped: 'not reached',
    rolled_back: 'undone',
    rollback_failed: 'could not be undone',
  } as const;
  return states[result.state];
}

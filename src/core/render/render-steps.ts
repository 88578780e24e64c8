import type { ShownStep } from '../model/shown-step.ts';
import { toMicroUsd } from '../spend/session-limits.ts';
import { toPlainText } from '../text/escape.ts';
import { toMoneyText, toSecondsText } from '../text/words.ts';
import { toDetails } from './markdown.ts';

const MAX_STEPS = 50;
const MAX_NAME_LENGTH = 80;

/** The steps of an attempt as a table that is shown on demand (004.R31): state, time and cost. Empty without steps. */
export function renderSteps(steps: readonly ShownStep[]): string {
  if (steps.length === 0) return '';
  const rows = steps.slice(0, MAX_STEPS).map(toRow);
  const more = steps.length > MAX_STEPS ? ['', `${String(steps.length - MAX_STEPS)} more`] : [];
  return toDetails(
    'Steps',
    ['| Step | State | Time | Cost |', '| --- | --- | --: | --: |', ...rows, ...more].join('\n'),
  );
}

function toRow({ step, result }: ShownStep): string {
  const name = toPlainText(step.description === '' ? String(step.step_id) : step.description, MAX_NAME_LENGTH);
  const hasRun = result !== null && result.state !== 'skipped';
  const time = hasRun ? toSecondsText(result.durationMs) : '';
  const cost = hasRun && result.costUsd > 0 ? toMoneyText(toMicroUsd(result.costUsd)) : '';
  return `| ${name.replaceAll('|', '\\|')} | ${toStateText(result)} | ${time} | ${cost} |`;
}

function toStateText(result: ShownStep['result']): string {
  if (result === null) return 'interrupted';
  if (result.cause?.code === 'CANCELLED') return result.state === 'skipped' ? 'not reached' : 'stopped';
  const words = {
    completed: 'completed',
    failed: 'ended the attempt',
    skipped: 'not reached',
    rolled_back: 'undone',
    rollback_failed: 'could not be undone',
  } as const;
  return words[result.state];
}

import { GUARDS } from '../../src/core/decide/determine-fixup-action.ts';
import { LAUNCH_HOLDS } from '../../src/core/decide/holds.ts';
import type { DecisionCode, Means } from '../../src/core/model/decision.ts';
import { DECISION_WORDS } from '../../src/core/render/decision-words.ts';
import type { NextStep } from '../../src/core/render/reader-words.ts';
import { REJECT_WORDS } from '../../src/core/render/reject-words.ts';
import { WHEN } from './decision-facts.ts';

const STANDINGS = {
  in_progress: 'in progress',
  success: 'success',
  action_required: 'action required',
  neutral: 'neutral',
} as const;

/** The guards in the order in which they are asked, a row for each answer. */
export function renderGuardTable(): string {
  const asked = [...GUARDS.map(({ codes }) => codes), ['ALL_GREEN'] as const];
  const rows = asked.flatMap((codes, index) => codes.map((code) => [String(index + 1), ...toCells(code)]));
  return renderTable(['', 'code', 'when', 'check run', 'title', 'next step'], rows);
}

/** What holds a fix back, strongest first. */
export function renderHoldTable(): string {
  const kinds = Map.groupBy(LAUNCH_HOLDS, ({ code }) => code);
  const rows = [...kinds].map(([code, holds]) => {
    const held = (means: Means): string => (holds.some((hold) => hold.means?.includes(means) ?? true) ? 'held' : '');
    return [...toCells(code), held('rerun'), held('update-branch'), held('agent')];
  });
  return renderTable(['code', 'when', 'check run', 'title', 'next step', 're-run', 'update', 'fixup'], rows);
}

/** Why a fixup ended without a push. */
export function renderRejectTable(): string {
  const rows = Object.entries(REJECT_WORDS).map(([code, { title, next }]) => [`\`${code}\``, title, toNextText(next)]);
  return renderTable(['code', 'what the check run says', 'next step'], rows);
}

function toCells(code: DecisionCode): readonly string[] {
  const { standing, title, next } = DECISION_WORDS[code];
  return [`\`${code}\``, WHEN[code], STANDINGS[standing], title, toNextText(next)];
}

function toNextText(next: NextStep | null): string {
  return next === null ? '' : `**${next.who}:** ${next.what}`;
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

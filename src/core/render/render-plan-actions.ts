import { toStepKey } from '../execution/step-key.ts';
import type { StructuredPlan, StructuredStep } from '../model/structured-plan.ts';
import { toCountText } from '../text/words.ts';

/** A person decides by what is shown, so a command is shown almost always whole. */
const MAX_SHOWN = 4000;
/** What is no letter, digit, sign or blank could hide, or show as something else, what stands beside it. */
const NOT_PLAIN = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const LOOKS_EMPTY = /[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/gu;

/** What a plan would do, for the person who decides whether it runs: each step with its command or file (004.R31). */
export function renderPlanActions({ steps }: Pick<StructuredPlan, 'steps'>, budgetUsd: number): string {
  const lines = steps.map((step) => {
    const after = step.depends_on.length === 0 ? '' : `  (after ${step.depends_on.map(toShownKey).join(', ')})`;
    const condition = step.when === null ? '' : `  (if ${toShownKey(step.when.step)} ${step.when.is})`;
    return `  ${toShownKey(step.step_id)}  ${toVisible(step.action_type)}  ${toDeed(step)}${after}${condition}`;
  });
  return [`${toCountText(steps.length, 'step')}, at most ${budgetUsd} USD`, ...lines, ''].join('\n');
}

function toShownKey(id: StructuredStep['step_id']): string {
  return toVisible(toStepKey(id));
}

function toDeed({ action_type, params }: StructuredStep): string {
  if (action_type === 'run_command') {
    const { argv, cwd, undo } = params;
    const where = typeof cwd === 'string' ? `  in ${toVisible(cwd)}` : '';
    return `${toCommand(argv)}${where}${Array.isArray(undo) ? `  undone by ${toCommand(undo)}` : ''}`;
  }
  if (typeof params['path'] === 'string') return `${toVisible(params['path'])}${toSize(params)}`;
  return toVisible(JSON.stringify(params));
}

function toSize({ content, old, mode }: StructuredStep['params']): string {
  if (typeof old === 'string') return '  (a part of it)';
  if (typeof content !== 'string') return '';
  return `  (${toCountText(content.length, 'character')}${mode === '100755' ? ', executable' : ''})`;
}

/** As a shell would read it. */
function toCommand(argv: unknown): string {
  const words = (Array.isArray(argv) ? argv : []).map(String);
  return toVisible(words.map((word) => (/^[\w./:=@%+,-]+$/u.test(word) ? word : JSON.stringify(word))).join(' '));
}

/** Nothing of a stranger's text stays unseen: other characters become their numbers. */
function toVisible(text: string): string {
  const shown = text.slice(0, MAX_SHOWN).replaceAll(LOOKS_EMPTY, toNumber).replaceAll(NOT_PLAIN, toNumber);
  return text.length > MAX_SHOWN ? `${shown}… (${text.length - MAX_SHOWN} more characters)` : shown;
}

function toNumber(character: string): string {
  return `\\u{${Number(character.codePointAt(0)).toString(16)}}`;
}

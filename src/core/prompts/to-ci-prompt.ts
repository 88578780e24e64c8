import { hasStoppedEarly } from '../evidence/stopped-early.ts';
import type { CheckResult } from '../model/pull-request.ts';
import { composePrompt, type Prompt, type PromptBase } from './compose-prompt.ts';
import { type Exhibit, quote } from './data-frame.ts';

/** A failing check, as shown to the agent. */
export interface ShownCheck {
  readonly check: Pick<CheckResult, 'name' | 'conclusion'>;
  /** Its annotations and an excerpt of its log. */
  readonly text: string;
  /** The failures that its log names, as JSON with one of them on each line; empty if there are none. */
  readonly failures: string;
}

/** Input of the prompt for a CI fixup. */
export interface CiPromptInput extends PromptBase {
  readonly failing: readonly ShownCheck[];
  /** Names of red checks that the agent should leave alone, because they are red on the base too. */
  readonly redOnBase: readonly string[];
  /** Names of red checks whose failure looks like an infrastructure problem. */
  readonly flaky: readonly string[];
  /** CI fails in exactly the same way as before the last fixup was pushed. */
  readonly sameAsBefore: boolean;
}

/** The task for an agent that fixes CI. */
export function toCiPrompt(input: CiPromptInput): Prompt {
  return composePrompt(input, {
    tool: 'ci',
    task: 'CI failed on a pull request. Change the files in the working directory so that it passes, with the smallest correct change.',
    rules: ['- Repair the cause.'],
    dataLines: toDataLines(input),
    more: 'their files name them',
    exhibits: input.failing.flatMap((check, index) =>
      toExhibits(check, `${input.inputs}/check-${index + 1}`, index + 1),
    ),
    remarks: [toMissing(input), toEarlyStop(input), toOthers(input), toRepetition(input)],
    done: 'the cause is repaired and each validation command ends with exit code 0',
    answers: [],
  });
}

/** The failures of a check come first: they say what to repair, and the output shows it. */
function toExhibits({ text, failures }: ShownCheck, path: string, number: number): readonly Exhibit[] {
  const output: Exhibit = { label: `output of check ${number}`, path: `${path}.txt`, text, cut: 'log' };
  if (failures === '') return [output];
  const label = `failures that the output of check ${number} names, as JSON`;
  return [{ label, path: `${path}-failures.json`, text: failures, cut: 'head' }, output];
}

/** Most checks that are named in addition to the task. More would only fill the prompt. */
const MAX_OTHERS = 20;

function toDataLines({ failing, redOnBase, flaky }: CiPromptInput): readonly string[] {
  return [
    ...failing.map(({ check }, index) => `check ${index + 1}: ${quote(check.name)} (${check.conclusion ?? 'unknown'})`),
    ...redOnBase.slice(0, MAX_OTHERS).map((name) => `red on the base too: ${quote(name)}`),
    ...flaky.slice(0, MAX_OTHERS).map((name) => `looks flaky: ${quote(name)}`),
  ];
}

function toMissing({ failing }: CiPromptInput): string {
  return failing.length > 0 ? '' : 'There is no log to read: find out what fails by running the validation commands.';
}

/** Trap 14: an agent that fixes only the failure that it sees needs one attempt for each failure. */
function toEarlyStop({ failing }: CiPromptInput): string {
  const stopped = failing.flatMap(({ text }, index) => (hasStoppedEarly(text) ? [`check ${index + 1}`] : []));
  if (stopped.length === 0) return '';
  return `Not everything ran in ${stopped.join(', ')}: the suite stopped at a failure, and more may fail behind it. Run it here without that limit (-x, --bail, --fail-fast), and repair all that fails.`;
}

function toOthers({ redOnBase, flaky }: CiPromptInput): string {
  return [
    redOnBase.length === 0
      ? ''
      : 'The checks that are red on the base too are not yours to repair: this pull request did not break them.',
    flaky.length === 0
      ? ''
      : 'The checks that look flaky failed by a timeout, the network or a lost machine. Change nothing on their account but what you can show to be the cause.',
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function toRepetition({ sameAsBefore }: CiPromptInput): string {
  if (!sameAsBefore) return '';
  return 'The last fixup changed nothing about the failure: CI fails in exactly the same way. Look for another cause.';
}

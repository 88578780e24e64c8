import { hasStoppedEarly } from '../evidence/stopped-early.ts';
import type { CheckResult } from '../model/pull-request.ts';
import type { AcceptedFinding } from '../model/quality.ts';
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
  /** New findings of the engines that Ratchet runs. */
  readonly findings: readonly AcceptedFinding[];
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
    task: toTask(input),
    rules: ['- Repair the cause.'],
    dataLines: toDataLines(input),
    more: 'their files name them',
    exhibits: [
      ...input.failing.flatMap((check, index) => toExhibits(check, `${input.inputs}/check-${index + 1}`, index + 1)),
      ...toFindingsExhibits(input),
    ],
    remarks: [toMissing(input), toEarlyStop(input), toOthers(input), toRepetition(input)],
    done: 'the cause is repaired and each validation command ends with exit code 0',
    answers: [],
  });
}

function toTask({ failing, findings }: CiPromptInput): string {
  const how = 'with the smallest correct change.';
  if (failing.length === 0 && findings.length > 0) {
    return `Tools that check the code of a pull request report new findings. Change the files in the working directory so that they are gone, ${how}`;
  }
  return `CI failed on a pull request. Change the files in the working directory so that it passes, ${how}`;
}

/** The tools are run again after the push. An agent may have no way to run them. */
function toFindingsExhibits({ findings, inputs }: CiPromptInput): readonly Exhibit[] {
  if (findings.length === 0) return [];
  const text = findings
    .map(({ tool, kind, rule, severity, path, line, message }) =>
      JSON.stringify({ tool, kind, rule, severity, path, line, message }),
    )
    .join('\n');
  return [{ label: 'new findings, one as JSON on each line', path: `${inputs}/findings.jsonl`, text, cut: 'head' }];
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

function toDataLines({ failing, findings, redOnBase, flaky }: CiPromptInput): readonly string[] {
  return [
    ...(findings.length === 0 ? [] : [`new findings: ${findings.length}`]),
    ...failing.map(({ check }, index) => `check ${index + 1}: ${quote(check.name)} (${check.conclusion ?? 'unknown'})`),
    ...redOnBase.slice(0, MAX_OTHERS).map((name) => `red on the base too: ${quote(name)}`),
    ...flaky.slice(0, MAX_OTHERS).map((name) => `looks flaky: ${quote(name)}`),
  ];
}

function toMissing({ failing, findings }: CiPromptInput): string {
  return failing.length + findings.length > 0
    ? ''
    : 'There is no log to read: find out what fails by running the validation commands.';
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

import type { TaskTool } from '../agents/task-limits.ts';
import type { SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { PullRequestFacts } from '../model/pull-request.ts';
import { toByteLength } from '../text/cut-bytes.ts';
import { type Exhibit, quote, toDataFrame } from './data-frame.ts';
import { type EvidenceBudget, FULL_BUDGET } from './evidence-budget.ts';
import { fitLines } from './fit-lines.ts';
import {
  type EndedSession,
  type PreviousAttempt,
  toAnswersExhibit,
  toPreviousEnds,
  toPreviousExhibits,
} from './previous-attempts.ts';
import { toAnswerForm, toRules, toValidation } from './prompt-parts.ts';

/** Input of every prompt. */
export interface PromptBase {
  readonly sessionId: SessionId;
  readonly facts: Pick<PullRequestFacts, 'number' | 'title' | 'headSha' | 'headRef' | 'baseRef'>;
  readonly changes: Policy['changes'];
  readonly validationCommands: readonly string[];
  readonly attempt: number;
  /** Ended sessions of this pull request, newest first. */
  readonly previous: readonly EndedSession[];
  /** The newest of them at the same task; null if it was not refused. */
  readonly previousAttempt: PreviousAttempt | null;
  /** See `toAnswersText`. */
  readonly peopleAnswered: string;
  /** Random text that only this prompt contains. At least 16 letters, digits, `_` or `-`. */
  readonly delimiter: string;
  /** Folder of the evidence files inside the site. */
  readonly inputs: string;
  readonly budget: EvidenceBudget;
}

/** The part of a prompt that one task has of its own. */
export interface TaskPart {
  readonly tool: TaskTool;
  readonly task: string;
  readonly rules: readonly string[];
  /** One line for each thing to repair; values of others only through `quote`. */
  readonly dataLines: readonly string[];
  /** Where the lines that did not fit can be read. */
  readonly more: string;
  readonly exhibits: readonly Exhibit[];
  /** Remarks on the evidence. */
  readonly remarks: readonly string[];
  readonly done: string;
  readonly answers: readonly string[];
}

/** A prompt, and the files that it names. */
export interface Prompt {
  readonly text: string;
  /** Texts by name in the folder of the evidence files. */
  readonly files: Readonly<Record<string, string>>;
  /** Paths in the site: evidence of the task, and of the previous attempt. */
  readonly evidence: readonly string[];
  readonly previousEvidence: readonly string[];
}

/** The share of lines, and that of commands, in the whole prompt. */
const LIST_SHARE = 0.2;

/**
 * Composes a prompt of at most `budget.promptBytes` bytes (T56): our own instructions, and what others wrote only in one frame. It
 * shows as much of the evidence as fits; all of it is in the files. Deterministic.
 */
export function composePrompt(base: PromptBase, part: TaskPart): Prompt {
  const { inputs, budget, delimiter } = base;
  const listBytes = Math.floor(budget.promptBytes * LIST_SHARE);
  const validationName = 'validation.txt';
  const validation = toValidation(base.validationCommands, listBytes, `${inputs}/${validationName}`);
  const previous = [
    ...toAnswersExhibit(base.peopleAnswered, inputs),
    ...toPreviousExhibits(base.previousAttempt, inputs),
  ];
  const exhibits = [...part.exhibits, ...previous];
  const lines = [...toFactLines(base), ...fitData(part, listBytes)];
  const write = (exhibitBytes: number): string =>
    [
      part.task,
      toDataFrame({ lines, exhibits }, { delimiter, exhibitBytes }),
      ...part.remarks,
      toBudgetRemark(budget),
      toRules(part.rules, base.changes),
      validation.text,
      toPreviousEnds(base.previous, base.attempt),
      toAnswerForm({ sessionId: base.sessionId, tool: part.tool }, part.done, part.answers),
    ]
      .filter((text) => text !== '')
      .join('\n\n')
      .concat('\n');
  const text = write(budget.promptBytes - toByteLength(write(0)));
  const files = [
    ...exhibits.map((exhibit) => [exhibit.path.slice(inputs.length + 1), exhibit.text] as const),
    ...(validation.overflow === null ? [] : [[validationName, validation.overflow] as const]),
  ];
  return {
    text,
    files: Object.fromEntries(files),
    evidence: part.exhibits.map(({ path }) => path),
    previousEvidence: previous.map(({ path }) => path),
  };
}

function toBudgetRemark({ promptBytes }: EvidenceBudget): string {
  if (promptBytes >= FULL_BUDGET.promptBytes) return '';
  return 'An earlier conversation about this did not fit into the context of the model. Read files in parts, and print only what you need.';
}

function toFactLines({ facts }: PromptBase): readonly string[] {
  return [
    `pull request: ${facts.number}`,
    `title: ${quote(facts.title)}`,
    `head: ${facts.headSha} on ${quote(facts.headRef)}`,
    `base: ${quote(facts.baseRef)}`,
  ];
}

function fitData({ dataLines, more }: TaskPart, maxBytes: number): readonly string[] {
  const { fitting, rest } = fitLines(dataLines, maxBytes);
  return rest === 0 ? fitting : [...fitting, `and ${rest} more: ${more}`];
}

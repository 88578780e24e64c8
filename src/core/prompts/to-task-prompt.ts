import type { Task, TaskFinding } from '../model/task.ts';
import { toCountText } from '../text/words.ts';
import { composePrompt, type Prompt, type PromptBase } from './compose-prompt.ts';
import { type Exhibit, quote } from './data-frame.ts';

/** Input of the prompt for one task of a run. */
export interface TaskPromptInput extends PromptBase {
  readonly task: Pick<Task, 'id' | 'tool' | 'taskType' | 'title' | 'description' | 'targets'>;
  /** Its findings. */
  readonly findings: readonly TaskFinding[];
}

/** What each type of task asks for, and the rules that only it has. */
const ASKS: Readonly<Record<Task['taskType'], { readonly task: string; readonly rules: readonly string[] }>> = {
  fix: {
    task: 'A check of this repository has findings. Change the files in the working directory so that they are gone, with the smallest correct change.',
    rules: ['- Repair the cause. Do not delete, skip or weaken tests, and do not silence a check.'],
  },
  refactor: {
    task: 'Findings in several files of this repository have one cause. Repair that cause in the working directory, with the smallest correct change.',
    rules: ['- Repair the cause where it is, once. Do not delete, skip or weaken tests, and do not silence a check.'],
  },
  add_test: {
    task: 'Source files of this repository are not tested well enough. Add tests in the working directory that cover more of them.',
    rules: [
      '- Only add tests, in new test files or to existing ones. Change no existing test and no source file.',
      '- Each test must check what the code is for, not repeat what it does.',
    ],
  },
  remove_skip: {
    task: 'Tests of this repository are skipped. Make them run and pass, with the smallest correct change in the working directory.',
    rules: ['- Of tests, change only the ones that are named. Do not weaken what they check.'],
  },
  quarantine: {
    task: 'A test of this repository could not be repaired. Switch off exactly the named test in the working directory, and leave a comment that says why.',
    rules: ['- Switch off nothing else, and delete nothing.'],
  },
  suppress: {
    task: 'A finding of this repository is accepted. Suppress exactly the named finding in the working directory, and leave a comment that says why.',
    rules: ['- Suppress nothing else, and delete nothing.'],
  },
};

/** The task of an agent in a run on a checkout or a pull request (001.R34). */
export function toTaskPrompt(input: TaskPromptInput): Prompt {
  const { task, findings, inputs } = input;
  const { task: ask, rules } = ASKS[task.taskType];
  const listed = findings.map((finding) => JSON.stringify(toShown(finding)));
  const exhibits: readonly Exhibit[] = [
    {
      label: 'the findings, one JSON object on each line',
      ...{ path: `${inputs}/findings.jsonl`, text: `${listed.join('\n')}\n`, cut: 'head' },
    },
    { label: 'more about the task', path: `${inputs}/task.txt`, text: task.description, cut: 'head' },
  ];
  return composePrompt(input, {
    tool: `t${task.id}`,
    task: ask,
    rules,
    dataLines: [
      `task: ${quote(task.title)}`,
      `tool: ${quote(task.tool)}, ${toCountText(findings.length, 'finding')}`,
      ...task.targets.files.map((path) => `file: ${quote(path)}`),
      ...task.targets.testIds.map((id) => `test: ${quote(id)}`),
      ...task.targets.modules.map((path) => `to be covered: ${quote(path)}`),
    ],
    more: 'the file of the findings names them',
    exhibits: exhibits.filter(({ text }) => text.trim() !== ''),
    remarks: [],
    done: 'the findings are gone, no new ones have come, and each validation command ends with exit code 0',
    answers: [],
  });
}

function toShown(finding: TaskFinding): Readonly<Record<string, unknown>> {
  const { tool, kind, severity, symbol, filePath, line, column, testId, message } = finding;
  return { tool, kind, severity, rule: symbol, path: filePath, line, column, test: testId, message };
}

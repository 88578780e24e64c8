import { type TaskTool, toReadOnlyPaths, toTaskId } from '../agents/task-limits.ts';
import type { SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import { MAX_CHOICE_LENGTH, MAX_CHOICES } from '../model/session.ts';
import { toCountText } from '../text/words.ts';
import { fitLines } from './fit-lines.ts';

const MAX_PATHS_BYTES = 2048;

/** What an agent may change, after the rules of the task itself. */
export function toRules(ofTask: readonly string[], changes: Policy['changes']): string {
  const { allowedPaths, maxFiles, maxLines } = changes;
  return [
    'Rules:',
    ...ofTask,
    '- Do not change what the validation commands run.',
    '- Not taken: tests deleted, skipped or focused; weaker assertions; expectations or snapshots that no change of code explains; suppressions, forced exits.',
    allowedPaths === null ? '' : `- Change only paths that match one of: ${toPathsText(allowedPaths)}.`,
    `- Never change lockfiles${allowedPaths === null ? '' : ' that are not named here'}, and no path that matches one of: ${toPathsText(toReadOnlyPaths(changes))}.`,
    `- Change at most ${toCountText(maxFiles, 'file')}, and at most ${toCountText(maxLines, 'inserted or deleted line', 'inserted and deleted lines')} together.`,
    '- `.git` is read-only. Make no commit and no push: only the files that you leave are taken and judged.',
    '- There is no network: nothing can be installed.',
    '- Leave no program running.',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function toPathsText(paths: readonly string[]): string {
  const { fitting, rest } = fitLines(
    paths.map((path) => JSON.stringify(path)),
    MAX_PATHS_BYTES,
  );
  return `${fitting.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

/** Commands that do not fit, as a file. */
export interface ValidationPart {
  readonly text: string;
  /** null: the text names all commands. */
  readonly overflow: string | null;
}

/** The exact commands that validate the change. `path`: of the file with all of them, if not all fit. */
export function toValidation(commands: readonly string[], maxBytes: number, path: string): ValidationPart {
  if (commands.length === 0) return { text: '', overflow: null };
  const all = commands.map((command) => JSON.stringify(command));
  const { fitting, rest } = fitLines(all, maxBytes);
  const lines = [
    'Your change is taken only if each of these shell commands, run in the working directory, ends with exit code 0. They stand here as JSON strings:',
    ...fitting.map((command) => `- ${command}`),
    ...(rest === 0 ? [] : [`- and ${rest} more, in the file ${path}`]),
  ];
  return { text: lines.join('\n'), overflow: rest === 0 ? null : `${all.join('\n')}\n` };
}

/** When the work is done, and how to say so. `answers`: the further field of a review. */
export function toAnswerForm(
  task: { readonly sessionId: SessionId; readonly tool: TaskTool },
  done: string,
  answers: readonly string[],
): string {
  const runId = JSON.stringify(task.sessionId);
  const taskId = JSON.stringify(toTaskId(task.sessionId, task.tool));
  return [
    `You are finished when ${done}. Run the validation commands to see it. Then answer and stop.`,
    'If no correct change within these rules leads there, undo what you changed and answer "blocked" with the exact reason (what is missing, who must decide): a good answer, also where a test is wrong.',
    '',
    'Answer with one JSON object: as your whole last message, or in the file that the environment variable RATCHET_RESULT_FILE names. Its fields:',
    // Not JSON as it stands, so an echo of the prompt is never taken for an answer.
    `{"schema_version": 1, "run_id": ${runId}, "task_id": ${taskId}, "status": STATUS, "summary": TEXT${answers.length === 0 ? '' : ', "answers": ANSWERS'}}`,
    '- STATUS: "success" if you are finished, "blocked" if it cannot be done this way, "failure" if you tried in vain.',
    `- If a maintainer must choose: "blocked" and "question": {"text": TEXT, "choices": [up to ${MAX_CHOICES}, of ${MAX_CHOICE_LENGTH} letters]}.`,
    '- TEXT: one or two sentences: what you changed and why, or what is in the way.',
    ...answers,
  ].join('\n');
}

import type { Task, TaskStatus } from '../model/task.ts';
import type { Collection, StoredAttempt, TaskRunSummary } from '../model/task-record.ts';
import { quoteWord } from '../tasks/command-line.ts';
import { toInertName, toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText, toMoneyText } from '../text/words.ts';
import { toSection } from './markdown.ts';

const MAX_TITLE = 120;
const MAX_REASON = 300;
const MAX_ROWS = 200;
const MAX_PATHS = 20;
/** The end of the name of the file with the change of an attempt. */
const PATCH = '/patch.diff';

/** What `ratchet run --json` prints. */
export interface TaskRunJson {
  readonly runId: string;
  readonly status: string;
  /** `findings` null: not everything could be looked at, so nobody knows. */
  readonly baseline: { readonly findings: number | null } | null;
  readonly final: { readonly findings: number | null } | null;
  readonly tasks: readonly {
    readonly id: number;
    readonly type: string;
    readonly status: string;
    readonly attempts: readonly { readonly status: string; readonly reason: string | null }[];
  }[];
  readonly branch: string | null;
  readonly costUsd: number;
}

export function toTaskRunJson(summary: TaskRunSummary): TaskRunJson {
  const { run, collections, tasks, costUsd } = summary;
  return {
    runId: run.id,
    status: run.status,
    baseline: toCount(collections[0]),
    final: toCount(findFinal(collections)),
    tasks: tasks.map(({ task, attempts }) => ({
      id: task.id,
      type: task.taskType,
      status: task.status,
      attempts: attempts.map(({ status, cause, detail }) => ({
        status,
        reason: cause === null ? null : `${cause}: ${toInertName(detail, MAX_REASON)}`,
      })),
    })),
    branch: run.result?.branch ?? null,
    costUsd,
  };
}

function toCount(collection: Collection | undefined): TaskRunJson['final'] {
  if (collection === undefined) return null;
  return { findings: collection.incomplete.length === 0 ? collection.findings : null };
}

function toCountWords({ findings, incomplete }: Collection): string {
  return incomplete.length === 0 ? String(findings) : `at least ${String(findings)}`;
}

function findFinal(collections: readonly Collection[]): Collection | undefined {
  return collections.find(({ stage }) => stage === 'final');
}

/** Whether nothing is left: everything was looked at in the end, and nothing was found. A dry run is judged by its baseline. */
export function isRunClean({ collections }: Pick<TaskRunSummary, 'collections'>): boolean {
  const last = collections.at(-1);
  return last !== undefined && last.incomplete.length === 0 && last.findings === 0;
}

/** What a report tells beside what is stored. */
export interface TaskRunPlace {
  /** Paths that the run left out; null: they could not be listed. */
  readonly uncommitted: readonly string[] | null;
  /** The folder with the files of the attempts. */
  readonly artifacts: string;
}

/** The report of a run, as Markdown. */
export function renderTaskRun(summary: TaskRunSummary, { uncommitted, artifacts }: TaskRunPlace): string {
  const { run, collections, tasks, costUsd } = summary;
  const [baseline] = collections;
  const final = findFinal(collections);
  const branch = run.result?.branch ?? null;
  const facts = [
    `commit: ${toInlineCode(run.commit)}`,
    `status: ${run.status}${run.result === null ? '' : `, ${toPlainText(run.result.reason, MAX_REASON)}`}`,
    `findings: ${baseline === undefined ? 'not looked for' : `${toCountWords(baseline)} at first`}${final === undefined ? '' : `, ${toCountWords(final)} in the end`}`,
    branch === null ? 'branch: none' : `branch: ${toInlineCode(branch)}`,
    `cost: ${toMoneyText(costUsd * 1_000_000)}`,
  ];
  const incomplete = collections.at(-1)?.incomplete ?? [];
  return [
    `# Run ${toInlineCode(run.id)}\n`,
    `${facts.map((line) => `- ${line}`).join('\n')}\n`,
    toSection(
      'Not everything was looked at',
      incomplete.slice(0, MAX_ROWS).map((why) => `- ${toPlainText(why, MAX_REASON)}`),
    ),
    toSection('Tasks', toRows(tasks)),
    toSection('Held for you', toHeldRows(tasks, artifacts)),
    toSection('Left out', toLeftOut(uncommitted)),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function toRows(tasks: TaskRunSummary['tasks']): readonly string[] {
  const rows = tasks
    .slice(0, MAX_ROWS)
    .flatMap(({ task, attempts }) => [toTaskRow(task), ...attempts.map(toAttemptRow)]);
  return tasks.length > MAX_ROWS ? [...rows, `- and ${String(tasks.length - MAX_ROWS)} more`] : rows;
}

const WORDS: Readonly<Record<TaskStatus, string>> = {
  queued: 'not begun',
  running: 'at work',
  succeeded: 'done',
  blocked: 'blocked',
  abandoned: 'given up',
};

function toTaskRow({ id, taskType, title, status, cause, causeDetail }: Task): string {
  const why =
    cause === null ? '' : ` (${cause}${causeDetail === '' ? '' : `: ${toPlainText(causeDetail, MAX_REASON)}`})`;
  return `- ${String(id)}. ${taskType}: ${toPlainText(title, MAX_TITLE)}: **${WORDS[status]}**${why}`;
}

/** Changes that are kept and were not integrated. A quarantine says whose it is and when it ends: it must not be forgotten. */
function toHeldRows(tasks: TaskRunSummary['tasks'], artifacts: string): readonly string[] {
  const held = tasks.filter(({ task }) => task.cause === 'HELD');
  const rows = held.slice(0, MAX_ROWS).flatMap(({ task, attempts }) => {
    const patch = attempts.at(-1)?.artifacts.find((path) => path.endsWith(PATCH));
    const where = patch === undefined ? '' : `: ${toInlineCode(`git apply ${quoteWord(`${artifacts}/${patch}`)}`)}`;
    const about = task.taskType === 'quarantine' ? task.description.split('\n') : [];
    const lines = about.slice(0, MAX_PATHS).map((line) => `  - ${toPlainText(line, MAX_REASON)}`);
    return [`- ${String(task.id)}. ${toPlainText(task.title, MAX_TITLE)}${where}`, ...lines];
  });
  return held.length > MAX_ROWS ? [...rows, `- and ${String(held.length - MAX_ROWS)} more`] : rows;
}

function toAttemptRow({ attemptNo, status, cause, detail, agentName, diffStat }: StoredAttempt): string {
  const by = agentName === null ? 'the fixer of the tool' : toPlainText(agentName, MAX_TITLE);
  const size = diffStat === null ? '' : `, ${toCountText(diffStat.files, 'file')}`;
  const why = cause === null ? '' : `, ${cause}: ${toPlainText(detail, MAX_REASON)}`;
  return `  - attempt ${String(attemptNo)} by ${by}: ${status}${size}${why}`;
}

function toLeftOut(uncommitted: readonly string[] | null): readonly string[] {
  if (uncommitted === null)
    return ['- Changes that are not committed could not be listed. The run starts from HEAD without them.'];
  if (uncommitted.length === 0) return [];
  const shown = uncommitted.slice(0, MAX_PATHS).map((path) => `- ${toInlineCode(path)}`);
  const rest = uncommitted.length - shown.length;
  return ['Changes that HEAD does not have:', ...shown, ...(rest > 0 ? [`- and ${String(rest)} more`] : [])];
}

import type { PlannedTask, TaskFinding } from '../model/task.ts';
import { cutText } from '../text/cut-text.ts';
import { toOneLine } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import type { FindingGroup } from './group-findings.ts';

const MAX_TITLE_LENGTH = 120;
const MAX_MESSAGE_LENGTH = 300;
const MAX_LISTED = 20;

/** Title and description of a task for people (001.R6). They name files, tests and messages of the repository. */
export function describeGroup(group: FindingGroup): Pick<PlannedTask, 'title' | 'description'> {
  const { findings } = group;
  const lines = findings.slice(0, MAX_LISTED).map(toLine);
  const rest = findings.length - lines.length;
  return {
    title: cutText(toOneLine(toTitle(group)), MAX_TITLE_LENGTH),
    description: [...lines, ...(rest === 0 ? [] : [`and ${toCountText(rest, 'more finding')}`])].join('\n'),
  };
}

function toTitle({ taskType, tool, files, head, findings }: FindingGroup): string {
  const [file = 'the project'] = files;
  switch (taskType) {
    case 'add_test':
      return `Add tests for ${file}`;
    case 'remove_skip':
      return `Let the skipped tests in ${file} run and pass`;
    case 'refactor':
      return `Repair one cause in ${toCountText(files.length, 'file')}: ${head.message}`;
    default:
      return toFixTitle(head.kind, { file, tool, count: findings.length });
  }
}

function toFixTitle(
  kind: TaskFinding['kind'],
  of: { readonly file: string; readonly tool: string; readonly count: number },
): string {
  switch (kind) {
    case 'collection_error':
      return `Let the tests in ${of.file} load`;
    case 'test_failure':
      return `Repair ${toCountText(of.count, 'failing test')} in ${of.file}`;
    default:
      return `Repair ${toCountText(of.count, `finding of ${of.tool}`, `findings of ${of.tool}`)} in ${of.file}`;
  }
}

/** Place, name and message of a finding, in one line. */
export function toLine({ filePath, line, symbol, testId, message }: TaskFinding): string {
  const place = filePath === null ? '' : `${filePath}${line === null ? '' : `:${String(line)}`} `;
  const name = testId ?? symbol;
  const text = cutText(toOneLine(message), MAX_MESSAGE_LENGTH);
  return `${place}${name === null ? '' : `[${toOneLine(name)}] `}${text}`;
}

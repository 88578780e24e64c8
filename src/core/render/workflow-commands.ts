import { stripInvisible } from '../text/escape.ts';

/** GitHub shows at most ten annotations of each kind for one step; it drops the rest without a word. */
export const MAX_OF_A_KIND = 10;

export interface WorkflowAnnotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly endLine: number | null;
  readonly column: number | null;
}

/**
 * The line that makes GitHub Actions show an annotation. What the tools wrote is escaped, so that it can neither end the
 * line nor add a property: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
 */
export function toWorkflowCommand({ kind, title, message, file, line, endLine, column }: WorkflowAnnotation): string {
  const place = {
    ...{ file, line, endLine },
    // GitHub takes a column only for an annotation of one line.
    col: endLine === null || endLine === line ? column : null,
  };
  const properties = Object.entries({ title, ...(file === null ? {} : place) })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${kind} ${properties.join(',')}::${escapeData(stripInvisible(message))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/**
 * Text for the log of a step, in which nothing is a command any more: the runner takes a line that begins with `::`, and
 * `##[` anywhere in a line, for one.
 */
export function toInertLog(text: string): string {
  return text
    .split(/(\r\n|[\n\v\f\r\u0085\u2028\u2029])/u)
    .map((line) => line.replace(/^(\s*)::/u, '$1: :').replaceAll('##[', '## ['))
    .join('');
}

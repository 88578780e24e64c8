import { toByteLength } from '../text/cut-bytes.ts';
import { toOneLine } from '../text/escape.ts';
import type { FailureSign } from './log-failure.ts';
import type { ResolvePath } from './resolve-path.ts';

/** A failure of a log; `count` of equal ones. */
export type ListedFailure = FailureSign & {
  readonly step?: string | null;
  readonly count?: number;
};

const MAX_TEXT_LENGTH = 500;

/**
 * Failures as a JSON list with one of them on each line, at most `maxBytes` bytes; empty if there are none. `path` is that of a
 * tracked file if `resolve` knows one, otherwise as the log spells it. What a failure does not have is left out.
 */
export function toFailuresJson(failures: readonly ListedFailure[], resolve: ResolvePath, maxBytes: number): string {
  const lines: string[] = [];
  let left = maxBytes - '[\n]\n'.length;
  for (const failure of failures) {
    const line = JSON.stringify(toEntry(failure, resolve));
    left -= toByteLength(line) + ',\n'.length;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? '' : `[\n${lines.join(',\n')}\n]\n`;
}

function toEntry(failure: ListedFailure, resolve: ResolvePath): Readonly<Record<string, string | number>> {
  const { kind, tool, path, line, column, rule, testId: test, message, step = null, count = 1 } = failure;
  const entry = {
    kind,
    tool,
    path: path === null ? null : (resolve(path) ?? path),
    line,
    column,
    rule,
    test,
    message,
    step,
  };
  const given = Object.entries(entry).flatMap(([key, value]): readonly (readonly [string, string | number])[] => {
    if (value === null || value === '') return [];
    return [[key, typeof value === 'string' ? toOneLine(value.slice(0, MAX_TEXT_LENGTH)) : value]];
  });
  return Object.fromEntries(count > 1 ? [...given, ['count', count] as const] : given);
}

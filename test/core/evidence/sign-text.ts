import type { FailureSign } from '../../../src/core/evidence/log-failure.ts';

/**
 * What a line says, in short: `test junit a.ts:3:5 [rule] “test” = message`, each part only if there is one, and the message only
 * if it is not the line itself. `-` if it says nothing.
 */
export function toSignText(sign: FailureSign | null, line: string): string {
  if (sign === null) return '-';
  const { kind, tool, path, line: at, column, rule, testId, message } = sign;
  const place = [path, at, column].filter((part) => part !== null).join(':');
  const parts = [kind, tool, place, rule === null ? null : `[${rule}]`, testId === null ? null : `“${testId}”`];
  const text = parts.filter((part) => part !== null && part !== '').join(' ');
  return message === line.trim() ? text : `${text} = ${message}`;
}

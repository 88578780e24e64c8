import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { findNearest } from '../core/commands/find-nearest.ts';
import { toError } from '../core/model/errors.ts';

/** Flags and other arguments, or one line that says what is wrong with them and what was probably meant. */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>> | string {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // After its first sentence Node explains how to write a path that starts with a dash.
    const problem = toError(error)
      .message.replaceAll(/\s+/gu, ' ')
      .replace(/\. To specify.*$/u, '')
      .replace(/^Option '(?:-\w, )?(--[\w-]+) <value>' argument missing$/u, '$1 needs a value')
      .replace(/^Option '(?:-\w, )?(--[\w-]+)' does not take an argument$/u, '$1 takes no value');
    const written = /^Unknown option '--(?<name>[^']+)'/u.exec(problem)?.groups?.['name'] ?? '';
    return `${problem}${toHint(written, Object.keys(options), (name) => `--${name}`)}`;
  }
}

/** `; did you mean …?`, or nothing if no known name is near: one typing error, or two behind the same first letter. */
export function toHint(
  written: string,
  known: readonly string[],
  toText: (name: string) => string = (name) => name,
): string {
  const alike = known.filter((name) => written.length > 3 && name.startsWith(written.slice(0, 1).toLowerCase()));
  const meant = findNearest(written, known, 1) ?? findNearest(written, alike, 2);
  return meant === null ? '' : `; did you mean ${toText(meant)}?`;
}

import type { TestChangeFact } from '../model/test-change.ts';
import { findHits } from './find-hits.ts';

export interface Numbers {
  readonly old: string;
  readonly now: string;
  /** With the groups `name` and `value`. */
  readonly pattern: RegExp;
  readonly isLooser: (before: number, after: number) => boolean;
  /** Whether a limit that is gone allows more. */
  readonly isNeeded: boolean;
}

/** Limits that allow more than before. Values of one name are compared in their order. */
export function judgeNumbers(
  path: string,
  { old, now, pattern, isLooser, isNeeded }: Numbers,
): readonly TestChangeFact[] {
  const after = toValues(now, pattern);
  const toFact = (line: number | null, message: string): TestChangeFact => ({
    ...{ code: 'THRESHOLD_LOOSENED', path, line, message, is: 'held' },
  });
  return [...toValues(old, pattern)].flatMap(([name, values]) => {
    const found = after.get(name) ?? [];
    if (found.length < values.length && isNeeded) return [toFact(null, `The limit "${name}" is gone.`)];
    return found.flatMap(({ value, line }, index) => {
      const earlier = values[index];
      if (earlier === undefined || !isLooser(earlier.value, value)) return [];
      return [toFact(line, `The limit "${name}" is ${value}, and was ${earlier.value}.`)];
    });
  });
}

function toValues(text: string, pattern: RegExp): ReadonlyMap<string, readonly { value: number; line: number }[]> {
  const values = new Map<string, { value: number; line: number }[]>();
  for (const { match, line } of findHits(text, pattern)) {
    const name = String(match.groups?.['name']).toLowerCase();
    const one = { value: Number(match.groups?.['value']), line };
    const same = values.get(name);
    if (same === undefined) values.set(name, [one]);
    else same.push(one);
  }
  return values;
}

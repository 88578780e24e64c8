import type { FailureGroup, FailureSign, LogFailure } from './log-failure.ts';

/** What a failure is recognised by, whatever its lines and numbers are. */
export function toFailureKey({ kind, tool, path, rule, testId, message }: FailureSign): string {
  return JSON.stringify([kind, tool, path, rule, testId, toShape(message)]);
}

/** A text without numbers, addresses and repeated blanks. */
export function toShape(text: string): string {
  return text
    .slice(0, 300)
    .replaceAll(/0x[\da-f]+|\d+/giu, '#')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Groups equal failures, at most so many of each kind from the start and from the end of the log. */
export interface FailureGroups {
  readonly add: (failure: LogFailure, at: Pick<FailureGroup, 'lines' | 'frames'>) => void;
  /** In the order of the log. */
  readonly list: () => readonly FailureGroup[];
}

const MAX_FIRST = 1500;
const MAX_LAST = 500;

export function createFailureGroups(): FailureGroups {
  const kinds = new Map<LogFailure['kind'], KindGroups>();
  return {
    add: (failure, at) => {
      const groups = kinds.get(failure.kind) ?? { first: new Map(), last: new Map() };
      kinds.set(failure.kind, groups);
      addTo(groups, toFailureKey(failure), { failure, count: 1, lastFrom: failure.from, ...at });
    },
    list: () =>
      [...kinds.values()]
        .flatMap(({ first, last }) => [...first.values(), ...last.values()])
        .sort((a, b) => a.failure.from - b.failure.from),
  };
}

interface KindGroups {
  readonly first: Map<string, FailureGroup>;
  readonly last: Map<string, FailureGroup>;
}

function addTo({ first, last }: KindGroups, key: string, group: FailureGroup): void {
  const groups = first.has(key) || (!last.has(key) && first.size < MAX_FIRST) ? first : last;
  const known = groups.get(key);
  groups.set(key, known === undefined ? group : { ...known, count: known.count + 1, lastFrom: group.lastFrom });
  const [oldest] = last.keys();
  if (last.size > MAX_LAST && oldest !== undefined) last.delete(oldest);
}

/** More lines than most failures have. */
const WHOLE_LINES = 120;

/**
 * The lines of the first failed test that says more than its name, and of what follows if it is short: from `from` to before `to`.
 * Null if there is no such test.
 */
export function findToldTest(groups: readonly FailureGroup[]): { readonly from: number; readonly to: number } | null {
  const told = groups.flatMap(({ failure: { kind, from, to } }) => (kind === 'test' && to - from > 1 ? [from] : []));
  const first = Math.min(...told);
  return told.length === 0 ? null : { from: first - 1, to: first + WHOLE_LINES };
}

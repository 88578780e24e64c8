import type { SourceFacts } from '../model/source-facts.ts';
import type { TestChangePolicy } from '../model/test-change.ts';

export interface ReadFile {
  readonly text: string;
  readonly facts: SourceFacts;
}

/** Files by path. A path that one side lacks was added or deleted. */
export interface TestChange {
  readonly before: ReadonlyMap<string, ReadFile>;
  readonly after: ReadonlyMap<string, ReadFile>;
  readonly policy: TestChangePolicy;
}

/** Paths whose text differs, or that one side lacks. */
export function toChangedPaths({ before, after }: TestChange): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((path) => before.get(path)?.text !== after.get(path)?.text).sort();
}

/** The part of `of` that `from` does not have, each as often as it is missing. */
export function toMissing<Item>(
  of: readonly Item[],
  from: readonly Item[],
  toKey: (item: Item) => string,
): readonly Item[] {
  const counts = new Map<string, number>();
  for (const item of from) counts.set(toKey(item), (counts.get(toKey(item)) ?? 0) + 1);
  return of.filter((item) => {
    const count = counts.get(toKey(item)) ?? 0;
    counts.set(toKey(item), count - 1);
    return count <= 0;
  });
}

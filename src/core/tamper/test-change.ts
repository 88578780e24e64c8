import type { SourceFacts } from '../model/source-facts.ts';

/** Stable names of what a change does to tests. */
export type TestChangeCode =
  | 'TEST_DELETED'
  | 'TEST_SKIPPED'
  | 'TEST_FOCUSED'
  | 'TEST_EMPTIED'
  | 'TEST_CUT_SHORT'
  | 'CASES_REMOVED'
  | 'ASSERTION_REMOVED'
  | 'ASSERTION_WEAKENED'
  | 'ASSERTION_TRIVIAL'
  | 'EXPECTATION_CHANGED'
  | 'THRESHOLD_LOOSENED'
  | 'TIMEOUT_RAISED'
  | 'SNAPSHOT_REWRITTEN'
  | 'SUPPRESSION_ADDED'
  | 'EXIT_FORCED'
  | 'ERROR_SWALLOWED'
  | 'SUBJECT_MOCKED'
  | 'ANSWER_HARD_CODED'
  | 'ENVIRONMENT_DETECTED'
  | 'TEST_COMMAND_WEAKENED'
  | 'PROTECTED_PATH'
  | 'UNREADABLE'
  | 'TESTS_CHANGED';

/** What speaks against a change. */
export interface TestChangeFact {
  readonly code: TestChangeCode;
  readonly path: string;
  /** In the file after the change; in the file before it, if the line is gone. Null: the whole file. */
  readonly line: number | null;
  readonly message: string;
  /** `rejected`: certain; `held`: for a person. */
  readonly is: 'held' | 'rejected';
}

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

export interface TestChangePolicy {
  /** `hold`: every change of a test waits for a person. */
  readonly testChanges: 'judge' | 'hold';
  /** Globs beside those that are always protected. */
  readonly protectedPaths: readonly string[];
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

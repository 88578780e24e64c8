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

export interface TestChangeVerdict {
  /** `rejected`: certain cheating, or forbidden. `held`: for a person. */
  readonly verdict: 'clean' | 'held' | 'rejected';
  /** In the order of paths and lines. */
  readonly facts: readonly TestChangeFact[];
}

export interface TestChangePolicy {
  /** `hold`: every change of a test waits for a person. */
  readonly testChanges: 'judge' | 'hold';
  /** Globs beside those that are always protected. */
  readonly protectedPaths: readonly string[];
}

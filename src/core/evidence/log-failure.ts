/**
 * One failure that a CI log names. All texts are untrusted, without colours and timestamps, but not redacted.
 * `test`: a test runner names a failed test. `place`: a compiler or linter names a place in a file. `exception`: an uncaught
 * exception with its frames. `exit`: a program reports how it or a step ended. `mention`: a line with a word of failure, no more.
 */
export interface LogFailure {
  readonly kind: 'test' | 'place' | 'exception' | 'exit' | 'mention';
  /** The tool that wrote it, such as `vitest` or `tsc`; null if that is not known. */
  readonly tool: string | null;
  /** As the log spells it, with `/`; null if it names no file. The frame of a Java class gives the folders of its package. */
  readonly path: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  /** The tool's name of the rule or error code. */
  readonly rule: string | null;
  /** The test's name, as the tool prints it. */
  readonly testId: string | null;
  readonly message: string;
  /** The command of the step in which it stands; null if the log does not tell. */
  readonly step: string | null;
  /** The lines of the cleaned log that belong to it, 0-based: from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
}

/** Failures that differ only in their lines and in numbers, shown by the first of them. */
export interface FailureGroup {
  readonly failure: LogFailure;
  /** How many there are. */
  readonly count: number;
  /** Where the last of them begins. */
  readonly lastFrom: number;
  /** Its lines that say the most: the name, the message, the place. */
  readonly lines: readonly number[];
  /** Lines of its stack in code of the project. */
  readonly frames: readonly number[];
}

/** What one line alone says about a failure. */
export type FailureSign = Omit<LogFailure, 'step' | 'from' | 'to'>;

/**
 * A failure that the log of a red job reports: a failed test, or a place in a file. All texts are untrusted, redacted and cut.
 */
export interface ReportedFailure {
  /** Name of the red job. */
  readonly job: string;
  /** The tool that wrote it, such as `tsc`; null if that is not known. */
  readonly tool: string | null;
  /** Path of a file that the head has; null: it names none. */
  readonly path: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** The tool's name of the rule or error code. */
  readonly rule: string | null;
  /** The test's name, as the tool prints it. */
  readonly testId: string | null;
  readonly message: string;
}

/** Result of a command. The caller prints it and exits. */
export interface CliResult {
  readonly exitCode: 0 | 1 | 2 | 3;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command did what was asked. */
export function succeed(stdout: string, stderr = ''): CliResult {
  return { exitCode: 0, stdout, stderr };
}

/** Nothing goes to stdout, so that a failure cannot be taken for an answer. */
export function fail(exitCode: 1 | 2 | 3, stderr: string): CliResult {
  return { exitCode, stdout: '', stderr };
}

/** One JSON document on a line. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** When a failed operation may be tried again. */
export type Retry = 'now' | 'later' | 'never';

/** Base of the errors that carry a stable code; a caller decides by `code` and `retry`, never by the message. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  readonly retry: Retry;

  constructor(message: string, retry: Retry, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.retry = retry;
  }
}

/** GitHub did not do what was asked. */
export class GitHubError extends CodedError {
  readonly code: 'UNAVAILABLE' | 'RATE_LIMITED' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID' | 'UNEXPECTED';
  /** Seconds to wait, where GitHub said so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: GitHubError['code'],
    message: string,
    options: { readonly retry: Retry; readonly retryAfterSeconds?: number | null; readonly cause?: unknown },
  ) {
    super(message, options.retry, options.cause);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** A workspace could not be made, read or removed. */
export class WorkspaceError extends CodedError {
  readonly code: 'REPO_TOO_LARGE' | 'HEAD_MOVED' | 'FETCH_FAILED' | 'GIT_FAILED' | 'DISK_FAILED';

  constructor(
    code: WorkspaceError['code'],
    message: string,
    options: { readonly retry: Retry; readonly cause?: unknown },
  ) {
    super(message, options.retry, options.cause);
    this.code = code;
  }
}

/** A place to run in was asked for what it does not do. */
export class SiteError extends CodedError {
  readonly code: 'CANNOT_KEEP' | 'NOT_TRUSTED' | 'CLOSED' | 'BUSY';

  constructor(code: SiteError['code'], message: string) {
    super(message, 'never');
    this.code = code;
  }
}

/** Configuration that cannot be used; `problems` has one line each. */
export class ConfigError extends CodedError {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, 'never');
    this.problems = problems;
  }
}

/** Something that cannot be was: a bug of ours. */
export class InvariantError extends CodedError {
  readonly code = 'INVARIANT';

  constructor(message: string) {
    super(message, 'never');
  }
}

/** A caught value as an error: JavaScript can throw anything. */
export function toError(caught: unknown): Error {
  return caught instanceof Error ? caught : new Error(String(caught), { cause: caught });
}

/** Ends an exhaustive switch; the compiler refuses it while a case is missing. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}

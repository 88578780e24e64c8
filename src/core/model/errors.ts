/** When a failed operation may be retried. */
export type Retry = 'now' | 'later' | 'never';

/** Base of the errors with a stable code. Callers decide by `code` and `retry`, never by the message. */
export abstract class CodedError extends Error {
  abstract readonly code: string;
  readonly retry: Retry;

  constructor(message: string, retry: Retry, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.retry = retry;
  }
}

/** A call to GitHub failed. */
export class GitHubError extends CodedError {
  readonly code:
    | 'UNAVAILABLE'
    | 'RATE_LIMITED'
    | 'UNAUTHORIZED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'INVALID'
    /** GitHub grants the App no token with these rights in this repository. */
    | 'NOT_GRANTED'
    /** The query needs more of GitHub than one query may take. */
    | 'TOO_LARGE'
    | 'UNEXPECTED';
  /** Seconds to wait, as reported by GitHub; null if it reported none. */
  readonly retryAfterSeconds: number | null;
  /** What a rate limit covers. */
  readonly limited: 'graphql' | 'all';

  constructor(
    code: GitHubError['code'],
    message: string,
    options: {
      readonly retry: Retry;
      readonly retryAfterSeconds?: number | null;
      readonly limited?: GitHubError['limited'];
      readonly cause?: unknown;
    },
  ) {
    super(message, options.retry, options.cause);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.limited = options.limited ?? 'all';
  }
}

/** A workspace could not be created, read or removed. */
export class RepositoryError extends CodedError {
  readonly code: 'REPO_TOO_LARGE' | 'REF_LAGS' | 'FETCH_FAILED' | 'GIT_FAILED' | 'DISK_FAILED';

  constructor(
    code: RepositoryError['code'],
    message: string,
    options: { readonly retry: Retry; readonly cause?: unknown },
  ) {
    super(message, options.retry, options.cause);
    this.code = code;
  }
}

/** A site got a request that it does not support. */
export class SiteError extends CodedError {
  readonly code: 'CANNOT_KEEP' | 'NOT_TRUSTED' | 'CLOSED' | 'BUSY';

  constructor(code: SiteError['code'], message: string) {
    super(message, 'never');
    this.code = code;
  }
}

/** The workplace of a plan cannot do what a step asks for. Its message is for people and may quote a path of the plan. */
export class WorkplaceError extends CodedError {
  readonly code:
    /** The path leaves the workplace, or belongs to git. */
    | 'PATH_REFUSED'
    /** What is there does not suit: nothing, or something else than a file. */
    | 'WRONG_KIND'
    | 'TOO_LARGE'
    | 'DISK_FAILED';

  constructor(code: WorkplaceError['code'], message: string, cause?: unknown) {
    super(message, 'never', cause);
    this.code = code;
  }
}

/** Invalid configuration; `problems` has one line per problem. */
export class ConfigError extends CodedError {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, 'never');
    this.problems = problems;
  }
}

/** A broken invariant: a bug in Ratchet. */
export class InvariantError extends CodedError {
  readonly code = 'INVARIANT';

  constructor(message: string) {
    super(message, 'never');
  }
}

/** Converts a caught value to an Error, because JavaScript can throw any value. */
export function toError(caught: unknown): Error {
  return caught instanceof Error ? caught : new Error(String(caught), { cause: caught });
}

/** Ends an exhaustive switch: the compiler reports a missing case. @throws InvariantError always. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}

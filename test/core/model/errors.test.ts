import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  GitHubError,
  InvariantError,
  RepositoryError,
  SiteError,
  toError,
  WorkplaceError,
} from '../../../src/core/model/errors.ts';

describe('the error classes', () => {
  it.each([
    [new GitHubError('UNAVAILABLE', 'm', { retry: 'later' }), 'GitHubError', 'UNAVAILABLE', 'later'],
    [new RepositoryError('GIT_FAILED', 'm', { retry: 'never' }), 'RepositoryError', 'GIT_FAILED', 'never'],
    [new SiteError('CANNOT_KEEP', 'm'), 'SiteError', 'CANNOT_KEEP', 'never'],
    [new WorkplaceError('PATH_REFUSED', 'm'), 'WorkplaceError', 'PATH_REFUSED', 'never'],
    [new ConfigError(['m']), 'ConfigError', 'CONFIG_INVALID', 'never'],
    [new InvariantError('m'), 'InvariantError', 'INVARIANT', 'never'],
  ])('carry name, code and whether to try again: %s', (error, name, code, retry) => {
    expect(error).toMatchObject({ name, code, retry });
    expect(error.message).toContain('m');
    expect(error).not.toHaveProperty('cause');
  });

  it('keep the cause', () => {
    const cause = new Error('inner');

    expect(new RepositoryError('FETCH_FAILED', 'm', { retry: 'later', cause }).cause).toBe(cause);
  });

  it('keep how long GitHub asks to wait', () => {
    expect(new GitHubError('RATE_LIMITED', 'm', { retry: 'later', retryAfterSeconds: 60 }).retryAfterSeconds).toBe(60);
    expect(new GitHubError('NOT_FOUND', 'm', { retry: 'never' }).retryAfterSeconds).toBeNull();
  });

  it('list every problem of a configuration, a line each', () => {
    const error = new ConfigError(['APP_ID is required', 'PORT must be a number']);

    expect(error.message).toBe('configuration is invalid:\n  - APP_ID is required\n  - PORT must be a number');
  });
});

describe('toError', () => {
  it('leaves an error as it is, and keeps what else was thrown as the cause', () => {
    const error = new TypeError('m');

    expect(toError(error)).toBe(error);
    expect(toError('text')).toMatchObject({ message: 'text', cause: 'text' });
    expect(toError(undefined)).toMatchObject({ message: 'undefined' });
  });
});

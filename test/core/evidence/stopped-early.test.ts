import { describe, expect, it } from 'vitest';
import { hasStoppedEarly } from '../../../src/core/evidence/stopped-early.ts';

describe('hasStoppedEarly', () => {
  it.each([
    '!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!',
    'stopping after 3 failures',
    'stopping after 12 failures',
    'stopping after 1 failure',
    'Bail out! the database is gone',
    'Cancelling due to test failure: 3 tests still running',
    'Canceling due to failures',
    'Stopped on first failure',
    'Stopping at the first failure.',
    'Stopped after test failures',
    'stopping on failure',
    'Stopped at first test failure',
    'aborting after 2 test failures',
    'aborting after 12 failures',
    'exiting after the first failure',
    'Bailed out after 1 failure',
    '> vitest run --bail 1',
    '> jest --ci --bail',
    'pytest --maxfail=2 tests',
    'phpunit --stop-on-failure',
    'rspec --fail-fast',
    'go test -- --failfast',
    'pytest --exitfirst',
    'tape: bailing out',
  ])('sees it in %j (trap 14)', (line) => {
    expect(hasStoppedEarly(`1 failed\n${line}\nmore`)).toBe(true);
  });

  it.each([
    '',
    '1 failed, 3 passed',
    'stopping the server',
    'the rest will bail',
    'a failure',
    'fail-fast: false',
    'nobody will bail out!',
    '--bailiff',
    'stopping after a failure',
  ])('does not see it in %j', (log) => {
    expect(hasStoppedEarly(log)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { toProgress, toStateProgress } from '../../../src/core/ci/parse-result.ts';

describe('toProgress', () => {
  it.each([
    ['queued', 'queued'],
    ['requested', 'queued'],
    ['pending', 'queued'],
    ['in_progress', 'in_progress'],
    ['waiting', 'waiting'],
    ['completed', 'completed'],
    ['later', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
    [7, 'unknown'],
  ])('reads the status %j', (status, expected) => {
    expect(toProgress({ status, conclusion: 'success' })).toEqual({ status: expected, conclusion: 'success' });
  });

  it.each([
    'success',
    'failure',
    'neutral',
    'cancelled',
    'skipped',
    'timed_out',
    'action_required',
    'startup_failure',
    'stale',
  ])('reads the conclusion %s in any case (trap 67, trap 79, trap 137)', (conclusion) => {
    expect(toProgress({ status: 'completed', conclusion })).toEqual({ status: 'completed', conclusion });
    expect(toProgress({ status: 'COMPLETED', conclusion: conclusion.toUpperCase() })).toEqual({
      status: 'completed',
      conclusion,
    });
  });

  it.each(['perfect', '', 7, {}])('knows nothing of the conclusion %j (S3)', (conclusion) => {
    expect(toProgress({ status: 'completed', conclusion })).toEqual({ status: 'completed', conclusion: 'unknown' });
  });

  it('takes what is over without a conclusion as unknown, and what runs as without one', () => {
    expect(toProgress({ status: 'completed', conclusion: null }).conclusion).toBe('unknown');
    expect(toProgress({ status: 'completed' }).conclusion).toBe('unknown');
    expect(toProgress({ status: 'queued', conclusion: null }).conclusion).toBeNull();
    expect(toProgress({}).conclusion).toBeNull();
  });
});

describe('toStateProgress', () => {
  it.each([
    ['expected', 'queued', null],
    ['EXPECTED', 'queued', null],
    ['pending', 'in_progress', null],
    ['success', 'completed', 'success'],
    ['SUCCESS', 'completed', 'success'],
    ['failure', 'completed', 'failure'],
    ['error', 'completed', 'failure'],
    ['fine', 'unknown', null],
    [null, 'unknown', null],
    [1, 'unknown', null],
  ])('reads the state %j', (state, status, conclusion) => {
    expect(toStateProgress(state)).toEqual({ status, conclusion });
  });
});

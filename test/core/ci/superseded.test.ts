import { describe, expect, it } from 'vitest';
import { toLatestResults } from '../../../src/core/ci/latest-results.ts';
import { type RunJobs, toRunProgress } from '../../../src/core/ci/run-progress.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { aCheck, NOW } from '../../support/builders.ts';

/** A job of the first run of the workflow `ci`. */
function aJob(change: Partial<CheckResult> = {}): CheckResult {
  return aCheck({ workflow: 'ci', event: 'pull_request', runNumber: 1, ...change });
}

/** The first run of the workflow `ci` as a result of its own. */
function aRun(change: Partial<CheckResult> = {}): CheckResult {
  return aJob({ name: 'CI', isRun: true, ...change });
}

/** Ids of the results that count, in any order of the input. */
function latest(...results: readonly CheckResult[]): readonly number[] {
  const ids = toLatestResults(results).map(({ id }) => id);
  expect(toLatestResults([...results].reverse()).map(({ id }) => id)).toEqual(ids);
  return ids.toSorted((a, b) => a - b);
}

const CANCELLED = { conclusion: 'cancelled' } as const;
const RUNNING = { status: 'in_progress', conclusion: null, completedAt: null } as const;
const UNEXPANDED = { name: 'test (${{ matrix.node }})', ...CANCELLED } as const;

describe('what a newer run of the workflow supersedes', () => {
  it.each<[string, readonly CheckResult[], readonly number[]]>([
    [
      'a job that was cancelled before its matrix expanded',
      [aJob({ id: 1, ...UNEXPANDED }), aJob({ id: 2, runNumber: 2, name: 'test (20)' })],
      [2],
    ],
    [
      'such a job of a run by another event',
      [aJob({ id: 1, event: 'push', ...UNEXPANDED }), aJob({ id: 2, runNumber: 2, name: 'test (20)' })],
      [2],
    ],
    [
      'a cancelled job that started later than the live one',
      [aJob({ id: 1, startedAt: NOW, ...CANCELLED }), aJob({ id: 2, runNumber: 2, startedAt: NOW - 60_000 })],
      [2],
    ],
    [
      'a cancelled job while the newer run has no job yet',
      [aJob({ id: 1, ...UNEXPANDED }), aRun({ id: 2, runNumber: 2, ...RUNNING })],
      [2],
    ],
    ['a stale job', [aJob({ id: 1, name: 'old', conclusion: 'stale' }), aJob({ id: 2, runNumber: 2 })], [2]],
    ['a cancelled run without jobs', [aRun({ id: 1, ...CANCELLED }), aJob({ id: 2, runNumber: 2 })], [2]],
    [
      'a cancelled run of another event',
      [aRun({ id: 1, event: 'push', ...CANCELLED }), aJob({ id: 2, runNumber: 2 })],
      [2],
    ],
    [
      'a run that nobody approved (trap 11)',
      [aRun({ id: 1, conclusion: 'action_required' }), aJob({ id: 2, runNumber: 2 })],
      [2],
    ],
    [
      'a run that waits for a deployment',
      [aRun({ id: 1, status: 'waiting', conclusion: null }), aJob({ id: 2, runNumber: 2 })],
      [2],
    ],
    [
      'a run that failed to start',
      [aRun({ id: 1, conclusion: 'startup_failure' }), aRun({ id: 2, runNumber: 2, ...RUNNING })],
      [2],
    ],
    [
      'the result of a job by that of the newer run, although it started later',
      [aJob({ id: 1, startedAt: NOW, conclusion: 'failure' }), aJob({ id: 2, runNumber: 2, startedAt: NOW - 60_000 })],
      [2],
    ],
    [
      'the waiting job of a run by the finished one of a newer run',
      [aJob({ id: 1, status: 'waiting', conclusion: null, startedAt: null }), aJob({ id: 2, runNumber: 2 })],
      [2],
    ],
    [
      'what an earlier attempt of a run cancelled, once the run is green',
      [aJob({ id: 1, isRunGreen: true, ...UNEXPANDED }), aJob({ id: 2, isRunGreen: true, name: 'test (20)' })],
      [2],
    ],
  ])('%s (trap 2)', (_what, results, expected) => {
    expect(latest(...results)).toEqual(expected);
  });

  it.each<[string, readonly CheckResult[], readonly number[]]>([
    [
      'a live job of the older run (trap 82)',
      [aJob({ id: 1, name: 'e2e', conclusion: 'failure' }), aJob({ id: 2, runNumber: 2 })],
      [1, 2],
    ],
    ['a green job of the older run', [aJob({ id: 1, name: 'e2e' }), aJob({ id: 2, runNumber: 2 })], [1, 2]],
    ['the older run while it runs', [aRun({ id: 1, ...RUNNING }), aJob({ id: 2, runNumber: 2 })], [1, 2]],
    [
      'a cancelled job of the newest run (trap 3)',
      [aJob({ id: 1 }), aJob({ id: 2, runNumber: 2, ...UNEXPANDED })],
      [1, 2],
    ],
    [
      'a cancelled job of the newer of two cancelled runs (trap 3)',
      [aJob({ id: 1, ...UNEXPANDED }), aJob({ id: 2, runNumber: 2, ...UNEXPANDED })],
      [2],
    ],
    [
      'a cancelled job beside another workflow (trap 2)',
      [aJob({ id: 1, ...CANCELLED }), aJob({ id: 2, workflow: 'docs', runNumber: 2 })],
      [1, 2],
    ],
    [
      'a cancelled job beside a run that skipped all of its jobs (trap 3)',
      [aJob({ id: 1, ...CANCELLED }), aJob({ id: 2, runNumber: 2, conclusion: 'skipped' })],
      [1],
    ],
    [
      'a red job beside a skipped one of a newer run',
      [aJob({ id: 1, conclusion: 'failure' }), aJob({ id: 2, runNumber: 2, conclusion: 'skipped' })],
      [1],
    ],
    [
      'a run of another event (trap 142)',
      [aRun({ id: 1, conclusion: 'action_required' }), aRun({ id: 2, event: 'push', runNumber: 2, ...RUNNING })],
      [1, 2],
    ],
    [
      'a run beside a job of its name',
      [aRun({ id: 1, name: 'build', ...RUNNING }), aJob({ id: 2, name: 'build', startedAt: NOW })],
      [1, 2],
    ],
    [
      'a cancelled job of a run that did not succeed (trap 3)',
      [aJob({ id: 1, ...UNEXPANDED }), aJob({ id: 2, name: 'test (20)' })],
      [1, 2],
    ],
  ])('is not %s', (_what, results, expected) => {
    expect(latest(...results)).toEqual(expected);
  });
});

describe('the result that a workflow run is beside its jobs', () => {
  const green = { status: 'completed', conclusion: 'success' } as const;
  const red = { status: 'completed', conclusion: 'failure' } as const;
  const cancelled = { status: 'completed', conclusion: 'cancelled' } as const;
  const running = { status: 'in_progress', conclusion: null } as const;
  const jobs = (...of: RunJobs['jobs']): RunJobs => ({ jobs: of, hasJobs: true });

  it('is itself while it runs, and where it ended without a job (trap 11)', () => {
    expect(toRunProgress(running, jobs(green))).toBe(running);
    expect(toRunProgress(red, { jobs: [], hasJobs: false })).toBe(red);
    expect(toRunProgress(green, { jobs: [], hasJobs: false })).toBe(green);
  });

  it('is nothing where its jobs speak for it', () => {
    expect(toRunProgress(green, jobs(green))).toBeNull();
    expect(toRunProgress(green, jobs())).toBeNull();
    expect(toRunProgress(red, jobs(green, red))).toBeNull();
    expect(toRunProgress(red, jobs(red, running))).toBeNull();
    expect(toRunProgress(cancelled, jobs(green, cancelled))).toBeNull();
    expect(toRunProgress(cancelled, jobs(red))).toBeNull();
  });

  it('is not known where it failed and no job did: its results are withdrawn', () => {
    const unknown = { status: 'completed', conclusion: 'unknown' };

    expect(toRunProgress(red, jobs(green))).toEqual(unknown);
    expect(toRunProgress(red, jobs())).toEqual(unknown);
    expect(toRunProgress({ status: 'completed', conclusion: 'timed_out' }, jobs(green, cancelled))).toEqual(unknown);
  });

  it('is itself where it was cancelled and no job says so', () => {
    expect(toRunProgress(cancelled, jobs(green))).toBe(cancelled);
    expect(toRunProgress({ status: 'completed', conclusion: 'unknown' }, jobs())).toEqual({
      status: 'completed',
      conclusion: 'unknown',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/core/ci/classify-failure.ts';
import { compareWithBase } from '../../../src/core/ci/compare-with-base.ts';
import { diagnoseFailure, toHardestJob } from '../../../src/core/ci/diagnose-failure.ts';
import type { FailedJob } from '../../../src/core/ci/failed-job.ts';
import { toFailureSignature } from '../../../src/core/ci/failure-signature.ts';
import { MAX_RERUNS, planRerun } from '../../../src/core/ci/plan-rerun.ts';
import { toCiFailure } from '../../../src/core/ci/to-ci-failure.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { InvariantError } from '../../../src/core/model/errors.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import type { Diagnosis } from '../../../src/core/model/workspace.ts';
import { aCheck, aDiagnosis, aFailure, aLogFailure, aStatus, fakeSha, NOW } from '../../support/builders.ts';

const LOST = 'The hosted runner lost communication with the server.';
const WRONG = 'AssertionError: 1 != 2';
const LATE = 'Error: Test timed out in 5000ms.';

function aRed(change: Partial<CheckResult> = {}): CheckResult {
  return aCheck({ conclusion: 'failure', workflowRunId: 900, ...change });
}

/** A red job with that log; it is left to a person if there is a line that says so. */
function aJob(text: string | null, change: Partial<CheckResult> = {}, personLine: string | null = null): FailedJob {
  const lines = text === null ? [] : text.split('\n');
  const check = aRed(change);
  const classified = classifyFailure({ check, failures: [], lines });
  return { check, failures: [], lines, classified: { ...classified, personLine } };
}

describe('diagnoseFailure', () => {
  const base = { ciRunId: 'run-1', freshStart: 2, base: null, failures: [], unread: [], atBase: [], atTip: [] };

  it('names flaky jobs, and those that are red on the base', () => {
    const read = [aJob(WRONG), aJob(LOST, { name: 'e2e' })];
    const diagnosis = diagnoseFailure({ ...base, read, atBase: [aRed({ headSha: fakeSha('base'), event: 'push' })] });

    expect(diagnosis).toEqual({
      ciRunId: 'run-1',
      freshStart: 2,
      failures: [],
      base: null,
      jobs: [
        { name: 'build', class: 'code', line: WRONG, rule: 'wrong-code', tests: [], command: null },
        { name: 'e2e', class: 'infrastructure', line: LOST, rule: 'runner-lost', tests: [], command: null },
      ],
      flaky: ['e2e'],
      person: [],
      redOnBase: ['build'],
      repairedOnBase: [],
      signature: toFailureSignature(read, []),
    });
  });

  it('calls a name flaky only where all of its jobs are', () => {
    const read = [aJob(LOST), aJob(WRONG, { id: 2, event: 'push' })];

    expect(diagnoseFailure({ ...base, read }).flaky).toEqual([]);
    expect(diagnoseFailure({ ...base, read: [aJob(LOST), aJob(LOST, { id: 2, event: 'push' })] }).flaky).toEqual([
      'build',
    ]);
  });

  it('judges what nobody read by its conclusion alone', () => {
    const unread = [aRed({ name: 'a' }), aRed({ name: 'b', conclusion: 'timed_out' })];
    const diagnosis = diagnoseFailure({ ...base, read: [aJob(LOST)], unread, atBase: unread });

    expect(diagnosis.flaky).toEqual(['build', 'b']);
    expect(diagnosis.redOnBase).toEqual(['a', 'b']);
  });
});

describe('the class of a name', () => {
  const base = { ciRunId: 'run-1', freshStart: 0, base: null, failures: [], unread: [], atBase: [], atTip: [] };
  const jobsOf = (...read: readonly FailedJob[]) => diagnoseFailure({ ...base, read }).jobs;

  it('is that of the job that is hardest to mend', () => {
    const push = { id: 2, event: 'push' };

    expect(jobsOf(aJob(LOST), aJob('nothing', push))[0]).toMatchObject({ class: 'unknown', line: null, rule: null });
    expect(jobsOf(aJob('nothing', push), aJob(WRONG))[0]).toMatchObject({ class: 'code', line: WRONG });
    expect(jobsOf(aJob(LATE), aJob(LOST, push))[0]).toMatchObject({ class: 'infrastructure' });
    expect(jobsOf(aJob(LATE))[0]).toMatchObject({ class: 'flake' });
  });

  it('has a line of bounded length, and the tests of all jobs', () => {
    const test = (testId: string) => aLogFailure({ kind: 'test', testId });
    const job = aJob(`${WRONG} ${'x'.repeat(500)}`);
    const [one] = jobsOf({ ...job, failures: [test('a'), test('b')] }, { ...job, failures: [test('b'), test('c')] });

    expect(one?.line).toHaveLength(400);
    expect(one?.tests).toEqual(['a', 'b', 'c']);
  });

  it('exists only where a job failed', () => {
    expect(() => toHardestJob([])).toThrow(InvariantError);
  });
});

describe('the jobs that no code can mend', () => {
  const base = { ciRunId: 'run-1', freshStart: 0, base: null, failures: [], unread: [], atBase: [], atTip: [] };
  const of = (read: readonly FailedJob[], unread: readonly CheckResult[] = []) =>
    diagnoseFailure({ ...base, read, unread }).person;

  it('are named, each with its line (S21)', () => {
    expect(of([aJob(WRONG), aJob('x', { name: 'deploy' }, 'Bad credentials')])).toEqual([
      { name: 'deploy', line: 'Bad credentials' },
    ]);
  });

  it('are those whose every run says so', () => {
    const push = aJob('x', { id: 2, event: 'push' }, 'Bad credentials');

    expect(of([aJob(WRONG), push])).toEqual([]);
    expect(of([aJob('x', {}, 'Not this'), push])).toEqual([{ name: 'build', line: 'Bad credentials' }]);
  });

  it('are also those that nobody read, where all that were read are', () => {
    const unread = [aRed({ name: 'leg 6' }), aRed({ id: 2, name: 'leg 6', event: 'push' }), aRed({ name: 'build' })];
    const billed = aJob(null, {}, 'The job was not started.');

    expect(of([billed], unread)).toEqual([
      { name: 'build', line: 'The job was not started.' },
      { name: 'leg 6', line: 'The job was not started.' },
    ]);
    expect(of([billed, aJob(WRONG, { name: 'test' })], unread)).toHaveLength(1);
    expect(of([], unread)).toEqual([]);
  });

  it('have a line of bounded length', () => {
    expect(of([aJob('x', {}, 'x'.repeat(401))])[0]?.line).toBe('x'.repeat(400));
  });
});

describe('compareWithBase', () => {
  const findRedOnBase = (failing: readonly CheckResult[], results: readonly CheckResult[]) =>
    compareWithBase(failing, { atBase: results, atTip: [] }).redOnBase;
  const atBase = (change: Partial<CheckResult>) => aRed({ id: 50, headSha: fakeSha('base'), event: 'push', ...change });

  it.each([
    ['a red result', [atBase({})], ['build']],
    ['one that timed out', [atBase({ conclusion: 'timed_out' })], ['build']],
    ['nothing', [], []],
    ['a green result', [atBase({ conclusion: 'success' })], []],
    ['one that was cancelled', [atBase({ conclusion: 'cancelled' })], []],
    ['one that runs', [atBase({ status: 'in_progress', conclusion: null })], []],
    ['a red one that is green by now', [atBase({}), atBase({ id: 51, startedAt: NOW, conclusion: 'success' })], []],
    ['one event red, another green', [atBase({}), atBase({ id: 51, event: 'schedule', conclusion: 'success' })], []],
    ['one event red, another too', [atBase({}), atBase({ id: 51, event: 'schedule' })], ['build']],
    ['another name', [atBase({ name: 'test' })], []],
    ['another App', [atBase({ appId: 1 })], []],
    ['a status of that name', [aStatus({ name: 'build', conclusion: 'failure', appId: 15368 })], []],
  ])('compares with %s at the base', (_what, results, expected) => {
    expect(findRedOnBase([aRed()], results)).toEqual(expected);
  });

  it('compares workflows where both tell theirs', () => {
    expect(findRedOnBase([aRed({ workflow: '1' })], [atBase({ workflow: '2' })])).toEqual([]);
    expect(findRedOnBase([aRed({ workflow: '1' })], [atBase({ workflow: '1' })])).toEqual(['build']);
    expect(findRedOnBase([aRed({ workflow: '1' })], [atBase({})])).toEqual(['build']);
    expect(findRedOnBase([aRed()], [atBase({ workflow: '2' })])).toEqual(['build']);
  });

  it('gives a name once, and only where each of its jobs is red on the base', () => {
    const failing = [aRed({ workflow: '1' }), aRed({ id: 2, workflow: '2' })];

    expect(findRedOnBase(failing, [atBase({ workflow: '1' })])).toEqual([]);
    expect(findRedOnBase(failing, [atBase({ workflow: '1' }), atBase({ id: 51, workflow: '2' })])).toEqual(['build']);
  });
});

describe('a base that moved on', () => {
  const base = (change: Partial<CheckResult> = {}) =>
    aRed({ id: 50, headSha: fakeSha('base'), event: 'push', ...change });
  const tip = (change: Partial<CheckResult> = {}) => base({ id: 60, headSha: fakeSha('tip'), ...change });

  it.each<[string, readonly CheckResult[], boolean]>([
    ['is green', [tip({ conclusion: 'success' })], true],
    ['is green at last', [tip(), tip({ id: 61, startedAt: NOW, conclusion: 'success' })], true],
    ['is red', [tip()], false],
    ['runs', [tip({ status: 'in_progress', conclusion: null })], false],
    ['was cancelled', [tip({ conclusion: 'cancelled' })], false],
    ['has no result', [], false],
    ['is green by another job', [tip({ name: 'lint', conclusion: 'success' })], false],
    ['is green and red', [tip({ conclusion: 'success' }), tip({ id: 61, event: 'schedule' })], false],
  ])('has repaired a job exactly where it %s', (_what, atTip, isRepaired) => {
    expect(compareWithBase([aRed()], { atBase: [base()], atTip })).toEqual({
      redOnBase: isRepaired ? [] : ['build'],
      repairedOnBase: isRepaired ? ['build'] : [],
    });
  });

  it('has repaired nothing that was not red there', () => {
    expect(compareWithBase([aRed()], { atBase: [], atTip: [tip({ conclusion: 'success' })] })).toEqual({
      redOnBase: [],
      repairedOnBase: [],
    });
  });
});

describe('toCiFailure', () => {
  const policy = DEFAULT_POLICY;
  const of = (diagnosis: Partial<Diagnosis>, { names = ['build'], ci = {} }: { names?: string[]; ci?: object } = {}) =>
    toCiFailure({
      diagnosis: aDiagnosis(diagnosis),
      failing: names.map((name, id) => aRed({ id, name })),
      headSha: fakeSha('head'),
      rerun: null,
      policy: { ci: { ...policy.ci, ...ci } },
      sameAsBefore: false,
    });
  const PERSON = [{ name: 'build', line: 'Bad credentials' }];

  it('finds nothing where nothing was found', () => {
    expect(of({})).toEqual(aFailure());
    expect(of({}, { names: [] })).toEqual(aFailure());
  });

  it('names a job that no code can mend once nothing else is left (S21)', () => {
    const [first] = PERSON;

    expect(of({ person: PERSON }).person).toBe(first);
    expect(of({ person: PERSON }, { names: ['build', 'test'] }).person).toBeNull();
    expect(of({ person: PERSON, redOnBase: ['test'] }, { names: ['build', 'test'] }).person).toBe(first);
    expect(
      of({ person: PERSON, redOnBase: ['test'] }, { names: ['build', 'test'], ci: { fixRedOnBase: true } }).person,
    ).toBeNull();
    expect(of({ redOnBase: ['build'] }).person).toBeNull();
  });

  it('is red on the base where every job is', () => {
    expect(of({ redOnBase: ['build'] }).redOnBase).toBe(true);
    expect(of({ redOnBase: ['build'] }, { names: ['build', 'test'] }).redOnBase).toBe(false);
    expect(of({ redOnBase: ['build'] }, { names: [] }).redOnBase).toBe(false);
  });

  it('is repaired on the base where a job is', () => {
    expect(of({ repairedOnBase: ['build'] }, { names: ['build', 'test'] }).repairedOnBase).toBe(true);
  });

  it('may run again where every job is flaky, and the policy re-runs', () => {
    expect(of({ flaky: ['build'] }).rerunnable).toBe(true);
    expect(of({ flaky: ['build'] }, { names: ['build', 'test'] }).rerunnable).toBe(false);
    expect(of({ flaky: ['build'] }, { ci: { rerunFlaky: false } }).rerunnable).toBe(false);
  });
});

describe('planRerun', () => {
  const known = { headSha: fakeSha('head'), flaky: ['build', 'e2e'], rerun: null };

  it('runs each workflow run once (S7)', () => {
    const failing = [aRed(), aRed({ id: 2, event: 'push', workflowRunId: 901 }), aRed({ id: 3, name: 'e2e' })];

    expect(planRerun(failing, known)).toEqual({ names: ['build', 'e2e'], workflowRunIds: [900, 901] });
  });

  it.each([
    ['nothing is red', []],
    ['one job is not flaky', [aRed(), aRed({ id: 2, name: 'test' })]],
    ['one job has no workflow run', [aRed(), aStatus({ name: 'e2e', conclusion: 'failure' })]],
  ])('does not where %s', (_what, failing) => {
    expect(planRerun(failing, known)).toBeNull();
  });

  it('runs no job of a head a second time (S7)', () => {
    const rerun = { headSha: fakeSha('head'), ciRunId: 'run-0', names: ['e2e'], at: NOW };

    expect(planRerun([aRed(), aRed({ id: 2, name: 'e2e' })], { ...known, rerun })).toBeNull();
    expect(planRerun([aRed()], { ...known, rerun })).not.toBeNull();
    expect(
      planRerun([aRed({ name: 'e2e' })], { ...known, rerun: { ...rerun, headSha: fakeSha('old') } }),
    ).not.toBeNull();
  });

  it('runs no more than so many runs', () => {
    const many = Array.from({ length: MAX_RERUNS }, (_, index) => aRed({ id: index, workflowRunId: index + 1 }));

    expect(planRerun(many, known)?.workflowRunIds).toHaveLength(MAX_RERUNS);
    expect(planRerun([...many, aRed({ workflowRunId: 77 })], known)).toBeNull();
  });
});

describe('the command that failed in a red job', () => {
  const base = { ciRunId: 'run-1', freshStart: 0, base: null, failures: [], unread: [], atBase: [], atTip: [] };
  const commandOf = (...failures: readonly Parameters<typeof aLogFailure>[0][]): string | null | undefined =>
    diagnoseFailure({ ...base, read: [{ ...aJob('it broke'), failures: failures.map(aLogFailure) }] }).jobs[0]?.command;

  it('is the one that ended the job, else the one whose output names a failure', () => {
    const failed = { kind: 'test', step: 'npm test' } as const;

    expect(commandOf(failed, { kind: 'exit', step: 'npm run lint' })).toBe('npm run lint');
    expect(commandOf({ kind: 'test' }, failed)).toBe('npm test');
  });

  it('is not known where the log shows none', () => {
    expect(commandOf({ kind: 'exit' })).toBeNull();
    expect(commandOf()).toBeNull();
  });
});

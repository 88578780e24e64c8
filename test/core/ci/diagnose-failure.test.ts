import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWithBase } from '../../../src/core/ci/compare-with-base.ts';
import { diagnoseFailure } from '../../../src/core/ci/diagnose-failure.ts';
import { normaliseLine, toFailureSignature } from '../../../src/core/ci/failure-signature.ts';
import type { FailedJob } from '../../../src/core/ci/looks-flaky.ts';
import { MAX_RERUNS, planRerun } from '../../../src/core/ci/plan-rerun.ts';
import { toCiFailure } from '../../../src/core/ci/to-ci-failure.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import type { Diagnosis } from '../../../src/core/model/workspace.ts';
import { aCheck, aDiagnosis, aFailure, aStatus, fakeSha, NOW } from '../../support/builders.ts';

const LOST = 'The hosted runner lost communication with the server.';
const WRONG = 'AssertionError: 1 != 2';

function aRed(change: Partial<CheckResult> = {}): CheckResult {
  return aCheck({ conclusion: 'failure', workflowRunId: 900, ...change });
}

function aJob(text: string | null, change: Partial<CheckResult> = {}, personLine: string | null = null): FailedJob {
  return { check: aRed(change), text, personLine };
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

describe('normaliseLine', () => {
  it.each([
    ['at 2026-01-02T03:04:05.678Z!', 'at <time>!'],
    ['at 2026-01-02 03:04:05,678+0100!', 'at <time>!'],
    ['at 2026-01-02 03:04:05-01:00!', 'at <time>!'],
    ['at 2026-01-02 03:04 ok', 'at <time> ok'],
    ['[03:04:05] a', '[<time>] a'],
    ['[3:04:05.123] a', '[<time>] a'],
    ['id 0b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5e', 'id <id>'],
    ['word-abcd-abcd-abcd-word', 'word-abcd-abcd-abcd-word'],
    ['a-bcde-bcde-bcde-abcdefabcdef', 'a-bcde-bcde-bcde-abcdefabcdef'],
    ['abcdefab-bcde-abcdefabcdef', 'abcdefab-bcde-abcdefabcdef'],
    ['at 0xC0ffee', 'at <address>'],
    ['in /tmp/a/b: no', 'in <temp>: no'],
    ['in /tmp: no', 'in <temp>: no'],
    ['in /var/folders/a: no', 'in <temp>: no'],
    ['in /private/var/a: no', 'in <temp>: no'],
    ['in /home/runner/work/_temp/a.sh: no', 'in <temp>: no'],
    ['in /home/runner/work/app/a.sh: no', 'in /home/runner/work/app/a.sh: no'],
    ['in C:\\Users\\me\\Temp\\a: no', 'in <temp>: no'],
    ['commit 4ec46eb', 'commit <hash>'],
    ['commit deadbeef1', 'commit <hash>'],
    ['commit 4ec46e', 'commit 4ec46e'],
    ['1234567 rows', '1234567 rows'],
    ['effaced', 'effaced'],
    ['12x4567a', '12x4567a'],
    ['zz4ec46ebzz', 'zz4ec46ebzz'],
    ['a.test.ts:12:15', 'a.test.ts:<place>'],
    ['a.ts:12', 'a.ts:<place>'],
    ['a.ts(12,15): no', 'a.ts(<place>): no'],
    ['line 120 of it', 'line <place> of it'],
    ['localhost:54321 refused', 'localhost:<port> refused'],
    ['127.0.0.1:8080 refused', '127.0.0.1:<port> refused'],
    ['a:123 and :5432', 'a:123 and :5432'],
    ['in 3s, 3 ms, 1.25 s', 'in <duration>, <duration>, <duration>'],
    ['12 ns, 1µs, 2 us', '<duration>, <duration>, <duration>'],
    ['1 sec, 2 secs', '<duration>, <duration>'],
    ['1 second, 2 seconds', '<duration>, <duration>'],
    ['1 min, 1 minute, 2 minutes', '<duration>, <duration>, <duration>'],
    ['ℹ duration_ms 246.133495', 'ℹ <duration>'],
    ['"duration": 12, Duration=3', '"<duration>, <duration>'],
    ['a preduration 4, a duration of 5', 'a preduration 4, a duration of 5'],
    ['3 files', '3 files'],
    ['  a \t b ', 'a b'],
  ])('makes of %j', (line, expected) => {
    expect(normaliseLine(line)).toBe(expected);
  });
});

describe('toFailureSignature', () => {
  const signature = (...texts: readonly string[]) =>
    toFailureSignature(
      texts.map((text, index) => aJob(text, { name: `job ${String(index)}`, id: index + 1 })),
      [],
    );

  it.each([
    ['instants', 'Error at 2026-01-02T03:04:05.678Z', 'Error at 2026-11-28T13:14:15Z'],
    ['instants with a zone', 'Error at 2026-01-02 03:04:05,678+01:00', 'Error at 2026-01-03 09:04'],
    ['clock times', '[03:04:05.1] Error', '[13:14:15] Error'],
    ['ids', 'Error of 0b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5e', 'Error of 1b7e4f1c-2d3a-4b5c-8d9e-0f1a2b3c4d5f'],
    ['addresses', 'panic: 0xc000123456', 'panic: 0xFF'],
    ['hashes', 'Error in commit 4ec46eb', 'Error in commit 364076f1a'],
    ['temporary folders', 'Error: /tmp/a-1/x is missing', 'Error: /tmp/b-2/y is missing'],
    ['temporary folders of macOS', 'Error: /var/folders/q1/x', 'Error: /var/folders/z9/y/z'],
    ['temporary folders of Windows', 'Error: C:\\Users\\me\\Temp\\x1', 'Error: C:\\Users\\me\\Temp\\y2'],
    ['temporary folders of runners', 'Error: /home/runner/work/_temp/1.sh', 'Error: /home/runner/work/_temp/2.sh'],
    ['places', 'Error at a.test.ts:12:5', 'Error at a.test.ts:14:7'],
    ['places of compilers', 'src/a.ts(12,5): error TS1', 'src/a.ts(14,7): error TS1'],
    ['places of Python', 'File "a.py", line 12, error', 'File "a.py", line 140, error'],
    ['ports', 'Error: connect localhost:54321', 'Error: connect localhost:40001'],
    ['durations', 'failed in 3.21s', 'failed in 12 s'],
    ['durations in words', 'Error after 3 seconds', 'Error after 14 seconds'],
    ['durations in milliseconds', '✗ adds (12 ms)', '✗ adds (7 ms)'],
    ['white space', 'Error:\t no', 'Error: no  '],
  ])('leaves out %s', (_what, one, other) => {
    expect(signature(one)).toBe(signature(other));
  });

  it.each([
    ['another value', 'Error: expected 3', 'Error: expected 4'],
    ['another count', '1 failed', '2 failed'],
    ['another file', 'Error at a.ts:1', 'Error at b.ts:1'],
    ['another message', 'Error: a', 'Error: b'],
    ['what stands before', 'src/a.ts differs\nError', 'src/b.ts differs\nError'],
    ['what stands three lines before', 'a\n\n\nError', 'b\n\n\nError'],
    ['a word of hexadecimal letters', 'Error in facade', 'Error in decade'],
  ])('changes with %s', (_what, one, other) => {
    expect(signature(one)).not.toBe(signature(other));
  });

  it('counts jobs that fail alike once: one for a push, one for the pull request', () => {
    const once = toFailureSignature([aJob(WRONG)], []);

    expect(toFailureSignature([aJob(WRONG), aJob(WRONG, { id: 2, event: 'push' })], [])).toBe(once);
    expect(toFailureSignature([aJob(WRONG), aJob(WRONG, { id: 2, name: 'e2e' })], [])).not.toBe(once);
  });

  it('changes with names and conclusions', () => {
    const of = (change: Partial<CheckResult>) => toFailureSignature([aJob('Error', change)], []);

    expect(new Set([of({}), of({ name: 'x' }), of({ conclusion: 'timed_out' }), of({ conclusion: null })]).size).toBe(
      4,
    );
    expect(of({ id: 77, startedAt: 1 })).toBe(of({}));
  });

  it('leaves out what speaks of no failure and stands elsewhere', () => {
    expect(signature('a\nb\nc\nd\nError\nmore')).toBe(signature('x\nb\nc\nd\nError\nless'));
  });

  it('holds one job for no other (trap 72)', () => {
    expect(signature('Error: a', 'Error: b')).not.toBe(signature('Error: b', 'Error: a'));
  });

  it('is like no other where a job could not be read', () => {
    const unreadable = (change: Partial<CheckResult>, text: string | null = null) =>
      toFailureSignature([aJob(text, change)], []);

    expect(unreadable({ id: 1 })).not.toBe(unreadable({ id: 2 }));
    expect(unreadable({ startedAt: 1 })).not.toBe(unreadable({ startedAt: 2 }));
    expect(unreadable({ startedAt: null })).toBe(unreadable({ startedAt: null }));
    expect(unreadable({ id: 1 }, '\n \n')).not.toBe(unreadable({ id: 2 }, '\n \n'));
    expect(unreadable({ id: 1 }, 'all is well')).not.toBe(unreadable({ id: 2 }, 'all is well'));
  });

  it('counts what nobody tried to read by name and conclusion', () => {
    const read = [aJob('Error')];
    const of = (change: Partial<CheckResult>) => toFailureSignature(read, [aRed({ name: 'x', ...change })]);

    expect(of({ id: 1 })).toBe(of({ id: 2 }));
    expect(of({})).not.toBe(of({ name: 'y' }));
    expect(of({})).not.toBe(toFailureSignature(read, []));
  });

  it('looks at the first part of a line, and at so many lines', () => {
    const long = `Error ${'x'.repeat(300)}`;
    const many = Array.from({ length: 250 }, (_, index) => `Error ${String(index).padStart(3, '0')}`);

    expect(signature(`${long}a`)).toBe(signature(`${long}b`));
    expect(signature(many.join('\n'))).toBe(signature(many.slice(0, 200).join('\n')));
    expect(signature(many.join('\n'))).not.toBe(signature(many.slice(0, 199).join('\n')));
  });

  it('is short, and the same in any order of jobs and lines', () => {
    const line = fc.constantFrom('Error: a', 'Error: b', 'FAILED c', 'fatal: d');
    const job = fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.array(line, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(job, { maxLength: 5 }), (jobs) => {
        const of = (all: typeof jobs) =>
          toFailureSignature(
            all.map(([name, lines]) => aJob(lines.join('\n'), { name })),
            [],
          );

        expect(of(jobs)).toMatch(/^[0-9a-z]{22}$/u);
        expect(
          of(
            jobs
              .map(([name, lines]) => [name, [...lines, ...lines].reverse()] as const)
              .reverse()
              .map(([n, l]) => [n, [...l]]),
          ),
        ).toBe(of(jobs));
      }),
    );
  });
});

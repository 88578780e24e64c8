import { describe, expect, it } from 'vitest';
import type { FailedJob } from '../../../src/core/ci/failed-job.ts';
import { recallFlakes, toFlakeSubjects, toProvenFlakes, toTestIds } from '../../../src/core/ci/known-flakes.ts';
import type { FailureClass } from '../../../src/core/model/failure-class.ts';
import type { ProvenFlake } from '../../../src/core/model/proven-flake.ts';
import { aCheck, aLogFailure, fakeSha } from '../../support/builders.ts';

const DAY_MS = 24 * 60 * 60_000;
const test = (testId: string | null) => aLogFailure({ kind: 'test', testId });

function aJob(is: FailureClass, failures: FailedJob['failures'] = []): FailedJob {
  const classified = { class: is, line: 'a line', rule: 'a-rule', personLine: null };
  return { check: aCheck({ name: 'unit' }), failures, lines: [], classified };
}

const proof = (subject: string, day: number): ProvenFlake => ({
  subject,
  headSha: fakeSha(`h${day}`),
  at: day * DAY_MS,
});
const twice = (subject: string) => [proof(subject, 1), proof(subject, 3)];

describe('what must be known as flaky', () => {
  it('are the failed tests, each once', () => {
    expect(toFlakeSubjects(aJob('code', [test('a'), test('b'), test('a')]))).toEqual(['test a', 'test b']);
    expect(toFlakeSubjects(aJob('unknown', [test('a')]))).toEqual(['test a']);
  });

  it('is the check where no test is known and nothing says why', () => {
    expect(toFlakeSubjects(aJob('unknown'))).toEqual(['check unit']);
    expect(toFlakeSubjects(aJob('unknown', [test(null), aLogFailure({ kind: 'mention', testId: 'x' })]))).toEqual([
      'check unit',
    ]);
    expect(toFlakeSubjects(aJob('code'))).toEqual([]);
  });

  it('is nothing where a compiler names a place', () => {
    expect(toFlakeSubjects(aJob('code', [test('a'), aLogFailure({ kind: 'place' })]))).toEqual([]);
  });

  it('is bounded in number and length', () => {
    expect(toTestIds(aJob('code', [test('x'.repeat(301))]))).toEqual(['x'.repeat(300)]);
    expect(
      toTestIds(
        aJob(
          'code',
          Array.from({ length: 21 }, (_, index) => test(String(index))),
        ),
      ),
    ).toHaveLength(20);
  });
});

describe('recallFlakes', () => {
  const jobs = aJob('code', [test('a')]);

  it('finds a flake where all that failed was proven twice to be one', () => {
    expect(recallFlakes(jobs, twice('test a'))).toEqual({
      ...{ class: 'flake', rule: 'known-flake', personLine: null },
      line: '"a" failed and passed at the same commit on 1970-01-02, 1970-01-04',
    });
    expect(recallFlakes(aJob('unknown'), twice('check unit'))).toMatchObject({ class: 'flake' });
    expect(recallFlakes(aJob('code', [test('a'), test('b')]), [...twice('test b'), ...twice('test a')]).line).toBe(
      '"a" and 1 more failed and passed at the same commit on 1970-01-02, 1970-01-04',
    );
    expect(recallFlakes(jobs, [proof('test a', 1), { ...proof('test a', 1), headSha: fakeSha('z') }]).line).toBe(
      '"a" failed and passed at the same commit on 1970-01-02',
    );
  });

  it.each<[string, FailedJob, readonly ProvenFlake[]]>([
    ['was proven once', jobs, [proof('test a', 1)]],
    ['was never proven', jobs, []],
    ['is another test', jobs, twice('test b')],
    ['is one of two tests', aJob('code', [test('a'), test('b')]), twice('test a')],
    ['has the name of a check', jobs, twice('check a')],
    ['is a person’s', aJob('person', [test('a')]), twice('test a')],
    ['is the infrastructure’s', aJob('infrastructure', [test('a')]), twice('test a')],
    ['names nothing', aJob('code'), twice('check unit')],
  ])('changes nothing where what failed %s', (_what, job, proofs) => {
    expect(recallFlakes(job, proofs)).toBe(job.classified);
  });
});

describe('toProvenFlakes', () => {
  const flake = { name: 'unit', headSha: fakeSha('h'), at: 5 };
  const job = { name: 'unit', class: 'code', line: null, rule: null, command: null, tests: ['a', 'b'] } as const;
  const subjects = (...jobs: Parameters<typeof toProvenFlakes>[1]) =>
    toProvenFlakes(flake, jobs).map(({ subject }) => subject);

  it('proves it of the tests that failed, else of the check', () => {
    expect(toProvenFlakes(flake, [{ ...job, name: 'e2e', tests: ['c'] }, job])).toEqual([
      { subject: 'test a', headSha: flake.headSha, at: 5 },
      { subject: 'test b', headSha: flake.headSha, at: 5 },
    ]);
    expect(subjects({ ...job, tests: [] })).toEqual(['check unit']);
    expect(subjects()).toEqual(['check unit']);
  });

  it('proves nothing where a person mended something', () => {
    expect(subjects({ ...job, class: 'person' })).toEqual([]);
  });
});

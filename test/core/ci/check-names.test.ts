import { describe, expect, it } from 'vitest';
import { type CiInput, toCiVerdict } from '../../../src/core/ci/ci-verdict.ts';
import { compareWithBase } from '../../../src/core/ci/compare-with-base.ts';
import {
  describeIgnoredRequired,
  describeOwnRequired,
  findIgnoredRequired,
  findOwnRequired,
} from '../../../src/core/ci/ignored-required.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { aCheck, aStatus, fakeSha, NOW } from '../../support/builders.ts';

const ANY_CASE = { settleSeconds: 0, required: null, ignore: [] };

function statusOf(checks: readonly CheckResult[], policy: Partial<CiInput['policy']> = {}): string {
  const { status } = toCiVerdict({
    headSha: fakeSha('head'),
    headPushedAt: NOW - 1,
    now: NOW,
    ownAppId: null,
    checks,
    policy: { ...ANY_CASE, ...policy },
    noCiProven: false,
  });
  return status;
}

const redStatus = (name: string) => aStatus({ name, conclusion: 'failure' });
const redOnBase = (failing: readonly CheckResult[], atBase: readonly CheckResult[]) =>
  compareWithBase(failing, { atBase, atTip: [] }).redOnBase;
const newerStatus = (name: string) => aStatus({ id: 901, name, startedAt: NOW });

describe('the case of a name', () => {
  it('says nothing in the context of a status, as on GitHub: the newer one replaces the older', () => {
    expect(statusOf([redStatus('CI/Build'), newerStatus('ci/build')])).toBe('success');
    expect(statusOf([redStatus('ci/build'), newerStatus('CI/Build')])).toBe('success');
    expect(statusOf([redStatus('ci/build'), newerStatus('ci/built')])).toBe('failure');
  });

  it('tells two check runs apart, and a check run from a status', () => {
    const red = aCheck({ name: 'Build', conclusion: 'failure' });

    expect(statusOf([red, aCheck({ id: 900, name: 'build', startedAt: NOW })])).toBe('failure');
    expect(statusOf([red, newerStatus('Build')])).toBe('failure');
  });

  it.each<[string, CheckResult, string]>([
    ['a status in another case', aStatus({ name: 'ci/BUILD' }), 'success'],
    ['a red status in another case', redStatus('ci/BUILD'), 'failure'],
    ['a check run of that name', aCheck({ name: 'CI/build' }), 'success'],
    ['a check run in another case', aCheck({ name: 'ci/build' }), 'pending'],
  ])('of a required name is met by %s', (_what, check, status) => {
    expect(statusOf([check], { required: ['CI/build'] })).toBe(status);
  });

  it('of an ignored name covers statuses in any case, and check runs in its own', () => {
    const ignore = ['Codecov/*'];

    expect(statusOf([aCheck(), redStatus('codecov/PATCH')], { ignore })).toBe('success');
    expect(statusOf([aCheck(), aCheck({ id: 2, name: 'Codecov/patch', conclusion: 'failure' })], { ignore })).toBe(
      'success',
    );
    expect(statusOf([aCheck(), aCheck({ id: 2, name: 'codecov/patch', conclusion: 'failure' })], { ignore })).toBe(
      'failure',
    );
  });

  it('says nothing either where a status is compared with the base', () => {
    const failing = [redStatus('CI/Build')];

    expect(redOnBase(failing, [redStatus('ci/build')])).toEqual(['CI/Build']);
    expect(redOnBase([aCheck({ name: 'Build', conclusion: 'failure' })], [aCheck({ name: 'build' })])).toEqual([]);
  });
});

describe('findIgnoredRequired', () => {
  it.each<[string, readonly string[] | null | undefined, readonly string[] | undefined, readonly string[]]>([
    ['a name that is both', ['test', 'lint'], ['lint'], ['lint']],
    ['a name that a glob covers', ['codecov/patch', 'test'], ['codecov/*'], ['codecov/patch']],
    ['a name once, however often it is required', ['lint', 'lint'], ['lint', 'l*'], ['lint']],
    ['nothing in another case', ['lint'], ['Lint'], []],
    ['nothing where nothing is required', null, ['*'], []],
    ['nothing where required is left out', undefined, ['*'], []],
    ['nothing where nothing is ignored', ['lint'], undefined, []],
  ])('finds %s', (_what, required, ignore, found) => {
    expect(findIgnoredRequired({ required, ignore })).toEqual(found);
  });

  it('is told in one line', () => {
    expect(describeIgnoredRequired(['lint'])).toBe('"lint" can never count: `ignore` leaves it out');
    expect(describeIgnoredRequired(['a', 'b'])).toBe('"a", "b" can never count: `ignore` leaves them out');
    expect(describeIgnoredRequired(['a', 'b', 'c', 'd'])).toContain('"a", "b", "c" and 1 more can never count');
  });
});

describe('findOwnRequired', () => {
  it('finds the names of our own check runs', () => {
    expect(findOwnRequired({ required: ['test', 'Ratchet / quality', 'Ratchet', 'Ratchet / config'] })).toEqual([
      'Ratchet',
      'Ratchet / config',
      'Ratchet / quality',
    ]);
    expect(findOwnRequired({ required: ['ratchet', 'Ratchet / other'] })).toEqual([]);
    expect(findOwnRequired({ required: null })).toEqual([]);
    expect(findOwnRequired({})).toEqual([]);
  });

  it('is told in one line', () => {
    expect(describeOwnRequired(['Ratchet'])).toBe('"Ratchet" can never count: Ratchet\'s own check runs are left out');
  });
});

import { describe, expect, it } from 'vitest';
import { type CiInput, toCiVerdict } from '../../../src/core/ci/ci-verdict.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { aCheck, fakeSha, NOW } from '../../support/builders.ts';

const POLICY = { settleSeconds: 60, required: null, ignore: [] };

function verdict(checks: readonly CheckResult[], change: Partial<CiInput<CheckResult>> = {}) {
  return toCiVerdict({
    headSha: fakeSha('head'),
    headPushedAt: NOW - 3_600_000,
    now: NOW,
    ownAppId: null,
    checks,
    policy: POLICY,
    noCiProven: false,
    ...change,
  });
}

describe('the name that a missing required check may have', () => {
  const missing = (name: string, names: readonly string[], change: Partial<CiInput<CheckResult>> = {}) =>
    verdict(
      names.map((one, id) => aCheck({ id, name: one })),
      { policy: { ...POLICY, required: [name] }, ...change },
    );

  it.each([
    ['test', 'ci / test', 'ci / test'],
    ['ci / test', 'test', 'test'],
    ['test', 'test (20)', 'test (20)'],
    ['test (18)', 'test', 'test'],
    ['test', 'ci / test (20, ubuntu)', 'ci / test (20, ubuntu)'],
    ['test (20)', 'ci / test (20)', 'ci / test (20)'],
    ['test', 'test / unit', 'test / unit'],
    ['Test', 'test', 'test'],
    ['ci/test', 'ci / test', 'ci / test'],
    ['unit-test', 'unit test', 'unit test'],
    ['tests', 'test', 'test'],
    ['deploy-preview', 'deploy-previw', 'deploy-previw'],
    ['test', 'lint', null],
    ['cla', 'ci', null],
    ['test', 'latest', null],
    ['…', '—', null],
    ['test', 'test(20)', 'test(20)'],
    ['test', 'test  (20) ', 'test  (20) '],
    ['test', 'test (20) of it', null],
    ['test', 'a (20) test', null],
    ['test', 'a-test', null],
    ['unit', 'a/b/unit', 'a/b/unit'],
    ['unit', 'a/b/c unit', null],
    ['ÄB', 'ä - b', 'ä - b'],
    ['t', 'x', null],
  ])('of %j beside %j is %j', (name, other, near) => {
    expect(missing(name, ['zzz', other]).missing).toEqual(near === null ? [] : [{ name, near }]);
  });

  it('is told in the reason', () => {
    expect(missing('test', ['ci / test']).reason).toBe('There is no result of "test" yet; "ci / test" has reported.');
    const many = { policy: { ...POLICY, required: ['test', 'lint', 'cla'] } };
    expect(verdict([aCheck({ id: 1, name: 'ci / test' }), aCheck({ id: 2, name: 'ci / lint' })], many)).toMatchObject({
      reason: 'There is no result of "test", "lint", "cla" yet; "ci / test", "ci / lint" have reported.',
      missing: [
        { name: 'test', near: 'ci / test' },
        { name: 'lint', near: 'ci / lint' },
        { name: 'cla', near: null },
      ],
    });
  });

  it('is the likeliest, and the first of equals, in any order', () => {
    expect(missing('test', ['test / unit', 'b / test', 'a / test', 'test (20)']).missing[0]?.near).toBe('test (20)');
    expect(missing('test', ['test / unit', 'b / test', 'a / test']).missing[0]?.near).toBe('a / test');
  });

  it('is no other required one, no workflow run and no ignored one', () => {
    const checks = [aCheck({ id: 1, name: 'ci / test' }), aCheck({ id: 2, name: 'test (20)', isRun: true })];
    const of = (policy: Partial<CiInput['policy']>) => verdict(checks, { policy: { ...POLICY, ...policy } }).missing;

    expect(of({ required: ['test', 'ci / test'] })).toEqual([]);
    expect(of({ required: ['test'], ignore: ['ci*'] })).toEqual([]);
    expect(of({ required: ['test'] })).toEqual([{ name: 'test', near: 'ci / test' }]);
  });

  it('waits until the head is old enough', () => {
    expect(missing('test', ['ci / test'], { headPushedAt: NOW - 1000 })).toMatchObject({
      missing: [],
      reason: 'There is no result of "test" yet.',
      settlesAt: NOW + 59_000,
    });
  });

  it('does not count the result of a workflow run of that name', () => {
    const run = aCheck({ id: 2, name: 'test', isRun: true, status: 'in_progress', conclusion: null });

    expect(verdict([run], { policy: { ...POLICY, required: ['test'] } })).toMatchObject({
      status: 'pending',
      reason: 'There is no result of "test" yet.',
      isRunning: true,
    });
  });
});

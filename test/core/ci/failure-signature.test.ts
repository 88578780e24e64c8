import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FailedJob } from '../../../src/core/ci/failed-job.ts';
import { toFailureSignature } from '../../../src/core/ci/failure-signature.ts';
import { normaliseLine } from '../../../src/core/ci/normalise-line.ts';
import { toFailureLines } from '../../../src/core/ci/to-failure-lines.ts';
import type { LogFailure } from '../../../src/core/evidence/log-failure.ts';
import { readLog } from '../../../src/core/evidence/read-log.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { isSameFailure } from '../../../src/core/sessions/is-same-failure.ts';
import { aCheck, aFixup, aLogFailure, aPush, aSession } from '../../support/builders.ts';
import { DIFFERENT, EQUAL, toLog } from './failure-pairs.ts';

type Signed = Pick<FailedJob, 'check' | 'failures' | 'lines'>;

const WRONG = 'AssertionError: 1 != 2';

function aJob(log: string | null, change: Partial<CheckResult> = {}, failures: readonly LogFailure[] = []): Signed {
  const lines = toFailureLines({ messages: [], log });
  return { check: aCheck({ conclusion: 'failure', workflowRunId: 900, ...change }), failures, lines };
}

const signature = (...logs: readonly string[]) =>
  toFailureSignature(
    logs.map((log, index) => aJob(log, { name: `job ${String(index)}`, id: index + 1 })),
    [],
  );

describe('toFailureSignature', () => {
  it.each(EQUAL)('leaves out %s', (_what, left, right) => {
    expect(signature(left)).toBe(signature(right));
  });

  it.each(DIFFERENT)('changes with %s', (_what, left, right) => {
    expect(signature(left)).not.toBe(signature(right));
  });

  it('has pairs enough to say so', () => {
    expect(EQUAL.length + DIFFERENT.length).toBeGreaterThanOrEqual(60);
  });

  it('keeps the last of very many failures', () => {
    const many = Array.from({ length: 400 }, (_, index) => `error: ${'abcdefghij'.repeat(2)} is ${'x'.repeat(index)}`);

    expect(signature([...many, 'error: one'].join('\n'))).not.toBe(signature([...many, 'error: two'].join('\n')));
  });

  it('takes the end of a step where nothing in it speaks of a failure', () => {
    const of = (...lines: readonly string[]) => signature([...lines, 'The command "x" exited with 1.'].join('\n'));

    expect(of('$ lint', 'a.md is too long')).toBe(of('$ npm ci', 'added 3', '$ lint', 'a.md is too long'));
    expect(of('$ lint', 'a.md is too long')).not.toBe(of('$ lint', 'b.md is too long'));
    expect(of('a', ...'123456789'.repeat(2).split(''), 'end')).toBe(of('b', ...'123456789'.repeat(2).split(''), 'end'));
  });

  it('takes what stands around a single line of failure', () => {
    expect(signature('src/a.ts differs\nError')).not.toBe(signature('src/b.ts differs\nError'));
    expect(signature('a\n\n\nError')).not.toBe(signature('b\n\n\nError'));
    expect(signature('a\nError: 1\nfatal: 2\nfailed 3')).toBe(signature('b\nError: 1\nfatal: 2\nfailed 3'));
  });

  it('leaves out what came after the failure of the step', () => {
    expect(signature(`${toLog({})}\nPost job cleanup.\nError: no cache`)).toBe(signature(toLog({})));
  });

  it('takes failing tests and places of the log, without their lines', () => {
    const of = (change: Partial<LogFailure>) => toFailureSignature([aJob('x', {}, [aLogFailure(change)])], []);
    const test = { kind: 'test', testId: 'adds', path: 'a.ts' } as const;
    const place = { kind: 'place', path: 'a.ts', rule: 'R1', message: 'no (3 ms)' } as const;

    expect(of({ ...test, line: 3, message: 'a' })).toBe(of({ ...test, line: 9, message: 'b' }));
    expect(of(test)).not.toBe(of({ ...test, testId: 'subtracts' }));
    expect(of(test)).not.toBe(of({ ...test, path: 'b.ts' }));
    expect(of(place)).toBe(of({ ...place, line: 9, message: 'no (14 ms)' }));
    expect(of(place)).not.toBe(of({ ...place, rule: 'R2' }));
    expect(of(place)).not.toBe(of({ ...place, path: 'b.ts' }));
    expect(of(place)).not.toBe(of({ ...place, message: 'yes' }));
    for (const kind of ['mention', 'exit', 'exception'] as const) expect(of({ kind })).toBe(of({ kind: 'mention' }));
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

  it('holds one job for no other (trap 72)', () => {
    expect(signature('Error: a', 'Error: b')).not.toBe(signature('Error: b', 'Error: a'));
  });

  it('is like no other where a job could not be read', () => {
    const unreadable = (change: Partial<CheckResult>, log: string | null = null) =>
      toFailureSignature([aJob(log, change)], []);

    expect(unreadable({ id: 1 })).not.toBe(unreadable({ id: 2 }));
    expect(unreadable({ startedAt: 1 })).not.toBe(unreadable({ startedAt: 2 }));
    expect(unreadable({ startedAt: null })).toBe(unreadable({ startedAt: null }));
    expect(unreadable({ id: 1 }, '\n \n')).not.toBe(unreadable({ id: 2 }, '\n \n'));
    expect(unreadable({ id: 1 }, 'ok 1 - a')).not.toBe(unreadable({ id: 2 }, 'ok 1 - a'));
  });

  it('counts what nobody tried to read by name and conclusion', () => {
    const read = [aJob('Error')];
    const of = (change: Partial<CheckResult>) =>
      toFailureSignature(read, [aCheck({ conclusion: 'failure', ...change })]);

    expect(of({ id: 1 })).toBe(of({ id: 2 }));
    expect(of({})).not.toBe(of({ name: 'y' }));
    expect(of({})).not.toBe(toFailureSignature(read, []));
  });

  it('is short, and the same in any order of jobs and lines', () => {
    const line = fc.constantFrom('Error: a', 'Error: b', 'FAILED c', 'fatal: d');
    const job = fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.array(line, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(job, { maxLength: 5 }), (jobs) => {
        const of = (all: readonly (readonly [string, readonly string[]])[]) =>
          toFailureSignature(
            all.map(([name, lines]) => aJob(lines.join('\n'), { name })),
            [],
          );
        const turned = jobs.map(([name, lines]) => [name, [...lines, ...lines].reverse()] as const).reverse();

        expect(of(jobs)).toMatch(/^3\.[0-9a-z]{22}$/u);
        expect(of(turned)).toBe(of(jobs));
      }),
    );
  });

  it.each([
    [
      'spec',
      (ms: string) =>
        `▶ math\n  ✔ works (0.1${ms}ms)\n  ✖ adds (27${ms}ms)\nℹ duration_ms 6${ms}\n\n✖ failing tests:\n\n✖ adds (27${ms}ms)`,
    ],
    [
      'tap',
      (ms: string) =>
        `not ok 1 - adds\n  ---\n  duration_ms: 2${ms}\n  error: 'wrong'\n  ...\n# fail 1\n# duration_ms 3${ms}`,
    ],
    [
      'junit',
      (ms: string) =>
        `<testcase name="adds" time="0.0${ms.replace('.', '')}" failure="expected 1 to equal 2"/>\n<!-- duration_ms 4${ms} -->`,
    ],
  ])(
    'of a failure of node:test is the same however long it took, as its reporter %s prints it',
    (_reporter, toText) => {
      const of = (ms: string, name = 'adds') => {
        const text = toText(ms).replaceAll('adds', name);
        const failures = readLog(text, 10_000).failures.map(({ failure }) => failure);
        return toFailureSignature([aJob(text, {}, failures)], []);
      };

      expect(of('8.123886')).toBe(of('4.623115'));
      expect(of('8.123886')).not.toBe(of('8.123886', 'takes'));
    },
  );

  it('equals none of an earlier version: whether the failure is the same is not known, and one attempt more may be made', () => {
    const now = toFailureSignature([aJob(WRONG)], []);
    const before = now.slice('3.'.length);
    const ended = (of: string) => [aSession(aPush(), { fixup: aFixup({ action: 'FIX_CI', signature: of }) })];

    expect(isSameFailure(ended(before), now)).toBe(false);
    expect(isSameFailure(ended(now), now)).toBe(true);
    // A diagnosis that was stored before the upgrade is kept with its CI result.
    expect(isSameFailure(ended(before), before)).toBe(true);
  });
});

describe('normaliseLine', () => {
  it.each([
    ['at 2026-01-02T03:04:05.678Z!', 'at <time>!'],
    ['[3:04:05.123] a', '[<time>] a'],
    ['word-abcd-abcd-abcd-word', 'word-abcd-abcd-abcd-word'],
    ['in /home/runner/work/app/a.sh: no', 'in /home/runner/work/app/a.sh: no'],
    ['commit 4ec46eb', 'commit <hash>'],
    ['commit 4ec46e', 'commit 4ec46e'],
    ['effaced', 'effaced'],
    ['zz4ec46ebzz', 'zz4ec46ebzz'],
    ['a.test.ts:12:15', 'a.test.ts:<place>'],
    ['a.ts(12,15): no', 'a.ts(<place>): no'],
    ['a.java:[12,15] no', 'a.java:[#,#] no'],
    ['line 120 is it', 'line <place> is it'],
    ['line 120 of it', 'line 120 of it'],
    ['3 files', '# files'],
    ['status 404, exit code 2, v2', 'status 404, exit code 2, v2'],
    ['expected 3 files in 2 s', 'expected 3 files in 2 s'],
    ['- 12', '- 12'],
    ['E   3 == 4', 'E 3 == 4'],
    ['  a \t b ', 'a b'],
    ['x'.repeat(500), 'x'.repeat(400)],
  ])('makes of %j', (line, expected) => {
    expect(normaliseLine(line)).toBe(expected);
  });
});

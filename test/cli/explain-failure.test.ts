import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explain, runExplain } from '../../src/cli/explain.ts';

const OFFLINE = 'E: Failed to fetch http://deb.debian.org/x.deb  503  Service Unavailable';
const WRONG = 'src/a.ts(3,5): error TS2322: no';

const Answer = z.record(z.string(), z.unknown());

function answer(input: unknown): Readonly<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = explain('failure', JSON.stringify(input));
  expect([exitCode, stderr]).toEqual([0, '']);
  return Answer.parse(JSON.parse(stdout));
}

const job = (log: string | null, change: object = {}) => ({ name: 'test', log, ...change });
const run = (...args: readonly string[]) =>
  runExplain(['failure', ...args], () =>
    Promise.resolve(
      JSON.stringify({ jobs: [job(Array.from({ length: 900 }, (_, index) => `step ${index}`).join('\n'))] }),
    ),
  );

describe('explain failure', () => {
  it('answers with class, line, signature, excerpt, files and findings', () => {
    const said = answer({ jobs: [job(WRONG)], files: ['src/a.ts', 'lib/b.ts'] });

    expect(said).toMatchObject({
      ...{ name: 'test', class: 'code', why: WRONG, excerpt: WRONG, named: ['src/a.ts'] },
      findings: [{ job: 'test', kind: 'place', path: 'src/a.ts', line: 3, rule: 'TS2322' }],
      jobs: [{ name: 'test', class: 'code' }],
    });
    expect(said['signature']).toMatch(/^3\.[0-9a-z]{22}$/u);
  });

  it.each([
    ['infrastructure', [job(OFFLINE)], OFFLINE],
    ['flake', [job('Error: Test timed out in 5000ms.')], 'Error: Test timed out in 5000ms.'],
    ['person', [job('##[error]Bad credentials')], 'Bad credentials'],
    ['unknown', [job(null)], 'No line says why.'],
    ['infrastructure', [job(null, { conclusion: 'timed_out' })], 'The conclusion says that no test ran to its end.'],
    ['code', [job(OFFLINE), job(WRONG, { name: 'lint' })], WRONG],
    ['infrastructure', [job(null, { annotations: [OFFLINE] })], `##[error]${OFFLINE}`],
    ['infrastructure', [job(null, { annotations: [{ message: OFFLINE, path: 'x' }] })], `##[error]${OFFLINE}`],
    ['unknown', [job(null, { annotations: [{ message: OFFLINE, annotation_level: 'warning' }] })], 'No line says why.'],
  ])('finds %s', (is, jobs, why) => {
    expect(answer({ jobs })).toMatchObject({ class: is, why });
  });

  it('gives equal failures equal signatures', () => {
    const of = (log: string) => answer({ jobs: [job(log)] })['signature'];

    expect(of(`${WRONG} (3 ms)`)).toBe(of(`${WRONG} (14 ms)`));
    expect(of(WRONG)).not.toBe(of(WRONG.replace('2322', '2345')));
  });

  it('limits the excerpt', async () => {
    const excerpt = async (...args: readonly string[]) =>
      String(Answer.parse(JSON.parse((await run(...args)).stdout))['excerpt']).length;

    expect(await excerpt('--max-bytes', '300')).toBeLessThanOrEqual(300);
    expect(await excerpt('--max-bytes=600', '--json')).toBeLessThanOrEqual(600);
    expect(await excerpt()).toBeGreaterThan(600);
  });

  it.each([
    [['--max-bytes'], '--max-bytes: expected a whole number, at least 256'],
    [['--max-bytes', '12'], '--max-bytes: expected a whole number, at least 256'],
    [['--max-bytes', '1e9'], '--max-bytes: expected a whole number, at least 256'],
    [['--max-bytes', '300', 'x'], 'unexpected argument "x"'],
    [['--bytes'], 'unexpected argument "--bytes"'],
  ])('refuses %j', async (args, problem) => {
    expect(await run(...args)).toEqual({ exitCode: 2, stdout: '', stderr: `explain failure: ${problem}\n` });
  });

  it.each([
    [{}, 'jobs'],
    [{ jobs: [] }, 'expected at least one job'],
    [{ jobs: [job(null, { conclusion: 'odd' })] }, 'conclusion'],
    [{ jobs: [job(null, { logs: 'x' })] }, 'logs'],
  ])('refuses the input %j', (input, problem) => {
    const { exitCode, stderr } = explain('failure', JSON.stringify(input));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(problem);
  });
});

import { describe, expect, it } from 'vitest';
import { narrowPlan } from '../../../src/core/engines/narrow-plan.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import { planTasks } from '../../../src/core/tasks/plan-tasks.ts';
import { planEngineValidation } from '../../../src/core/tasks/plan-validation.ts';
import { aKnown, aLint, anUnloaded, aSource, aTasksInput, aTest, found, ROOT } from './task-stories.ts';

const { place } = aTasksInput();
const criteria = { require_exit_code_0: true, max_new_findings: 0, min_coverage_delta: null };
const validate = (id: string, files: readonly string[], project = '.') =>
  planEngineValidation(aSource(id, {}, project), files, { place, criteria });
const words = (id: string, files: readonly string[], project?: string) =>
  validate(id, files, project).commands[0]?.args ?? [];

describe('the validation of a task', () => {
  it('runs pytest again over the file of tests, by the interpreter of the project (001.R18, R23)', () => {
    const { commands, check, successCriteria } = validate('pytest', ['tests/test_a.py']);

    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({ runner: 'python', cwd: '.', timeout_seconds: 1800 });
    expect(commands[0]?.args.slice(0, 3)).toEqual([`${ROOT}/.venv/bin/python`, '-m', 'pytest']);
    expect(commands[0]?.args.at(-1)).toBe('tests/test_a.py');
    expect(check).toEqual({ engine: 'pytest', project: '.', paths: ['tests/test_a.py'] });
    expect(successCriteria).toBe(criteria);
  });

  it('runs Vitest and Jest over the file of tests (001.R55)', () => {
    expect(validate('vitest', ['src/a.test.ts']).commands[0]?.runner).toBe('node');
    expect(words('vitest', ['src/a.test.ts']).slice(0, 3)).toEqual([
      '/usr/bin/node',
      `${ROOT}/node_modules/vitest/vitest.mjs`,
      'run',
    ]);
    expect(words('vitest', ['src/a.test.ts']).at(-1)).toBe('src/a.test.ts');
    expect(words('jest', ['src/a.test.ts']).slice(-2)).toEqual(['--runTestsByPath', 'src/a.test.ts']);
  });

  it('runs a linter over the file, go test over its package, and a type checker over the project (001.R53, R54)', () => {
    expect(words('eslint', ['src/a.js']).at(-1)).toBe('src/a.js');
    expect(words('ruff', ['src/a.py']).slice(0, 4)).toEqual([`${ROOT}/.venv/bin/python`, '-m', 'ruff', 'check']);
    expect(words('ruff', ['src/a.py']).at(-1)).toBe('src/a.py');
    expect(validate('go-test', ['pkg/a_test.go']).commands[0]?.runner).toBe('generic');
    expect(words('go-test', ['pkg/a_test.go']).at(-1)).toBe('./pkg');
    expect(words('mypy', ['src/a.py'])).toEqual(words('mypy', []));
  });

  it('names the files from the folder of their project', () => {
    expect(words('vitest', ['packages/x/a.test.ts'], 'packages/x').at(-1)).toBe('a.test.ts');
    expect(words('pytest', ['py/tests/test_a.py'], 'py').at(-1)).toBe('tests/test_a.py');
  });

  it('lets no name of a file be an option', () => {
    expect(words('vitest', ['-u.test.ts']).at(-1)).toBe('./-u.test.ts');
    expect(words('pytest', ['--collect-only']).at(-1)).toBe('./--collect-only');
  });

  it('has all commands of a tool that needs several, and the time limit of the policy', () => {
    const settings = { ...DEFAULT_ENGINE_SETTINGS, timeoutSeconds: 7 };
    const { commands } = planEngineValidation(aSource('coverage', { settings }), [], { place, criteria });

    expect(commands).toHaveLength(3);
    expect(commands.map(({ timeout_seconds: seconds }) => seconds)).toEqual([7, 7, 7]);
  });

  it('keeps the plan of a tool where there is nothing to narrow', () => {
    const narrowed = (id: string, files: readonly string[], project?: string) => {
      const { spec, plan } = aSource(id, {}, project);
      return narrowPlan(spec, plan, files) === plan;
    };

    expect(narrowed('pytest', [])).toBe(true);
    expect(narrowed('tsc', ['src/a.ts'])).toBe(true);
    // Some of the tests do not show what all of them cover.
    expect(narrowed('vitest-coverage', ['src/a.ts'])).toBe(true);
    // The file lies in no folder of the project.
    expect(narrowed('go-test', ['pkg/a_test.go'])).toBe(false);
  });

  it('gives a narrowed plan a hash of its own, so that its run is compared with none of the whole', () => {
    const { spec, plan } = aSource('eslint');
    const narrowed = narrowPlan(spec, plan, ['a.js']);

    expect(narrowed.targets).toEqual(['a.js']);
    expect(narrowed.hash).not.toBe(plan.hash);
    expect(narrowed.scopeHash).not.toBe(plan.scopeHash);
  });
});

describe('the criteria of a task (001.R18)', () => {
  const criteriaOf = (findings: ReturnType<typeof found>, held: readonly string[] = []) =>
    planTasks(
      aTasksInput({ findings, known: held.map((fingerprint) => aKnown({ findings: [fingerprint] })) }),
    ).tasks.map(({ validation }) => validation.successCriteria);

  it('are exit code 0 and nothing new if the task is about all that its tool says of its files', () => {
    expect(criteriaOf(found('pytest', [aTest('tests/test_a.py', 'x')]))).toEqual([criteria]);
  });

  it('are nothing new if other findings of the file stay', () => {
    const findings = found('eslint', [aLint('a.js', 1), aLint('a.js', 2), aLint('b.js', 1)]);
    const held = findings.filter(({ filePath, line }) => filePath === 'a.js' && line === 2);

    expect(
      criteriaOf(
        findings,
        held.map(({ fingerprint }) => fingerprint),
      ),
    ).toEqual([{ ...criteria, require_exit_code_0: false }, criteria]);
  });

  it('ask nothing about new findings of what did not load, because those were hidden', () => {
    expect(criteriaOf(found('pytest', [anUnloaded('tests/test_a.py')]))).toEqual([
      { require_exit_code_0: false, max_new_findings: null, min_coverage_delta: null },
    ]);
  });

  it('count findings without a file to the whole project', () => {
    const findings = found('eslint', [aLint('a.js', 1), aLint('x', 1, { path: null, line: null })]);

    expect(criteriaOf(findings).map(({ require_exit_code_0: exits }) => exits)).toEqual([false, true]);
  });
});

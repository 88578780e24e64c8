import { describe, expect, it } from 'vitest';
import type { EnginePlan } from '../../../src/core/model/engine.ts';
import { coverage } from '../../../src/engines/python/coverage.ts';
import { flake8 } from '../../../src/engines/python/flake8.ts';
import { mypy } from '../../../src/engines/python/mypy.ts';
import { pylint } from '../../../src/engines/python/pylint.ts';
import { pytest } from '../../../src/engines/python/pytest.ts';
import { PYTHON_ENGINES } from '../../../src/engines/python/python-engines.ts';
import { ruff } from '../../../src/engines/python/ruff.ts';
import { tombi } from '../../../src/engines/python/tombi.ts';
import { anInput, parsed } from '../generic/parse-input.ts';
import { argumentsOf } from '../node/support.ts';

const OF_PYTHON = [coverage, flake8, mypy, pylint, pytest];
const PLAN: EnginePlan = {
  ...{
    engine: 'x',
    project: '.',
    mode: 'target',
    targets: ['.'],
    configPath: null,
    args: [],
    enabled: true,
    profile: null,
  },
  ...{ env: {}, cwd: '.', hash: '', scopeHash: '', excludes: [], usesToolScope: false },
};

describe('tools of Python', () => {
  it.each(OF_PYTHON)(
    '000.R19, 001.R33: $id is a module of the interpreter, and never a script on the search path',
    (spec) => {
      expect(spec.launchers).toEqual([{ kind: 'python', module: spec.id, distribution: spec.id }]);
    },
  );

  it.each(PYTHON_ENGINES.filter(({ id }) => id !== 'tombi'))(
    '$id leaves no compiled files in the workspace',
    (spec) => {
      expect(spec.env['PYTHONDONTWRITEBYTECODE']).toBe('1');
    },
  );

  it('keep their caches and data out of the workspace', () => {
    expect(argumentsOf(mypy)).toContain('--cache-dir=/dev/null');
    expect(argumentsOf(pytest)).toContain('cache_dir=/artifacts/pytest-cache');
    expect(argumentsOf(pylint)).toContain('--persistent=n');
    expect(argumentsOf(ruff)).toContain('/artifacts/ruff-cache');
    expect(argumentsOf(coverage)).toContain('--data-file=/artifacts/coverage.data');
  });

  it('let no name be a pattern of tombi, which would look at nothing then', () => {
    const targets = ['app/[id]', 'app/a*.toml', 'src', 'x?'];
    const files = ['app/[id]/x.toml', 'app/a*.toml', 'src/y.toml', 'x?/z.toml'];

    expect(argumentsOf(tombi, { targets }, { files }).slice(-4)).toEqual([
      'app/[[]id]/**/*.toml',
      'app/a[*].toml',
      'src',
      'x[?]/**/*.toml',
    ]);
  });

  it('tombi, where it looked at no file, has not found that all is well', () => {
    const { findings, partial } = parsed(tombi.parse, 'No files linted\n');

    expect({ findings, partial }).toEqual({ findings: [], partial: 'it looked at no file' });
  });

  it.each([mypy, coverage, pytest])('$id looks at the whole project', ({ targetMode }) => {
    expect(targetMode).toBe('project');
  });

  it.each([
    [flake8, '--config'],
    [mypy, '--config-file'],
    [pylint, '--rcfile'],
    [pytest, '-c'],
    [ruff, '--config'],
    [coverage, '--rcfile'],
  ] as const)('gives the chosen configuration file to $id by its own flag', (spec, flag) => {
    const args = argumentsOf(spec, { configPath: 'config/of-it' });

    expect(args[args.indexOf(flag) + 1]).toBe('/repo/config/of-it');
    expect(argumentsOf(spec)).not.toContain('/repo/config/of-it');
  });

  it.each([flake8, mypy, pylint, pytest, ruff])('hands the arguments of the plan to $id in their order', (spec) => {
    const args = argumentsOf(spec, { args: ['--second', '--first', '--second'] });
    const start = args.indexOf('--second');

    expect(args.slice(start, start + 3)).toEqual(['--second', '--first', '--second']);
  });

  it.each([flake8, pylint, ruff])('names to $id what the plan is pointed at, last', (spec) => {
    expect(argumentsOf(spec, { targets: ['a.py', 'b'] }).slice(-2)).toEqual(['a.py', 'b']);
  });
});

describe('mypy', () => {
  it.each([
    ['1.11.0', true],
    ['1.10.2', false],
    [null, false],
  ])('of version %s is asked for JSON: %s', (version, isAsked) => {
    expect(argumentsOf(mypy, {}, { version }).includes('--output=json')).toBe(isAsked);
  });
});

describe('what mypy goes on without', () => {
  const UNKNOWN = 'pyproject.toml: [mypy]: Unrecognized option: strct = True';

  it.each([
    ['a setting that it does not know', UNKNOWN, ''],
    ['one of a module', 'mypy.ini: [mypy-a.*]: Per-module sections should only specify per-module flags (files)', ''],
    ['one beside findings', `warning\n${UNKNOWN}\n`, 'a.py:1: error: No  [misc]\n'],
  ])('is told: %s (E2)', (_what, stderr, text) => {
    const payload = mypy.parse(anInput(text, { stderr, exitCode: text === '' ? 0 : 1 }));

    expect(payload).toMatchObject({ kind: 'parsed', partial: null, toolFailure: null });
    expect(payload.kind === 'parsed' && payload.notes).toEqual([
      `it went on without a setting: ${stderr.split('\n').find((line) => line.includes('['))}`,
    ]);
  });

  it('does not make an answer of none', () => {
    expect(mypy.parse(anInput('', { stderr: UNKNOWN, exitCode: 2 }))).toEqual({ kind: 'empty' });
    expect(mypy.parse(anInput('', { stderr: 'a warning', exitCode: 0 }))).toEqual({ kind: 'empty' });
  });
});

describe('pytest that ran nothing', () => {
  const report = '<testsuites><testsuite tests="0"><testcase classname="a" name="test_a"/></testsuite></testsuites>';

  it.each([
    ['=========== no tests ran in 0.07s ===========\n', 'pytest listed tests and ran none'],
    ['no tests ran in 0.07s\n', 'pytest listed tests and ran none'],
    ['no tests ran in 0.07s\n=== 1 passed in 0.1s ===\n', null],
  ])('is partial, though it lists tests (E2): %j', (text, partial) => {
    const input = anInput(text, { reports: { 'pytest-junit.xml': report } });

    expect(pytest.parse(input)).toMatchObject({ kind: 'parsed', partial });
  });
});

describe('ruff', () => {
  it.each([
    ['0.0.290', '--format=json'],
    ['0.1.0', '--output-format=json'],
    [null, '--output-format=json'],
  ])('of version %s is given %s', (version, flag) => {
    expect(argumentsOf(ruff, {}, { version })).toContain(flag);
  });
});

describe('pylint', () => {
  it.each([
    ['2.12.2', false],
    ['2.13.0', true],
    [null, true],
  ])('of version %s is asked to look into folders: %s', (version, isAsked) => {
    expect(argumentsOf(pylint, {}, { version }).includes('--recursive=y')).toBe(isAsked);
  });
});

describe('flake8', () => {
  it.each([
    ['the only file that it could take', ['.flake8', 'a.py'], true],
    ['one of two', ['.flake8', 'a.py', 'setup.cfg'], false],
    ['not there', ['a.py'], false],
  ])('is told of .flake8 where that is %s', (_, files, isTold) => {
    expect(argumentsOf(flake8, {}, { files }).includes('.flake8')).toBe(isTold);
  });
});

describe('pytest', () => {
  function steps(companions: readonly string[], args: readonly string[] = []): readonly string[] {
    const input = { plan: { ...PLAN, args }, artifacts: '/artifacts', root: '/repo', version: '8.3.4', files: [] };
    return pytest.toCommands({ ...input, companions }).at(-1) ?? [];
  }
  const jsonFile = '--json-report-file=/artifacts/pytest.json';

  it('C20, 001.R19: is asked for a JSON report only where the plugin is known to be there; for JUnit always', () => {
    expect(steps([]).join(' ')).not.toContain('json-report');
    expect(steps(['pytest-json-report'])).toEqual(expect.arrayContaining(['--json-report', jsonFile]));
    for (const args of [steps([]), steps(['pytest-json-report'])])
      expect(args).toEqual(expect.arrayContaining(['--junitxml=/artifacts/pytest-junit.xml', 'junit_family=xunit1']));
  });

  it('C20: takes the word of a policy that names the plugin itself, and says it once', () => {
    const args = steps([], ['--json-report']);

    expect(args.filter((argument) => argument === '--json-report')).toHaveLength(1);
    expect(args).toContain(jsonFile);
  });

  it('switches pytest-cov off only where it is there: the flag is a usage error without it', () => {
    expect(steps([])).not.toContain('--no-cov');
    expect(steps(['pytest-cov'])).toContain('--no-cov');
  });
});

describe('coverage', () => {
  const toRun = (files: readonly string[], configPath: string | null = null): readonly string[] =>
    coverage.toCommands({ plan: { ...PLAN, configPath }, artifacts: '/a', root: '/repo', version: null, files })[0] ??
    [];

  it('measures all of the folder where no configuration says what', () => {
    expect(toRun(['a.py'])).toContain('--source=.');
    expect(toRun(['a.py', '.coveragerc'])).not.toContain('--source=.');
    expect(toRun(['a.py'], 'own.cfg')).not.toContain('--source=.');
  });

  it('runs the tests, puts the data of their processes together, and only then reports (001.R25)', () => {
    const steps = coverage.toCommands({ plan: PLAN, artifacts: '/a', root: '/repo', version: null, files: [] });

    expect(steps.map(([command]) => command)).toEqual(['run', 'combine', 'json']);
    expect(steps[0]).toContain('pytest');
  });
});

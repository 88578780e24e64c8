import { describe, expect, it } from 'vitest';
import { examineChange } from '../../../src/compose/compose-change.ts';

const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

function judge(path: string, old: string, now: string): string {
  const { verdict, facts } = examineChange({ [path]: old }, { [path]: now }, POLICY);
  return [verdict, ...new Set(facts.map(({ code }) => code))].join(' ');
}

const HELD = 'held TEST_COMMAND_WEAKENED';
const LOOSER = 'held THRESHOLD_LOOSENED';
const scripts = (test: string, more = {}): string => JSON.stringify({ scripts: { test, ...more }, files: ['dist'] });

describe('commands that run tests', () => {
  it.each([
    ['run one folder instead of all', 'package.json', scripts('vitest run'), scripts('vitest run src/fast'), HELD],
    ['run fewer folders', 'package.json', scripts('mocha test/a test/b'), scripts('mocha test/a'), HELD],
    ['run more folders', 'package.json', scripts('mocha test/a'), scripts('mocha test/a test/b'), 'clean'],
    ['run a folder above', 'package.json', scripts('mocha test/a'), scripts('mocha test'), 'clean'],
    [
      'run more kinds of files',
      'package.json',
      scripts('mocha "test/**/*.js"'),
      scripts('mocha "test/**/*.{js,mjs}"'),
      'clean',
    ],
    ['are another program', 'package.json', scripts('jest --ci'), scripts('vitest run --ci'), 'clean'],
    ['are one less', 'package.json', scripts('jest', { lint: 'eslint .' }), scripts('jest'), HELD],
    ['say how to report', 'package.json', scripts('jest'), scripts('jest --reporters=default'), 'clean'],
    ['are no scripts any more', 'package.json', scripts('jest'), '{"scripts":[]}', 'rejected TEST_COMMAND_WEAKENED'],
    [
      'have a script that is no text',
      'package.json',
      '{"scripts":{"test":"jest","a":1}}',
      '{"scripts":{"test":"jest","a":2}}',
      'clean',
    ],
    [
      'install something else',
      'noxfile.py',
      'session.install("pytest")\nsession.run("pytest")\n',
      'session.install("pytest", "x.whl")\nsession.run("pytest")\n',
      'clean',
    ],
    [
      'are not needed by a target',
      'Makefile',
      'check: unit types\n\nunit:\n\tpytest\n\ntypes:\n\tmypy src\n',
      'check: types\n\nunit:\n\tpytest\n\ntypes:\n\tmypy src\n',
      HELD,
    ],
    [
      'stay, and a target needs less of another kind',
      'Makefile',
      'check: unit docs\n\nunit:\n\tpytest\n\ndocs:\n\tsphinx-build\n',
      'check: unit\n\nunit:\n\tpytest\n\ndocs:\n\tsphinx-build\n',
      'clean',
    ],
    ['stay, and their target is gone', 'Makefile', 'ci: unit\n\nunit:\n\tpytest\n', 'unit:\n\tpytest\n', 'clean'],
    ['run everything, and that is written', 'check.sh', 'pytest tests/a\n', 'pytest .\n', 'clean'],
    [
      'fail without a sign in tox',
      'tox.ini',
      'commands =\n    pytest\n',
      'commands =\n    -pytest\n',
      'rejected TEST_COMMAND_WEAKENED',
    ],
  ])('%s', (...[, path, old, now, expected]) => {
    expect(judge(path, old, now)).toBe(expected);
  });
});

describe('settings of tests and checks', () => {
  it.each([
    [
      'look at fewer folders',
      'pytest.ini',
      '[pytest]\ntestpaths = tests more\n',
      '[pytest]\ntestpaths = tests\n',
      HELD,
    ],
    [
      'look at fewer folders, one on a line',
      'pytest.ini',
      'testpaths =\n    tests\n    more\n',
      'testpaths =\n    tests\n',
      HELD,
    ],
    ['look at more folders', 'pytest.ini', 'testpaths = tests\n', 'testpaths = tests more\n', 'clean'],
    ['look everywhere', 'pytest.ini', '[pytest]\ntestpaths = tests\n', '[pytest]\n', 'clean'],
    [
      'name a source in a file of many tools',
      'pyproject.toml',
      '[tool.x]\nsource = "a"\n',
      '[tool.x]\nsource = "b"\n',
      'clean',
    ],
    [
      'no longer know a kind of test',
      'vitest.config.ts',
      "include: ['src/**/*.test.ts', 'e2e/**']",
      "include: ['src/**/*.test.ts']",
      HELD,
    ],
    [
      'know more kinds of tests',
      'vitest.config.ts',
      "include: ['src/**/*.test.ts']",
      "include: ['src/**/*.test.{ts,tsx}']",
      'clean',
    ],
    [
      'warn where they refused',
      '.eslintrc.json',
      '{"rules":{"eqeqeq":"error"}}',
      '{"rules":{"eqeqeq":"warn"}}',
      LOOSER,
    ],
    [
      'refuse with options',
      '.eslintrc.json',
      '{"rules":{"eqeqeq":"error"}}',
      '{"rules":{"eqeqeq":["error","smart"]}}',
      'clean',
    ],
    ['deny less', 'Cargo.toml', '[lints.rust]\nunsafe_code = "deny"\n', '[lints.rust]\nunsafe_code = "warn"\n', LOOSER],
    ['are less strict of types', 'mypy.ini', '[mypy]\ndisallow_untyped_defs = True\n', '[mypy]\n', LOOSER],
    ['are stricter of types', 'mypy.ini', '[mypy]\n', '[mypy]\ndisallow_untyped_defs = True\n', 'clean'],
    ['have a limit less', '.coveragerc', '[report]\nfail_under = 90\n', '[report]\n', LOOSER],
    ['have a lower limit', 'codecov.yml', 'coverage:\n  target: 90%\n', 'coverage:\n  target: 50%\n', LOOSER],
    [
      'have two limits of one name, and lower the second',
      'codecov.yml',
      'target: 90\ntarget: 80\n',
      'target: 90\ntarget: 10\n',
      LOOSER,
    ],
    ['run failed tests again', 'playwright.config.ts', 'x({ retries: 0 })', 'x({ retries: 2 })', LOOSER],
    ['wait without end', 'vitest.config.ts', 'x({ testTimeout: 5000 })', 'x({ testTimeout: -1 })', LOOSER],
    ['drop a race detector', 'Makefile', 'test:\n\tgo test -race ./...\n', 'test:\n\tgo test ./...\n', LOOSER],
  ])('%s', (...[, path, old, now, expected]) => {
    expect(judge(path, old, now)).toBe(expected);
  });
});

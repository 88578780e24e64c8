import { describe, expect, it } from 'vitest';
import { type TestGround, toAloneCommands, toPackagePaths } from '../../../src/core/proof/alone-command.ts';
import type { NamedFailure } from '../../../src/core/proof/proof-evidence.ts';

function aFailure(change: Partial<NamedFailure>): NamedFailure {
  return { tool: null, path: null, rule: null, testId: 'adds', message: '', ...change };
}

function toCommands(failures: readonly Partial<NamedFailure>[], ground: Partial<TestGround> = {}): readonly string[] {
  const tracked = failures.flatMap(({ path }) => path ?? []);
  return toAloneCommands(failures.map(aFailure), { tracked, packages: {}, commands: [], ...ground });
}

const packageOf = (json: object) => ({ 'package.json': JSON.stringify(json) });

describe('the command that runs a named test alone', () => {
  it.each([
    [
      'pytest',
      { tool: 'pytest', path: 'tests/test_a.py', testId: 'TestX::test_y' },
      'python3 -m pytest tests/test_a.py::TestX::test_y',
    ],
    [
      'pytest with a plain parameter',
      { tool: 'pytest', path: 'tests/test_a.py', testId: 'test_y[a-1]' },
      "python3 -m pytest 'tests/test_a.py::test_y[a-1]'",
    ],
    [
      'pytest with a name that is not plain: the whole file',
      { tool: 'pytest', path: 'tests/test_a.py', testId: "test_y['; rm -rf /]" },
      'python3 -m pytest tests/test_a.py',
    ],
    ['RSpec', { tool: 'rspec', path: 'spec/a_spec.rb', testId: 'adds' }, 'bundle exec rspec spec/a_spec.rb'],
    ['Cargo', { tool: 'cargo', testId: 'sum::tests::adds' }, 'cargo test --offline -- --exact sum::tests::adds'],
  ])('is one of %s (001.R23)', (_runner, failure, command) => {
    expect(toCommands([failure])).toEqual([command]);
  });

  it('starts pytest as the validation does', () => {
    const failure = { tool: 'pytest', path: 'tests/test_a.py', testId: 'test_y' };

    expect(toCommands([failure], { commands: ['make lint', 'CI=1 uv run pytest -q'] })).toEqual([
      'CI=1 uv run pytest tests/test_a.py::test_y',
    ]);
  });

  it.each([
    ['vitest by its script', { scripts: { test: 'vitest run' } }, 'npx --no-install vitest run test/a.test.ts'],
    [
      'jest by what is installed',
      { devDependencies: { jest: '30' } },
      'npx --no-install jest --runTestsByPath test/a.test.ts',
    ],
    ['mocha by a dependency', { dependencies: { mocha: '11' } }, 'npx --no-install mocha test/a.test.ts'],
    ["Node's own", { scripts: { test: 'node --experimental-x --test' } }, 'node --test test/a.test.ts'],
    [
      'the one of the script before one that is installed too',
      { scripts: { test: 'mocha' }, devDependencies: { vitest: '4' } },
      'npx --no-install mocha test/a.test.ts',
    ],
  ])('of JavaScript is that of %s', (_runner, json, command) => {
    const failure = { tool: 'jest', path: 'test/a.test.ts', testId: 'adds' };
    const tracked = ['package.json', 'test/a.test.ts'];

    expect(toCommands([failure], { tracked, packages: packageOf(json) })).toEqual([command]);
  });

  it('enters the nearest folder whose package.json knows a runner', () => {
    const failure = { path: 'packages/sum/test/a.test.ts', testId: 'adds' };
    const tracked = ['package.json', 'packages/sum/package.json', failure.path];
    const packages = {
      'package.json': '{"scripts":{"test":"jest"}}',
      'packages/sum/package.json': '{"scripts":{"test":"vitest"}}',
    };

    expect(toCommands([failure], { tracked, packages })).toEqual([
      'cd packages/sum && npx --no-install vitest run test/a.test.ts',
    ]);
    expect(toCommands([failure], { tracked, packages: { ...packages, 'packages/sum/package.json': '{' } })).toEqual([
      'npx --no-install jest --runTestsByPath packages/sum/test/a.test.ts',
    ]);
  });

  it('runs the test of a Go package from its module', () => {
    const tracked = ['lib/go.mod', 'lib/sum/sum_test.go', 'lib/go_test.go', 'other_test.go'];
    const go = (path: string, testId: string) => toCommands([{ tool: 'go', path, testId }], { tracked });

    expect(go('lib/sum/sum_test.go', 'TestAdd/big_numbers')).toEqual([
      "cd lib && go test -count=1 -v ./sum -run '^TestAdd$'",
    ]);
    expect(go('lib/go_test.go', 'TestAdd')).toEqual(["cd lib && go test -count=1 -v ./ -run '^TestAdd$'"]);
    expect(go('lib/go_test.go', 'acme/sum')).toEqual([]);
    expect(go('other_test.go', 'TestAdd')).toEqual([]);
    expect(toCommands([{ path: 'sum_test.go', testId: 'TestAdd' }], { tracked: ['go.mod', 'sum_test.go'] })).toEqual([
      "go test -count=1 -v ./ -run '^TestAdd$'",
    ]);
  });

  it('joins the tests of one runner, each once', () => {
    const failures = ['test_a', 'test_b', 'test_a'].map((testId) => ({
      tool: 'pytest',
      path: 'tests/test_a.py',
      testId,
    }));

    expect(toCommands([...failures, { tool: 'cargo', testId: 'adds' }])).toEqual([
      'python3 -m pytest tests/test_a.py::test_a tests/test_a.py::test_b',
      'cargo test --offline -- --exact adds',
    ]);
  });

  it('runs ten tests alone and no more', () => {
    const failures = Array.from({ length: 30 }, (_one, index) => ({
      path: `tests/test_${index}.py`,
      testId: 'test_a',
    }));

    expect(toCommands(failures)[0]?.split(' ').slice(3)).toHaveLength(10);
  });

  it.each([
    ['no test', { testId: null, path: 'tests/test_a.py' }],
    ['no file', { tool: 'pytest', testId: 'test_a', path: null }],
    ['a file that is no test', { path: 'src/a.ts' }],
    ['a runner that is not known', { path: 'test/a.test.xyz' }],
    ['a package.json that names no runner', { path: 'test/a.test.ts' }],
    ['a crate whose test has another name', { tool: 'cargo', testId: 'src/lib.rs - sum (line 3)' }],
  ])('does not exist for %s', (_what, failure) => {
    expect(
      toCommands([failure], {
        tracked: ['package.json', 'src/a.ts', 'tests/test_a.py', 'test/a.test.xyz', 'test/a.test.ts'],
        packages: packageOf({}),
      }),
    ).toEqual([]);
  });

  it('does not exist where the package.json is too long to be read', () => {
    expect(toCommands([{ path: 'test/a.test.ts' }], { tracked: ['package.json', 'test/a.test.ts'] })).toEqual([]);
  });

  it('does not exist for a file that the head does not track', () => {
    expect(toCommands([{ path: 'tests/test_a.py' }], { tracked: [] })).toEqual([]);
  });

  it('keeps a hostile path one word of the shell', () => {
    const path = "-x/it's $(id)/a.test.ts";
    const tracked = ['package.json', path];

    expect(toCommands([{ path }], { tracked, packages: packageOf({ scripts: { test: 'vitest' } }) })).toEqual([
      String.raw`npx --no-install vitest run './-x/it'\''s $(id)/a.test.ts'`,
    ]);
  });
});

describe('the package.json files that say how', () => {
  it('are those of the folders of the tests, as far as the head has them', () => {
    const failures = [{ path: 'a/b/c.test.ts' }, { path: 'x.test.ts' }, { path: null }].map(aFailure);

    expect(toPackagePaths(failures, ['package.json', 'a/b/package.json', 'z/package.json'])).toEqual([
      'a/b/package.json',
      'package.json',
    ]);
  });
});

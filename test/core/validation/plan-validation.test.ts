import { describe, expect, it } from 'vitest';
import { planValidation } from '../../../src/core/validation/plan-validation.ts';

const npmTest = JSON.stringify({ scripts: { test: 'node --test' } });

describe('planValidation', () => {
  it('takes the commands of the policy before anything else', () => {
    expect(planValidation({ validate: ['make check'] }, ['package.json'], { 'package.json': npmTest })).toEqual({
      kind: 'commands',
      commands: ['make check'],
      source: 'policy',
    });
  });

  it('takes an empty list for what it says: nothing to validate with', () => {
    expect(planValidation({ validate: [] }, ['package.json'], { 'package.json': npmTest })).toEqual({ kind: 'none' });
  });

  it.each<[string, readonly string[], Record<string, string>, string | null]>([
    ['npm', ['package.json'], { 'package.json': npmTest }, 'npm test'],
    ['npm with its lockfile', ['package.json', 'package-lock.json'], { 'package.json': npmTest }, 'npm test'],
    ['pnpm by its lockfile', ['pnpm-lock.yaml'], { 'package.json': npmTest }, 'pnpm test'],
    ['yarn by its lockfile', ['yarn.lock'], { 'package.json': npmTest }, 'yarn test'],
    ['pytest by pytest.ini', [], { 'pytest.ini': '' }, 'python3 -m pytest'],
    [
      'pytest by pyproject.toml',
      [],
      { 'pyproject.toml': '[project]\n[tool.pytest.ini_options]\n' },
      'python3 -m pytest',
    ],
    ['pytest by setup.cfg', [], { 'setup.cfg': '[tool:pytest]\n' }, 'python3 -m pytest'],
    ['pytest by tox.ini', [], { 'tox.ini': '[pytest]\n' }, 'python3 -m pytest'],
    ['pytest by test files', ['src/a.py', 'tests/test_a.py'], {}, 'python3 -m pytest'],
    ['pytest by test files of the other naming', ['a_test.py'], {}, 'python3 -m pytest'],
    ['make by its target', ['Makefile'], { Makefile: 'all:\n\ntest: all\n\t./run\n' }, 'make test'],
    ['npm before make', ['Makefile'], { Makefile: 'test:\n', 'package.json': npmTest }, 'npm test'],
    ['nothing for a variable called test', ['Makefile'], { Makefile: 'test := 1\n' }, null],
    [
      'nothing for the placeholder of npm',
      [],
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      null,
    ],
    ['nothing for an empty script', [], { 'package.json': '{"scripts":{"test":" "}}' }, null],
    ['nothing for a package.json that is no JSON', [], { 'package.json': '{' }, null],
    ['nothing for scripts of another type', [], { 'package.json': '{"scripts":["test"]}' }, null],
    ['nothing for a package.json that is no object', [], { 'package.json': '[]' }, null],
    ['nothing without any hint', ['README.md'], {}, null],
  ])('detects %s', (_title, tracked, contents, command) => {
    const plan = planValidation({ validate: null }, tracked, contents);

    expect(plan).toEqual(
      command === null ? { kind: 'none' } : { kind: 'commands', commands: [command], source: 'detected' },
    );
  });
});

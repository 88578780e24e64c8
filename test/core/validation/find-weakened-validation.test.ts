import { describe, expect, it } from 'vitest';
import { findWeakenedValidation } from '../../../src/core/validation/find-weakened-validation.ts';

const scripts = (test: string, more: object = {}): string => JSON.stringify({ scripts: { lint: 'x', test }, ...more });

describe('findWeakenedValidation', () => {
  it.each<[string, string, { before: Record<string, string>; after: Record<string, string> }, string | null]>([
    [
      'a changed test script',
      'npm test',
      { before: { 'package.json': scripts('node --test') }, after: { 'package.json': scripts('true') } },
      'package.json',
    ],
    [
      'removed scripts',
      'yarn test',
      { before: { 'package.json': scripts('node --test') }, after: { 'package.json': '{}' } },
      'package.json',
    ],
    ['a removed package.json', 'pnpm test', { before: { 'package.json': scripts('x') }, after: {} }, 'package.json'],
    [
      'a changed Makefile',
      'make test',
      { before: { Makefile: 'test:\n\t./run\n' }, after: { Makefile: 'test:\n\ttrue\n' } },
      'Makefile',
    ],
    [
      'nothing when only dependencies changed',
      'npm test',
      { before: { 'package.json': scripts('x') }, after: { 'package.json': scripts('x', { a: 1 }) } },
      null,
    ],
    [
      'nothing in a file that the command does not read',
      'pytest',
      { before: { Makefile: 'a' }, after: { Makefile: 'b' } },
      null,
    ],
    ['nothing when nothing changed', 'make test && npm test', { before: {}, after: {} }, null],
  ])('finds %s', (_title, command, files, path) => {
    const changed = [...new Set([...Object.keys(files.before), ...Object.keys(files.after)])];
    const plan = { kind: 'commands', commands: [command], source: 'policy' } as const;

    const found = findWeakenedValidation(plan, { ...files, changed, allowedPaths: null });

    expect(found?.path ?? null).toBe(path);
  });

  it.each([
    ['a GNUmakefile, which make reads before the Makefile', 'make test', 'GNUmakefile'],
    ['a makefile in small letters', 'make -C lib test', 'lib/makefile'],
    ['what a Makefile includes', 'make test', 'build/rules.mk'],
    ['the script that the command starts', './scripts/check.sh --all', 'scripts/check.sh'],
    ['the program that the command gives to an interpreter', 'cd . && node tools/run.mjs', 'tools/run.mjs'],
  ])('finds %s', (_title, command, path) => {
    const plan = { kind: 'commands', commands: [command], source: 'policy' } as const;

    expect(
      findWeakenedValidation(plan, { before: {}, after: {}, changed: ['src/a.ts', path], allowedPaths: null })?.path,
    ).toBe(path);
    expect(
      findWeakenedValidation(plan, { before: {}, after: {}, changed: ['src/a.ts'], allowedPaths: null }),
    ).toBeNull();
  });

  it('finds changed scripts in the package of a subfolder', () => {
    const plan = { kind: 'commands', commands: ['npm --prefix web test'], source: 'policy' } as const;
    const before = { 'web/package.json': scripts('node --test') };
    const after = { 'web/package.json': scripts('true') };

    expect(
      findWeakenedValidation(plan, { before, after, changed: ['web/package.json'], allowedPaths: null })?.path,
    ).toBe('web/package.json');
  });

  it.each([
    ['grew beyond what is read', { 'package.json': scripts('x') }],
    ['was never readable', {}],
  ])('finds a package.json that %s', (_title, before) => {
    const plan = { kind: 'commands', commands: ['npm test'], source: 'policy' } as const;

    expect(
      findWeakenedValidation(plan, { before, after: {}, changed: ['package.json'], allowedPaths: null })?.path,
    ).toBe('package.json');
  });

  it('does not mind the order of the scripts', () => {
    const before = { 'package.json': '{"scripts":{"a":"1","test":"2"}}' };
    const after = { 'package.json': '{"scripts":{"test":"2","a":"1"}}' };

    expect(
      findWeakenedValidation(
        { kind: 'commands', commands: ['npm test'], source: 'detected' },
        { before, after, changed: ['package.json'], allowedPaths: null },
      ),
    ).toBeNull();
  });

  it.each([
    'conftest.py',
    'pkg/tests/conftest.py',
    'vitest.config.ts',
    'web/vite.config.mts',
    'jest.config.js',
    'jest.setup.ts',
    'playwright.config.ts',
    '.mocharc.cjs',
    '.mocharc',
    'pytest.ini',
    'tox.ini',
    'setup.cfg',
    'phpunit.xml.dist',
    'spec/spec_helper.rb',
  ])('refuses a change of %s, which the test runner loads by itself', (path) => {
    const plan = { kind: 'commands', commands: ['./check'], source: 'policy' } as const;
    const change = { before: {}, after: {}, changed: ['src/a.ts', path], allowedPaths: ['**'] };

    expect(findWeakenedValidation(plan, change)).toEqual({
      path,
      what: 'the tools that validate load it by themselves',
    });
  });

  it.each(['src/conftest.ts', 'config.ts', 'src/vitest.config.md', 'docs/jest.config.js.txt', 'my-conftest.py.txt'])(
    'lets %s through',
    (path) => {
      const plan = { kind: 'commands', commands: ['./check'], source: 'policy' } as const;

      expect(findWeakenedValidation(plan, { before: {}, after: {}, changed: [path], allowedPaths: null })).toBeNull();
    },
  );

  it('lets through what the policy allows by its very name', () => {
    const plan = { kind: 'commands', commands: ['./check'], source: 'policy' } as const;
    const change = { before: {}, after: {}, changed: ['tests/conftest.py'] };

    expect(findWeakenedValidation(plan, { ...change, allowedPaths: ['tests/**'] })).not.toBeNull();
    expect(findWeakenedValidation(plan, { ...change, allowedPaths: ['tests/**', '**/conftest.py'] })).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { EngineSpec } from '../../src/core/model/engine.ts';
import { biome } from '../../src/engines/node/biome.ts';
import { eslint } from '../../src/engines/node/eslint.ts';
import { oxlint } from '../../src/engines/node/oxlint.ts';
import { stylelint } from '../../src/engines/node/stylelint.ts';
import { tsc } from '../../src/engines/node/tsc.ts';
import { vitest } from '../../src/engines/node/vitest.ts';
import { coverage } from '../../src/engines/python/coverage.ts';
import { flake8 } from '../../src/engines/python/flake8.ts';
import { mypy } from '../../src/engines/python/mypy.ts';
import { pylint } from '../../src/engines/python/pylint.ts';
import { pytest } from '../../src/engines/python/pytest.ts';
import { ruff } from '../../src/engines/python/ruff.ts';
import { tombi } from '../../src/engines/python/tombi.ts';
import { ARTIFACTS, argumentsOf, ROOT } from './node/support.ts';

const FILES = [
  'p/a/x.py',
  'p/[b]/y.py',
  'p/z.py',
  'p/a/x.ts',
  'p/z.ts',
  'p/c/w.ts',
  'p/c/pyproject.toml',
  'p/a/q.toml',
];
const IN_P = { cwd: 'p', project: 'p', targets: ['p'], excludes: ['p/[b]', 'p/a'] };

describe('arguments of a project', () => {
  it.each<[EngineSpec, readonly string[]]>([
    [eslint, [String.raw`--ignore-pattern=\[b\]/**`, '--ignore-pattern=a/**', '.']],
    [oxlint, [String.raw`--ignore-pattern=\[b\]/**`, '--ignore-pattern=a/**', '.']],
    [stylelint, [String.raw`--ignore-pattern=\[b\]/**`, '--ignore-pattern=a/**']],
    [vitest, [String.raw`--exclude=\[b\]/**`, '--exclude=a/**']],
    [ruff, ['--extend-exclude=[[]b[]]', '--extend-exclude=a', '.']],
    [pytest, ['--ignore=[b]', '--ignore=a', '.']],
    [mypy, [String.raw`--exclude=^\[b\]/`, '--exclude=^a/', '.']],
  ])('of $id leave the projects inside out', (spec, expected) => {
    expect(argumentsOf(spec, IN_P, { files: FILES })).toEqual(expect.arrayContaining([...expected]));
  });

  it.each<[EngineSpec, readonly string[]]>([
    [flake8, ['z.py']],
    [pylint, ['z.py']],
    [biome, ['c', 'z.ts']],
    [tombi, ['c']],
  ])('of $id, which cannot leave anything out, name all else', (spec, expected) => {
    const args = argumentsOf(spec, IN_P, { files: FILES });

    expect(args.slice(-expected.length)).toEqual(expected);
    expect(args).not.toContain('.');
  });

  it.each([pytest, mypy, coverage])('of $id have no path where the tool knows what to check (E7)', (spec) => {
    const [own, set] = [true, false].map((usesToolScope) => {
      const plan = { env: {}, cwd: '.', hash: '', scopeHash: '', excludes: [], project: '.', mode: 'target' as const };
      const given = { engine: spec.id, targets: ['.'], configPath: null, args: [], enabled: true, profile: null };
      const input = {
        plan: { ...plan, ...given, usesToolScope },
        artifacts: ARTIFACTS,
        root: ROOT,
        version: null,
        files: [],
      };
      return spec.toCommands(input)[0] ?? [];
    });

    expect(own).toEqual(set?.filter((word) => word !== '.'));
    expect(set).toContain('.');
  });

  it('of flake8 name the configuration of the project', () => {
    expect(argumentsOf(flake8, IN_P, { files: ['p/.flake8', 'p/z.py'] })).toContain('.flake8');
    expect(argumentsOf(flake8, IN_P, { files: ['.flake8', 'p/z.py'] })).not.toContain('.flake8');
  });
});

describe('a solution of TypeScript (E9)', () => {
  const texts = {
    'w/tsconfig.json': '{"files":[],"references":[{"path":"./tsconfig.app.json"},{"path":"./tsconfig.node.json"}]}',
    'w/tsconfig.app.json': '{"include":["src"]}',
    'w/tsconfig.node.json': '{}',
    'b/tsconfig.json': '{"extends":"../base.json","references":[{"path":"../a"}]}',
    'a/tsconfig.json': '{}',
    'base.json': '{"compilerOptions":{"composite":true},"include":["x"]}',
    'c/tsconfig.json': '{"compilerOptions":{"typeRoots":["t"]},"references":[{"path":"../a"}]}',
  };
  const toInput = (project: string, configPath: string | null = null) => {
    const rest = { mode: 'target' as const, targets: [project], args: [], enabled: true, profile: null, env: {} };
    const plan = {
      engine: 'tsc',
      project,
      cwd: project,
      configPath,
      hash: 'h',
      scopeHash: '',
      excludes: [],
      usesToolScope: false,
      ...rest,
    };
    return { plan, artifacts: '/out', root: '/repo', version: null, files: Object.keys(texts), texts };
  };

  it('is a run for each configuration that it stands for, and each keeps the hash of the whole', () => {
    const parts = tsc.toParts?.(toInput('w')) ?? [];

    expect(parts.map(({ configPath, hash }) => [configPath, hash])).toEqual([
      ['w/tsconfig.app.json', 'h'],
      ['w/tsconfig.node.json', 'h'],
    ]);
    expect(tsc.toParts?.(toInput('b'))).toEqual([toInput('b').plan]);
    expect(tsc.toParts?.(toInput('w', 'w/tsconfig.node.json'))).toEqual([toInput('w', 'w/tsconfig.node.json').plan]);
    expect(tsc.toParts?.(toInput('gone'))).toEqual([toInput('gone').plan]);
  });

  it('is checked against the sources of what it references, by a configuration outside of the checkout', () => {
    expect(tsc.toFiles?.(toInput('w'))).toEqual({});
    expect(tsc.toCommands(toInput('w'))[0]).toContain('.');
    expect(tsc.toCommands(toInput('b'))[0]).toContain('/out/tsconfig.json');
    expect(JSON.parse(tsc.toFiles?.(toInput('b'))['tsconfig.json'] ?? '')).toEqual({
      extends: '/repo/b/tsconfig.json',
      compilerOptions: {
        composite: false,
        rootDir: '/',
        declaration: true,
        typeRoots: ['/repo/b/node_modules/@types', '/repo/node_modules/@types'],
      },
    });
    expect(JSON.parse(tsc.toFiles?.(toInput('c'))['tsconfig.json'] ?? '')).toEqual({
      extends: '/repo/c/tsconfig.json',
      compilerOptions: { composite: false, rootDir: '/' },
      include: ['/repo/c/**/*'],
    });
  });
});

import { describe, expect, it } from 'vitest';
import {
  chooseLauncher,
  findNodeScript,
  isLauncherThere,
  toNodeScriptPaths,
} from '../../../src/core/engines/choose-launcher.ts';
import { choosePython, toPythonPaths } from '../../../src/core/engines/choose-python.ts';
import type { Launcher } from '../../../src/core/model/engine.ts';
import { forge } from '../../support/builders.ts';
import { aSpec } from '../../support/plan-builders.ts';

const NODE: Launcher = { kind: 'node', script: 'pyright/index.js' };
const OTHER_NODE: Launcher = { kind: 'node', script: 'basedpyright/index.js' };
const PYTHON: Launcher = { kind: 'python', module: 'pyright', distribution: 'pyright' };
const PROGRAM: Launcher = { kind: 'program', name: 'pyright', versionArgs: ['--version'] };
const DECLARED: Launcher = { kind: 'declared', argv: ['./check'] };

const has =
  (...paths: readonly string[]) =>
  (path: string): boolean =>
    paths.includes(path);

describe('chooseLauncher', () => {
  it.each<[string, readonly Launcher[], readonly string[], Launcher]>([
    ['the script that is installed', [NODE, PYTHON], ['node_modules/pyright/index.js'], NODE],
    ['the interpreter, where the script is not', [NODE, PYTHON, PROGRAM], [], PYTHON],
    ['the interpreter, where it stands first', [PYTHON, NODE], ['node_modules/pyright/index.js'], PYTHON],
    ['the program, where the script is not', [NODE, PROGRAM], [], PROGRAM],
    ['the second script', [NODE, OTHER_NODE], ['node_modules/basedpyright/index.js'], OTHER_NODE],
    ['the only one, there or not', [NODE], [], NODE],
    ['the last one, where none is there', [NODE, OTHER_NODE], [], OTHER_NODE],
    ['what the repository declares', [DECLARED], [], DECLARED],
  ])('takes %s', (_what, launchers, paths, expected) => {
    expect(chooseLauncher(aSpec({ launchers }), has(...paths))).toBe(expected);
  });

  it('goes by the path of a script, never by the name of a link that any package may bring', () => {
    expect(chooseLauncher(aSpec({ launchers: [NODE, PROGRAM] }), has('node_modules/.bin/pyright'))).toBe(PROGRAM);
  });

  it('looks from the folder of the engine up to the root', () => {
    const installed = has('web/node_modules/pyright/index.js');

    expect(chooseLauncher(aSpec({ launchers: [NODE, PROGRAM] }), installed, 'web/app')).toBe(NODE);
    expect(chooseLauncher(aSpec({ launchers: [NODE, PROGRAM] }), installed)).toBe(PROGRAM);
  });

  it('refuses an engine without launchers', () => {
    expect(() => chooseLauncher(aSpec({ launchers: [] }), has())).toThrow('engine "ruff" has no launcher');
  });
});

describe('isLauncherThere', () => {
  it.each<[Launcher, boolean]>([
    [NODE, false],
    [PYTHON, true],
    [PROGRAM, true],
    [DECLARED, true],
  ])('says of %j without anything installed: %s', (launcher, expected) => {
    expect(isLauncherThere(launcher, has())).toBe(expected);
  });

  it('says of a script that is installed that it is there', () => {
    expect(isLauncherThere(NODE, has('node_modules/pyright/index.js'))).toBe(true);
    expect(isLauncherThere(NODE, has('web/node_modules/pyright/index.js'), 'web')).toBe(true);
  });

  it('refuses a launcher of a kind that there is not', () => {
    expect(() => isLauncherThere(forge<Launcher>('{"kind":"odd"}'), has())).toThrow('unexpected value');
  });
});

describe('findNodeScript', () => {
  it('gives the nearest', () => {
    const both = has('node_modules/x.js', 'web/node_modules/x.js');

    expect(findNodeScript('x.js', both, 'web/app')).toBe('web/node_modules/x.js');
    expect(findNodeScript('x.js', both)).toBe('node_modules/x.js');
    expect(findNodeScript('y.js', both, 'web')).toBeNull();
  });

  it('asks for the paths that can be looked up before', () => {
    expect(toNodeScriptPaths('x.js', 'web/app')).toEqual([
      'web/app/node_modules/x.js',
      'web/node_modules/x.js',
      'node_modules/x.js',
    ]);
    expect(toNodeScriptPaths('x.js')).toEqual(['node_modules/x.js']);
  });
});

describe('choosePython', () => {
  it.each([
    ['.venv', ['.venv/bin/python', 'venv/bin/python', 'uv.lock'], 'venv', ['.venv/bin/python']],
    ['venv', ['venv/bin/python', 'uv.lock', 'poetry.lock'], 'venv', ['venv/bin/python']],
    ['uv', ['uv.lock', 'poetry.lock'], 'uv', ['uv', 'run', 'python']],
    ['poetry', ['poetry.lock'], 'poetry', ['poetry', 'run', 'python']],
    ['the machine', [], 'system', ['python3']],
    ['the machine, where a folder is empty', ['.venv', 'venv', 'src/uv.lock'], 'system', ['python3']],
  ])('takes the interpreter of %s (C7, 001.R30, 001.R31, 001.R32)', (_what, paths, manager, argv) => {
    expect(choosePython(has(...paths))).toEqual({ manager, argv });
  });

  it.each([
    ['before the machine', [], 'active', ['/envs/a/bin/python']],
    ['before a lock file', ['uv.lock', 'poetry.lock'], 'active', ['/envs/a/bin/python']],
    ['after that of the project', ['.venv/bin/python'], 'venv', ['.venv/bin/python']],
  ])('takes an environment that is active %s (E15)', (_what, paths, manager, argv) => {
    expect(choosePython(has(...paths), '.', '/envs/a/bin/python')).toEqual({ manager, argv });
  });

  it('asks for nothing but the paths that it names', () => {
    const asked: string[] = [];
    choosePython((path) => {
      asked.push(path);
      return false;
    });

    expect(asked).toEqual(toPythonPaths());
  });

  it.each([
    ['its own', ['svc/api/.venv/bin/python', '.venv/bin/python'], 'venv', ['svc/api/.venv/bin/python']],
    ['that of its lock file', ['svc/api/uv.lock', '.venv/bin/python'], 'uv', ['uv', 'run', 'python']],
    ['the one above', ['svc/venv/bin/python', 'poetry.lock'], 'venv', ['svc/venv/bin/python']],
    ['the one of the root', ['svc/other/uv.lock', 'poetry.lock'], 'poetry', ['poetry', 'run', 'python']],
  ])('takes for a project %s', (_what, paths, manager, argv) => {
    expect(choosePython(has(...paths), 'svc/api')).toEqual({ manager, argv });
    expect(toPythonPaths('svc/api')).toEqual(expect.arrayContaining(paths.filter((path) => !path.startsWith('svc/o'))));
  });
});

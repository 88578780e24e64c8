import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckReport } from '../cli/check-fixture.ts';
import { openWorkshop, toInstalled, type Workshop } from './support/ratchet-check.ts';

const TIMEOUT_MS = 300_000;

let workshop: Workshop;

beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

function toRuns({ runs }: CheckReport): readonly unknown[] {
  return runs.map(({ engine, project, complete, findings }) => [engine, project, complete, findings]);
}

/** What a tool prints that a person runs in a folder. */
async function byHand(folder: string, [program = '', ...args]: readonly string[]): Promise<string> {
  const env = { ...workshop.variables, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await execa(program, args, { cwd: folder, env, extendEnv: false, reject: false });
  return stdout;
}

function count(text: string, pattern: RegExp): number {
  return text.split('\n').filter((line) => pattern.test(line)).length;
}

const RULE = 'export default [{ rules: { "no-var": "error" } }];\n';
const VAR = 'var x = 1;\nconsole.log(x);\n';

describe('ratchet check on projects in one repository', { timeout: TIMEOUT_MS }, () => {
  it('runs eslint for each nearest configuration, counts as eslint does there, and looks at no file twice (E10)', async () => {
    const files = {
      'package.json': '{"workspaces":["packages/*"]}',
      'eslint.config.mjs': 'export default [{ rules: { "no-console": "error" } }];\n',
      'root.js': VAR,
      'packages/a/package.json': '{}',
      'packages/a/eslint.config.mjs': RULE,
      'packages/a/src/x.js': VAR + VAR.replaceAll('x', 'y'),
      'packages/[b] c/package.json': '{}',
      'packages/[b] c/eslint.config.mjs': RULE,
      'packages/[b] c/x.js': VAR,
      'examples/d/package.json': '{}',
      'examples/d/x.js': VAR,
      'test/fixtures/eslint.config.mjs': RULE,
    };
    for (const [name, packaged] of [
      ['latest', 'eslint'],
      ['nine', 'eslint-9'],
    ] as const) {
      const root = await workshop.layProject(`monorepo-${name}`, {
        files,
        packages: { eslint: toInstalled('npm', packaged) },
      });
      const { report } = await workshop.check(root, ['--engine', 'eslint', '--fresh']);
      const bin = join(root, 'node_modules/eslint/bin/eslint.js');
      const inA = await byHand(join(root, 'packages/a'), [process.execPath, bin, '-f', 'json', '.']);

      expect(toRuns(report)).toEqual([
        ['eslint', '.', true, 2],
        ['eslint', 'packages/[b] c', true, 1],
        ['eslint', 'packages/a', true, 2],
      ]);
      expect(inA.match(/"no-var"/gu)).toHaveLength(2);
      expect(report.findings.map(({ path, message }) => `${path ?? ''} ${message.split(' ')[1] ?? ''}`)).toEqual([
        'examples/d/x.js console',
        'packages/[b] c/x.js var,',
        'packages/a/src/x.js var,',
        'packages/a/src/x.js var,',
        'root.js console',
      ]);
    }
  });

  it('counts as tsc --build does for the default of Vite and for projects that reference each other, and writes nothing (E9)', async () => {
    const options =
      '"strict":true,"module":"esnext","moduleResolution":"bundler","target":"es2022","skipLibCheck":true';
    const composite = `"compilerOptions":{"composite":true,"outDir":"dist","rootDir":"src",${options}},"include":["src"]`;
    const files = {
      'package.json': '{"workspaces":["packages/*","web"]}',
      'tsconfig.json': '{"files":[],"references":[{"path":"packages/a"},{"path":"packages/b"}]}',
      'packages/a/tsconfig.json': `{${composite}}`,
      'packages/a/src/index.ts': 'export const x: number = "s";\nexport type T = { a: 1 };\n',
      'packages/b/tsconfig.json': `{${composite},"references":[{"path":"../a"}]}`,
      'packages/b/src/index.ts':
        'import { x, type T } from "../../a/src/index";\nexport const y: string = x;\nexport const t: T = { a: 2 };\n',
      'web/tsconfig.json':
        '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tsconfig.node.json" }], }',
      'web/tsconfig.app.json': `{"compilerOptions":{"tsBuildInfoFile":"./node_modules/.tmp/app","noEmit":true,${options}},"include":["src"]}`,
      'web/tsconfig.node.json': `{"compilerOptions":{"tsBuildInfoFile":"./node_modules/.tmp/node","noEmit":true,${options}},"include":["vite.config.ts"]}`,
      'web/src/main.ts': 'export const a: number = "s";\n',
      'web/vite.config.ts': 'export default 1 as string;\n',
    };
    for (const packaged of ['typescript', 'typescript-5']) {
      const packages = { typescript: toInstalled('npm', packaged) };
      const root = await workshop.layProject(`solution-${packaged}`, { files, packages });
      const { report } = await workshop.check(root, ['--engine', 'tsc', '--fresh']);
      const left = (await execa('git', ['status', '--porcelain', '--ignored', '-uall'], { cwd: root })).stdout;
      const build = [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-b', '--pretty', 'false'];
      const hand = [await byHand(root, build), await byHand(join(root, 'web'), build)].join('\n');

      expect(toRuns(report)).toEqual([
        ['tsc', 'packages/a', true, 1],
        ['tsc', 'packages/b', true, 2],
        ['tsc', 'web', true, 2],
      ]);
      expect(count(hand, /error TS/u)).toBe(5);
      expect(left).toBe('!! node_modules/typescript');
    }
  });

  it('calls mypy and pytest as their users do: `files` and `testpaths` of each project count', async () => {
    const project = (name: string): Readonly<Record<string, string>> => ({
      [`${name}/pyproject.toml`]: '[tool.mypy]\nfiles = ["src"]\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      [`${name}/src/m.py`]: 'x: int = "s"\n',
      [`${name}/scripts/n.py`]: 'y: int = "s"\n',
      [`${name}/tests/test_m.py`]: 'def test_m():\n    assert 1 == 2\n',
      [`${name}/test_other.py`]: 'def test_other():\n    assert 1 == 2\n',
    });
    const files = {
      ...project('svc/api'),
      ...project('svc/web app'),
      'setup.cfg': '[mypy]\n',
      'tool.py': 'z: int = "s"\n',
    };
    const root = await workshop.layProject('python', { files, hasPython: true });

    const { report } = await workshop.check(root, ['--fresh']);
    const set = await workshop.check(root, ['--mode', 'current', 'svc/api']);
    const python = join(root, '.venv/bin/python');
    const hand = await byHand(join(root, 'svc/api'), [python, '-m', 'mypy', '--cache-dir=/dev/null']);

    expect(toRuns(report)).toEqual([
      ['mypy', '.', true, 1],
      ['mypy', 'svc/api', true, 1],
      ['mypy', 'svc/web app', true, 1],
      ['pytest', 'svc/api', true, 1],
      ['pytest', 'svc/web app', true, 1],
    ]);
    expect(count(hand, / error: /u)).toBe(1);
    expect(new Set(report.findings.map(({ path }) => path))).toEqual(
      new Set([
        'tool.py',
        ...['svc/api', 'svc/web app'].flatMap((name) => [`${name}/src/m.py`, `${name}/tests/test_m.py`]),
      ]),
    );
    expect(report.plans.filter(({ engine }) => engine === 'pytest').map(({ targets }) => targets)).toEqual(
      ['svc/api', 'svc/api', 'svc/web app', 'svc/web app'].map((target) => [target]),
    );
    expect(set.report.plans.map(({ engine, targets }) => `${engine} ${targets.join(' ')}`)).toEqual([
      'mypy .',
      'mypy svc/api',
      'mypy ',
      'pytest svc/api',
      'pytest ',
    ]);
    expect(await readdir(join(root, 'svc/api'))).toEqual([
      'pyproject.toml',
      'scripts',
      'src',
      'test_other.py',
      'tests',
    ]);
  });
});

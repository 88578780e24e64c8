import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckReport } from '../cli/check-fixture.ts';
import { readFixture } from './support/fixture.ts';
import { openWorkshop, toInstalled, type Workshop, writeFiles } from './support/ratchet-check.ts';

const RATCHET = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 600_000;

let workshop: Workshop;

beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

function toRuns({ runs }: CheckReport): readonly unknown[] {
  return runs.map(({ engine, complete, findings }) => [engine, complete, findings]);
}

describe('ratchet check on real projects', { timeout: TIMEOUT_MS }, () => {
  it('000.R28, 000.R36: tells of a project of two languages and a shell what each tool finds, also where three others fail', async () => {
    const packages = { eslint: toInstalled('npm', 'eslint'), typescript: toInstalled('npm', 'typescript') };
    const root = await workshop.layProject('mixed', {
      files: await readFixture('check/mixed'),
      packages,
      hasPython: true,
    });

    const first = await workshop.check(root, ['--fresh']);
    const second = await workshop.check(root, ['--fresh']);

    expect(first.exitCode).toBe(1);
    expect(second.json).toBe(first.json);
    expect(toRuns(first.report)).toEqual([
      ['broken', false, 0],
      ['eslint', true, 2],
      ['flake8', true, 1],
      ['missing', false, 0],
      ['mypy', true, 1],
      ['pytest', true, 1],
      ['shellcheck', true, 1],
      ['slow', false, 0],
      ['tsc', true, 1],
    ]);
    expect(first.report.engineErrors.map(({ engine, kind }) => [engine, kind])).toEqual([
      ['broken', 'NO_OUTPUT'],
      ['missing', 'TOOL_NOT_FOUND'],
      ['slow', 'TIMEOUT'],
    ]);
    expect(first.report.summary).toEqual({ diagnostics: 7, hasDiagnostics: true, hasFailures: true });
    expect((await execa('git', ['status', '--porcelain'], { cwd: root })).stdout).toBe('');
  });

  it('finds nothing in a JavaScript project of others, keeps no run whose packages lie elsewhere, and tells what a change makes worse', async () => {
    const sources = { from: toInstalled('third-party', 'light-my-request'), packages: toInstalled('third-party') };
    const root = await workshop.layProject('light-my-request', sources);

    const first = await workshop.check(root, ['--fresh']);
    const second = await workshop.check(root, ['--fresh']);
    const again = await workshop.check(root, []);
    await writeFiles(root, { 'lib/added.js': "'use strict'\n\nvar added = 1;\n" });
    const changed = await workshop.check(root, ['--base', 'HEAD']);

    expect(second.json).toBe(first.json);
    expect({ exitCode: first.exitCode, runs: toRuns(first.report) }).toEqual({
      exitCode: 0,
      runs: [['eslint', true, 0]],
    });
    expect(again.stderr).toContain('eslint (target): 0 findings');
    expect(again.stderr).not.toContain('from the cache');
    expect(changed.exitCode).toBe(1);
    expect(changed.stderr).toContain('eslint (base): 0 findings');
    expect(changed.report.comparison?.engines[0]?.new).toHaveLength(changed.report.findings.length);
    expect(new Set(changed.report.findings.map(({ path }) => path))).toEqual(new Set(['lib/added.js']));
  });

  it('tells of a Python project of others what four tools find', async () => {
    const root = await workshop.layProject('gyp-next', {
      from: toInstalled('third-party', 'node-gyp/gyp'),
      files: {
        // Which duplicates pylint tells of is up to chance.
        '.github/ratchet.yml': [
          'version: 1',
          'engines:',
          '  flake8: true',
          '  mypy: true',
          '  pylint: { paths: [pylib/gyp/common.py, pylib/gyp/xml_fix.py], args: [--disable=duplicate-code] }',
          '  pytest: true',
          '',
        ].join('\n'),
      },
      hasPython: true,
    });

    const first = await workshop.check(root, ['--fresh']);
    const second = await workshop.check(root, ['--fresh']);

    expect(second.json).toBe(first.json);
    expect(first.exitCode).toBe(1);
    expect(first.report.engineErrors).toEqual([]);
    expect(first.report.runs.map(({ engine, complete }) => [engine, complete])).toEqual([
      ['flake8', true],
      ['mypy', true],
      ['pylint', true],
      ['pytest', true],
    ]);
    const [flake8 = 0, mypy = 0, pylint = 0, pytest = -1] = first.report.runs.map(({ findings }) => findings);
    expect(flake8).toBeGreaterThan(1000);
    expect(mypy).toBeGreaterThan(5);
    expect(pylint).toBeGreaterThan(50);
    expect(pytest).toBe(0);
  });

  it('C7: lets pyright know what the virtual environment of a project has, though nobody activated it', async () => {
    const root = await workshop.layProject('typed', {
      files: {
        'a.py': 'import helper\n\nhelper.double("2")\n',
        'pyrightconfig.json': '{}\n',
        '.github/ratchet.yml': 'version: 1\nengines:\n  pyright: true\n  basedpyright: true\n',
      },
      packages: { pyright: toInstalled('npm', 'pyright'), basedpyright: toInstalled('npm', 'basedpyright') },
      hasPython: true,
    });
    const [library = ''] = await readdir(join(root, '.venv/lib'));
    await writeFiles(root, {
      [`.venv/lib/${library}/site-packages/helper/__init__.py`]: 'def double(x: int) -> int: return 2 * x\n',
      [`.venv/lib/${library}/site-packages/helper/py.typed`]: '',
    });

    const { report } = await workshop.check(root, ['--fresh']);

    expect(report.engineErrors).toEqual([]);
    expect(new Set(report.findings.map(({ tool }) => tool))).toEqual(new Set(['pyright', 'basedpyright']));
    expect(report.findings.filter(({ message }) => message.includes('could not be resolved'))).toEqual([]);
  });

  it('finds nothing in a part of Ratchet itself, by the policy that Ratchet has', async () => {
    const argv = ['--mode', 'current', 'src/core/engines'];
    const { exitCode, report } = await workshop.check(RATCHET, argv);

    expect(report.findings).toEqual([]);
    expect({ exitCode, runs: toRuns(report) }).toEqual({
      exitCode: 0,
      runs: [
        ['biome', true, 0],
        ['oxlint', true, 0],
        ['tsc', true, 0],
      ],
    });
  });
});

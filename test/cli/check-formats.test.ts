import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSarifErrors } from '../support/sarif-schema.ts';
import { type Checkout, createCheckout, parseDocument, parsePlans, parseReport } from './check-fixture.ts';

let checkout: Checkout;

beforeEach(async () => {
  checkout = await createCheckout({ isPlain: false });
});
afterEach(() => checkout.remove());

/** Engines of the repository's own, each a line of shell. */
function toPolicy(engines: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const lines = Object.entries(engines).map(([id, script]) => {
    const engine = {
      command: ['/bin/sh', '-c', script, 'engine', '{targets}'],
      format: 'jsonl',
      emptyMeansClean: true,
      globs: ['**/*.txt'],
    };
    return `  ${id}: ${JSON.stringify(engine)}\n`;
  });
  return { '.github/ratchet.yml': `version: 1\nengines:\n${lines.join('')}` };
}

const HOSTILE = String.raw`::error::x%0A##[add-matcher]y`;
const FINDS = `echo '${JSON.stringify({ path: 'a.txt', line: 2, rule: 'r', severity: 'high', message: HOSTILE })}'`;
const BROKEN = 'echo "##[group]it is broken" >&2; exit 3';

async function sarifOf(argv: readonly string[]): Promise<{ readonly exitCode: number; readonly log: unknown }> {
  const { exitCode, stdout } = await checkout.check(['--sarif', ...argv]);
  const log: unknown = JSON.parse(stdout);
  expect(findSarifErrors(log)).toEqual([]);
  return { exitCode, log };
}

describe('ratchet check --sarif', () => {
  it('prints one valid log with what was found and which engine failed', async () => {
    await checkout.write({ 'a.txt': '1\n2\n', ...toPolicy({ broken: BROKEN, finds: FINDS }) });

    const { exitCode, log } = await sarifOf([]);

    expect(exitCode).toBe(1);
    expect(log).toMatchObject({
      runs: [
        { tool: { driver: { name: 'ratchet', version: '1.2.3' } }, invocations: [{ executionSuccessful: false }] },
        { tool: { driver: { name: 'broken' } }, invocations: [{ executionSuccessful: false, exitCode: 3 }] },
        {
          tool: { driver: { name: 'finds' } },
          invocations: [{ executionSuccessful: true }],
          results: [{ ruleId: 'r' }],
        },
      ],
    });
  });

  it('prints a log that is not clean where nothing could run', async () => {
    await checkout.write({ 'a.txt': '' });

    const { exitCode, log } = await sarifOf(['b.txt']);

    expect(exitCode).toBe(2);
    expect(log).toMatchObject({ runs: [{ invocations: [{ executionSuccessful: false, exitCode: 2 }], results: [] }] });
  });
});

describe('ratchet check --format github', () => {
  it('prints annotations, a report without commands, and appends a summary of the step', async () => {
    await checkout.write({ 'a.txt': '1\n2\n', ...toPolicy({ broken: BROKEN, finds: FINDS }) });
    const summary = join(checkout.caches, 'summary.md');
    const variables = { GITHUB_WORKSPACE: join(checkout.root, '..'), GITHUB_STEP_SUMMARY: summary };

    const { exitCode, stdout, stderr, told } = await checkout.check(['--format', 'github'], { variables });

    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    const lines = `${stdout}\n${told}`.split('\n');
    expect(lines.filter((line) => line.trimStart().startsWith('::') || line.includes('##['))).toEqual([
      '::error title=broken::NO_OUTPUT (target): it wrote nothing (exit code 3)',
      `::error title=finds r,file=checkout/a.txt,line=2::${HOSTILE.replace('%', '%25')}`,
    ]);
    expect(stdout).toContain('a.txt\n  2        high    ::error::x%0A## [add-matcher]y  finds r\n');
    expect(stdout).toContain('## [group]it is broken');
    expect(await readFile(summary, 'utf8')).toContain('### Ratchet: ✗ 1 finding\n');
  });

  it('says that the summary cannot be written, and that it could not check', async () => {
    await checkout.write({ 'a.txt': '', ...toPolicy({ clean: 'true' }) });
    const variables = { GITHUB_STEP_SUMMARY: join(checkout.caches, 'gone/summary.md') };

    const clean = await checkout.check(['--format', 'github'], { variables });
    const wrong = await checkout.check(['--format', 'github', '::x'], { variables });

    expect(clean.exitCode).toBe(0);
    expect(clean.stderr).toContain('ratchet: check: the summary of the step cannot be written: ENOENT');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '::error title=ratchet check::PATH: there is no ::x\n' });
  });
});

describe('the documents of ratchet check --json', () => {
  it('fit the published schema, also with a base, and say why a run is not complete (E20)', async () => {
    await checkout.write({ 'a.txt': '1\n2\n', ...toPolicy({ broken: BROKEN, finds: FINDS }) });
    await checkout.commitAll();

    const { stdout } = await checkout.check(['--json', '--base', 'HEAD']);

    expect(parseReport(stdout).engineErrors).toHaveLength(1);
    expect(parseDocument(stdout)).toMatchObject({
      runs: [
        { engine: 'broken', complete: false, incompleteWhy: 'it wrote nothing (exit code 3)' },
        { engine: 'finds', complete: true, incompleteWhy: null },
      ],
    });
    expect(parsePlans((await checkout.check(['--plan', '--json'])).stdout).plans).toHaveLength(4);
    expect(parseDocument((await checkout.check(['--json', 'gone'])).stdout)).toMatchObject({ error: { exitCode: 2 } });
  });

  it('the command that installs missing dependencies is named (E21)', async () => {
    const manifest = { name: 'a', devDependencies: { eslint: '*' } };
    const lock = { lockfileVersion: 3, packages: { '': {}, 'node_modules/eslint': {} } };
    const files = { 'package.json': JSON.stringify(manifest), 'eslint.config.js': '', 'a.js': '' };
    await checkout.write(files);
    const unlocked = await checkout.check([]);
    await checkout.write({ 'package-lock.json': JSON.stringify(lock) });
    const locked = await checkout.check([]);

    expect(unlocked.stdout).toContain('dependencies are not installed: run npm install\n');
    expect(locked.stdout).toContain('dependencies are not installed: run npm ci\n');
  });
});

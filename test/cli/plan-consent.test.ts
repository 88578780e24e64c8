import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPlanRun } from '../../src/cli/plan-run.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plan-consent-'));
  await mkdir(join(root, 'dir'));
});
afterEach(async () => rm(root, { recursive: true, force: true }));

/** Runs a plan that makes one file. `typed`: what the person answers; null: there is no terminal. */
async function run(typed: string | Error | null, args: readonly string[] = [], path = 'made') {
  const file = join(root, 'plan.json');
  const step = { step_id: 1, action_type: 'create_file', description: 'make', params: { path, content: 'x' } };
  await writeFile(file, JSON.stringify({ steps: [step] }));
  const told: string[] = [];
  const prompts: string[] = [];
  const end = await runPlanRun(['plan.json', '--dir', 'dir', '--unsandboxed', ...args].with(0, file), {
    ...{ variables: { XDG_STATE_HOME: join(root, 'state'), HOME: root }, isRoot: process.geteuid?.() === 0 },
    ...{ nodePath: process.execPath, folder: root, stdin: (async function* none() {})(), isTerminal: false },
    readLine:
      typed === null
        ? null
        : async (prompt) => {
            prompts.push(prompt);
            if (typed instanceof Error) throw typed;
            return typed;
          },
    tell: (text) => void told.push(text),
    stop: new AbortController().signal,
  });
  return { ...end, told: told.join(''), prompts, made: await readdir(join(root, 'dir')) };
}

describe('a plan file, which may come from a stranger', () => {
  it('is shown and asked for, and runs only after yes', async () => {
    const { exitCode, told, prompts, made } = await run(' YES ');

    expect(prompts).toEqual(['Run this plan? Type yes: ']);
    expect(told).toContain('made');
    expect(told).toContain('NOT in a sandbox');
    expect([exitCode, made]).toEqual([0, ['made']]);
  });

  it.each([['no'], ['y'], [''], ['yes please'], [new Error('Ctrl-C')]])('does not run after %j', async (typed) => {
    const { exitCode, stderr, made } = await run(typed);

    expect([exitCode, stderr, made]).toEqual([1, 'ratchet: plan: nothing was run\n', []]);
  });

  it('does not run where nobody can be asked', async () => {
    const { exitCode, stderr, made } = await run(null);

    expect([exitCode, made]).toEqual([2, []]);
    expect(stderr).toContain('--yes');
  });

  it.each([['--yes'], ['--json']])('runs without a question with %s', async (flag) => {
    expect(await run(null, [flag])).toMatchObject({ exitCode: 0, prompts: [], made: ['made'] });
  });

  it('is shown without the escape codes in it', async () => {
    const { told } = await run('no', [], '\u001B[2Ka\u001B]0;owned\u0007');

    expect(told).not.toMatch(/[\u001B\u0007]/u);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPlan } from '../../src/cli/plan.ts';
import { parseStructuredPlan } from '../../src/schemas/structured-plan.ts';

const folder = { path: '' };
beforeAll(() => {
  folder.path = mkdtempSync(join(tmpdir(), 'plan-'));
});
afterAll(() => {
  rmSync(folder.path, { recursive: true, force: true });
});

async function* toStream(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function run(args: readonly string[], plan: unknown = {}): ReturnType<typeof runPlan> {
  return runPlan(args, { stdin: toStream(typeof plan === 'string' ? plan : JSON.stringify(plan)) });
}

const EVERY_ACTION = [
  ['create_file', { path: 'a', content: '', mode: '100755' }],
  ['modify_file', { path: 'a', content: 'b' }],
  ['modify_file', { path: 'a', old: 'b', new: '' }],
  ['delete_file', { path: 'a' }],
  ['run_command', { argv: ['make', ''], cwd: 'x', undo: ['make', 'clean'] }],
  ['read_file', { path: 'a' }],
  ['get_user_input', { question: 'Which?', choices: ['a', 'b', 'c'] }],
  [
    'browser_act',
    {
      serve: { argv: ['serve'], url: 'http://127.0.0.1:80/' },
      actions: [
        { type: 'open', path: '/' },
        { type: 'click', selector: 'a' },
        { type: 'fill', selector: 'input', value: '' },
        { type: 'expect', selector: 'h1', text: 'Hi' },
        { type: 'screenshot', name: 'end' },
      ],
    },
  ],
] as const;

describe('ratchet plan validate', () => {
  it('accepts every action, and prints the batches', async () => {
    const steps = EVERY_ACTION.map(([action_type, params], index) => ({ step_id: index, action_type, params }));
    const last = { step_id: 'z', action_type: 'read_file', params: { path: 'a' }, depends_on: [0, '7'] };

    const { exitCode, stdout, stderr } = await run(['validate', '-', '--json'], { steps: [...steps, last] });

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ valid: true, errors: [], batches: [[0, 1, 2, 3, 4, 5, 6, 7], ['z']] });
  });

  it('gives a step and a plan the defaults of document 004', () => {
    const plan = parseStructuredPlan({ steps: [{ step_id: 1, action_type: 'own', params: { any: 1 } }] });

    expect(plan).toEqual({
      budget_usd: 0.1,
      steps: [
        {
          ...{ step_id: 1, action_type: 'own', description: '', depends_on: [], rollback_on_fail: false },
          ...{ max_retries: 2, timeout_seconds: 300, params: { any: 1 }, when: null, estimate_usd: null },
        },
      ],
    });
  });

  it.each<[string, unknown, string, RegExp]>([
    ['no JSON', '{"steps":', 'schema', /the plan is not JSON: /u],
    ['another document', [], 'schema', /the input: /u],
    ['an unknown key', { steps: [], extra: 1 }, 'schema', /extra/u],
    ['a step without an id', { steps: [{ action_type: 'read_file' }] }, 'schema', /steps\.0\.step_id: /u],
    [
      'parameters of another action',
      { steps: [{ step_id: 1, action_type: 'create_file', params: { argv: ['x'] } }] },
      'schema',
      /steps\.0\.params/u,
    ],
    [
      'both ways to change a file at once',
      { steps: [{ step_id: 1, action_type: 'modify_file', params: { path: 'a', content: '', old: 'x', new: 'y' } }] },
      'schema',
      /expected \{path, content\} or \{path, old, new\}/u,
    ],
    [
      'more choices than a check run has buttons',
      {
        steps: [
          { step_id: 1, action_type: 'get_user_input', params: { question: '?', choices: ['a', 'b', 'c', 'd'] } },
        ],
      },
      'schema',
      /steps\.0\.params\.choices: /u,
    ],
    ...[
      ['a choice of two lines', ['yes\n  2) no', 'no'], /choices\.0: .*one line that people can see/u] as const,
      ['a choice that nobody sees', ['\u200B', 'no'], /choices\.0: .*one line that people can see/u] as const,
      ['a choice that turns its text around', ['\u202Eon', 'no'], /choices\.0: /u] as const,
      ['a choice with an escape code', ['\u001B[8myes', 'no'], /choices\.0: /u] as const,
      ['a blank choice', [' ', 'no'], /choices\.0: /u] as const,
      ['choices that differ by case alone', ['Yes', 'yes'], /choices: expected choices that differ/u] as const,
      ['10,000 choices', Array.from({ length: 10_000 }, (_, index) => String(index)), /choices: /u] as const,
    ].map(([what, choices, message]): [string, unknown, string, RegExp] => [
      what,
      { steps: [{ step_id: 1, action_type: 'get_user_input', params: { question: '?', choices } }] },
      'schema',
      message,
    ]),
    ['a budget below zero', { steps: [], budget_usd: -1 }, 'schema', /budget_usd: /u],
    ['an action of nobody', { steps: [{ step_id: 1, action_type: 'fly' }] }, 'unsupported_action', /fly/u],
    [
      'a ring',
      { steps: [{ step_id: 1, action_type: 'read_file', params: { path: 'a' }, depends_on: [1] }] },
      'cycle',
      /needs itself/u,
    ],
  ])('refuses %s, with exit code 2', async (_what, plan, reason, message) => {
    const { exitCode, stdout } = await run(['validate', '-'], plan);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, batches: [] });
    expect(stdout).toContain(`"code":"PLAN_INVALID","reason":"${reason}"`);
    expect(stdout).toMatch(message);
  });
});

describe('ratchet plan', () => {
  it('shows a plan from a file, as text and as a drawing', async () => {
    const path = join(folder.path, 'plan.json');
    // Some editors write a byte order mark.
    writeFileSync(
      path,
      `\uFEFF${JSON.stringify({ steps: [{ step_id: 1, action_type: 'read_file', params: { path: 'a' } }] })}`,
    );

    expect((await run(['show', path])).stdout).toBe('1 step in 1 batch\nBatch 1\n  1  read_file\n');
    expect((await run(['show', path, '--mermaid'])).stdout).toMatch(/^flowchart TD\n/u);
  });

  it.each<[readonly string[], unknown, RegExp]>([
    [[], {}, /^ratchet: plan: say what to do: validate, show, run, undo/u],
    [['fly'], {}, /say what to do/u],
    [['validate'], {}, /name the file of the plan, or - for stdin/u],
    [['validate', '-', 'x'], {}, /unexpected argument "x"/u],
    [['validate', '--mermaid'], {}, /unexpected argument "--mermaid"/u],
    [['show', '/nowhere/plan.json'], {}, /there is no file \/nowhere\/plan\.json/u],
    [['show', '/'], {}, /is a folder, not a file/u],
    [['show', '-'], { steps: [] }, /The plan has no steps\./u],
    [['validate', '-'], ' '.repeat(17 * 1024 * 1024), /longer than 16777216 bytes/u],
  ])('%j is refused in one line, with exit code 2', async (args, plan, problem) => {
    const { exitCode, stdout, stderr } = await run(args, plan);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd()).toMatch(problem);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

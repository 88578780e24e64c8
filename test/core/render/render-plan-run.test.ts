import { describe, expect, it } from 'vitest';
import type { ExecutionResult, StepResult } from '../../../src/core/model/plan-run.ts';
import { toMermaid } from '../../../src/core/render/render-plan.ts';
import { renderPlanActions } from '../../../src/core/render/render-plan-actions.ts';
import { renderPlanRun, toCauseText, toPlanRunJson } from '../../../src/core/render/render-plan-run.ts';
import { aStep } from '../execution/plan-steps.ts';

const COMPLETED: StepResult = {
  ...{ state: 'completed', cause: null, attempts: 1, costUsd: 0, durationMs: 1500, output: 'out' },
};
const RESULT: ExecutionResult = {
  results: new Map<string, StepResult>([
    ['1', COMPLETED],
    [
      'two',
      {
        ...COMPLETED,
        state: 'failed',
        attempts: 3,
        costUsd: 0.02,
        cause: aCause('ACTION_FAILED', null, 'a\u001B[2J\nb'),
      },
    ],
    [
      '3',
      { ...COMPLETED, state: 'skipped', attempts: 0, durationMs: 0, output: '', cause: aCause('DEPENDENCY', 'two') },
    ],
    ['4', { ...COMPLETED, state: 'rolled_back', cause: aCause('ROLLBACK', 'two') }],
    ['5', { ...COMPLETED, state: 'rollback_failed', cause: aCause('ROLLBACK', null, 'x'.repeat(200)) }],
  ]),
  stats: { completed: 1, failed: 1, skipped: 1, rolledBack: 1, rollbackFailed: 1, costUsd: 0.02, durationMs: 3000 },
};
const STEPS = [aStep(1), aStep('two'), aStep(3, ['two']), aStep(4), aStep(5), aStep('not ended')];

function aCause(
  code: NonNullable<StepResult['cause']>['code'],
  step: string | null,
  message = '',
): NonNullable<StepResult['cause']> {
  return { code, step, message };
}

describe('the end of a run', () => {
  it('(004.R11) is one JSON document with the result of each step and the sums', () => {
    expect(JSON.parse(JSON.stringify(toPlanRunJson('r1', RESULT)))).toMatchObject({
      runId: 'r1',
      results: {
        1: { state: 'completed', cause: null, attempts: 1, costUsd: 0, durationMs: 1500, output: 'out' },
        two: { state: 'failed', attempts: 3, costUsd: 0.02 },
        3: { state: 'skipped', cause: 'DEPENDENCY: step two' },
      },
      stats: { completed: 1, failed: 1, skipped: 1, rolledBack: 1, rollbackFailed: 1, costUsd: 0.02, durationMs: 3000 },
    });
  });

  it('keeps the result of a step whose id means something in JavaScript', () => {
    const results = new Map([['__proto__', COMPLETED]]);

    expect(Object.keys(toPlanRunJson('r1', { ...RESULT, results }).results)).toEqual(['__proto__']);
  });

  it.each([
    ['BUDGET', null, '', 'BUDGET'],
    ['DEPENDENCY', 'two', 'it failed', 'DEPENDENCY: step two'],
    ['TIMEOUT', null, 'It took too long.', 'TIMEOUT: It took too long.'],
  ] as const)('begins a cause with its code %s', (code, step, message, text) => {
    expect(toCauseText({ code, step, message })).toBe(text);
  });

  it('is a line for each step and the sums in a terminal, without what could change the terminal', () => {
    const lines = renderPlanRun(STEPS, RESULT).split('\n');

    expect(lines).toEqual([
      '1  completed  1.5 s',
      'two  failed  1.5 s  0.02 USD  3 attempts  ACTION_FAILED: a[2J b',
      '3  skipped  DEPENDENCY: step two',
      '4  rolled_back  1.5 s  ROLLBACK: step two',
      `5  rollback_failed  1.5 s  ROLLBACK: ${'x'.repeat(89)}…`,
      '1 completed, 1 failed, 1 skipped, 1 rolled back, 1 not rolled back; 0.02 USD, 3.0 s',
      '',
    ]);
  });

  it('names only what happened in the sums, and has a bound', () => {
    const steps = Array.from({ length: 202 }, (_, index) => aStep(index));
    const results = new Map(steps.map(({ step_id }) => [String(step_id), COMPLETED]));
    const stats = {
      completed: 202,
      failed: 0,
      skipped: 0,
      rolledBack: 0,
      rollbackFailed: 0,
      costUsd: 0,
      durationMs: 0,
    };
    const lines = renderPlanRun(steps, { results, stats }).split('\n');

    expect(lines.slice(199)).toEqual([
      '199  completed  1.5 s',
      'and 2 more steps',
      '202 completed; 0.00 USD, 0.0 s',
      '',
    ]);
  });

  it('(004.R31) is a drawing in which each step has its state', () => {
    const drawing = toMermaid(STEPS, RESULT.results).split('\n');

    expect(drawing[1]).toBe('  s0["1<br>run_command<br>step 1<br>completed"]:::completed');
    expect(drawing[6]).toBe('  s5["not ended<br>run_command<br>step not ended"]');
    expect(drawing.filter((line) => line.includes('classDef')).map((line) => line.split(' ')[3])).toEqual([
      ...['completed', 'failed', 'skipped', 'rolled_back', 'rollback_failed'],
    ]);
    expect(toMermaid([aStep(1)], RESULT.results)).not.toContain('classDef failed');
  });
});

describe('a plan before it runs', () => {
  it('(004.R31) shows each command and each file', () => {
    const steps = [
      aStep(1, [], { params: { argv: ['sh', '-c', 'echo "hi"; rm -r x'], cwd: 'lib', undo: ['make', 'clean'] } }),
      aStep(2, [1], { action_type: 'create_file', params: { path: 'a.sh', content: 'x', mode: '100755' } }),
      aStep(3, [1, 2], { action_type: 'modify_file', params: { path: 'a', old: 'b', new: 'c' } }),
      aStep(4, [], {
        action_type: 'modify_file',
        params: { path: 'a', content: 'abc' },
        when: { step: 1, is: 'failed' },
      }),
      aStep(5, [], { action_type: 'delete_file', params: { path: 'a' } }),
      aStep(6, [], { action_type: 'get_user_input', params: { question: 'Why?' } }),
      aStep(7, [], { params: {} }),
    ];

    expect(renderPlanActions({ steps }, 0.1).split('\n')).toEqual([
      '7 steps, at most 0.1 USD',
      String.raw`  1  run_command  sh -c "echo \"hi\"; rm -r x"  in lib  undone by make clean`,
      '  2  create_file  a.sh  (1 character, executable)  (after 1)',
      '  3  modify_file  a  (a part of it)  (after 1, 2)',
      '  4  modify_file  a  (3 characters)  (if 1 failed)',
      '  5  delete_file  a',
      '  6  get_user_input  {"question":"Why?"}',
      '  7  run_command  ',
      '',
    ]);
  });

  it('shows what a stranger would hide', () => {
    const argv = ['sh', '-c', 'true \u202E\u200B\u3164\u001B[8m; rm', 'x\ny', `${'a'.repeat(4000)}b`];
    const shown = renderPlanActions({ steps: [aStep('\u0007', [], { params: { argv } })] }, 1);

    expect(shown).toContain(String.raw`\u{7}  run_command`);
    expect(shown).toContain(String.raw`true \u{202e}\u{200b}\u{3164}\u001b[8m; rm" "x\ny" aaa`);
    expect(shown).toMatch(/a… \(\d+ more characters\)\n$/u);
    expect(shown.split('\n')).toHaveLength(3);
  });
});

import { describe, expect, it } from 'vitest';
import { describePlanRun } from '../../../src/core/planner/describe-plan-run.ts';
import { aResult, aStep } from '../execution/plan-steps.ts';

const skipped = aResult({ state: 'skipped', durationMs: 5 });

describe('what is said of the steps of a model', () => {
  it('is one line for each, with its end and its time (004.R31)', () => {
    const steps = [aStep(1), aStep('b', [1], { description: '' }), aStep(3), aStep(4)];
    const results = new Map([
      ['1', aResult({ durationMs: 1500 })],
      ['b', skipped],
      ['3', aResult({ state: 'rolled_back', durationMs: 100 })],
    ]);

    expect(describePlanRun({ steps, budget_usd: 1 }, { results })).toBe(
      [
        'Its plan:',
        '1 run_command step 1: completed, 1.5 s',
        'b run_command: skipped',
        '3 run_command step 3: rolled back, 0.1 s',
        '4 run_command step 4: no result',
      ].join('\n'),
    );
  });

  it('is bounded, and each step stays on its line', () => {
    const steps = Array.from({ length: 17 }, (_, id) => aStep(id, [], { description: `a\nb ${'c'.repeat(200)}` }));
    const lines = describePlanRun({ steps, budget_usd: 1 }, { results: new Map() }).split('\n');

    expect(lines).toHaveLength(17);
    expect(lines.at(-1)).toBe('2 more steps');
    expect(lines[1]).toMatch(/^0 run_command a b c{62}: no result$/u);
    expect(describePlanRun({ steps: steps.slice(0, 15), budget_usd: 1 }, { results: new Map() })).not.toContain('more');
  });
});

import { describe, expect, it } from 'vitest';
import { toBatches } from '../../../src/core/execution/plan-batches.ts';
import { renderPlan, toMermaid } from '../../../src/core/render/render-plan.ts';
import { aStep } from '../execution/plan-steps.ts';

const STEPS = [
  aStep(1),
  aStep('two', [1], { rollback_on_fail: true }),
  aStep(3, [1], { description: '', when: { step: 'two', is: 'failed' } }),
];

describe('a plan for people', () => {
  it('shows its batches, and what each step waits for', () => {
    expect(renderPlan(toBatches(STEPS).batches)).toBe(
      [
        '3 steps in 3 batches',
        'Batch 1',
        '  1  run_command  step 1',
        'Batch 2',
        '  two  run_command  step two  (after 1; undoes all if it fails)',
        'Batch 3',
        '  3  run_command  (after 1; if two failed)',
        '',
      ].join('\n'),
    );
  });

  it('is a flowchart with dotted arrows for conditions', () => {
    expect(toMermaid(STEPS)).toBe(
      [
        'flowchart TD',
        '  s0["1<br>run_command<br>step 1"]',
        '  s1["two<br>run_command<br>step two"]',
        '  s2["3<br>run_command<br>"]',
        '  s0 --> s1',
        '  s0 --> s2',
        '  s1 -. failed .-> s2',
        '',
      ].join('\n'),
    );
  });

  it('draws no arrow from a step that the plan does not have', () => {
    expect(toMermaid([aStep(1, ['gone'])])).toBe('flowchart TD\n  s0["1<br>run_command<br>step 1"]\n');
  });

  it('lets no text of the plan end a label, a line or the terminal, and cuts it', () => {
    const hostile = aStep('a"]\n\u001B[31m', [], { description: `"] --> x <script>${'y'.repeat(200)}` });
    const [, node = ''] = toMermaid([hostile]).split('\n');

    expect(node).toMatch(/^ {2}s0\["[^"\n<>[\]]*<br>run_command<br>[^"\n<>[\]]*"\]$/u);
    expect(node.length).toBeLessThan(400);
    expect(renderPlan([[hostile]])).not.toContain('\u001B');
    expect(renderPlan([[hostile]]).split('\n')).toHaveLength(4);
  });
});

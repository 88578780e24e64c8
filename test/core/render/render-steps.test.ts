import { describe, expect, it } from 'vitest';
import type { StepResult } from '../../../src/core/model/plan-run.ts';
import { drawSteps, renderAgentSteps, renderSteps } from '../../../src/core/render/render-steps.ts';
import { aResult, aStep } from '../execution/plan-steps.ts';

function row(result: StepResult | null, description = 'Fetch the repository'): string {
  const text = renderSteps([{ step: aStep('fetch', [], { description }), result }]);
  return text.split('\n').find((line) => line.startsWith('|') && !/^\| (?:Step|---)/u.test(line)) ?? '';
}

const stopped = { code: 'CANCELLED', step: null, message: 'stopped' } as const;
const broken = { code: 'ACTION_FAILED', step: null, message: 'it broke' } as const;
const behind = { code: 'DEPENDENCY', step: 'a', message: 'no' } as const;

describe('the table of steps (004.R31)', () => {
  it('is not there without steps', () => {
    expect(renderSteps([])).toBe('');
  });

  it.each<[string, StepResult | null, string]>([
    ['one that completed', aResult({ durationMs: 1500, costUsd: 0.25 }), 'completed | 1.5 s | 0.25 USD'],
    ['one that cost nothing', aResult({ durationMs: 40 }), 'completed | 0.0 s | '],
    [
      'one that ended it all',
      aResult({ state: 'failed', cause: broken, durationMs: 100 }),
      'ended the attempt | 0.1 s | ',
    ],
    ['one that was stopped', aResult({ state: 'failed', cause: stopped, durationMs: 100 }), 'stopped | 0.1 s | '],
    ['one behind it', aResult({ state: 'skipped', cause: behind, durationMs: 7, costUsd: 7 }), 'not reached |  | '],
    ['one that was not begun', aResult({ state: 'skipped', cause: stopped }), 'not reached |  | '],
    ['one that was undone', aResult({ state: 'rolled_back', durationMs: 100 }), 'undone | 0.1 s | '],
    [
      'one that was not undone',
      aResult({ state: 'rollback_failed', durationMs: 100 }),
      'could not be undone | 0.1 s | ',
    ],
    ['one whose process ended', null, 'interrupted |  | '],
  ])('says of %s what became of it', (_what, result, expected) => {
    expect(row(result)).toBe(`| Fetch the repository | ${expected} |`);
  });

  it('names a step without a description by its id, and lets no name break the table', () => {
    expect(row(aResult(), '')).toContain('| fetch |');
    expect(row(aResult(), 'a | b\n<script> @ada')).not.toMatch(/a \| b|<script>|\n|@ada/u);
  });

  it('shows no more than fifty steps, and counts the rest', () => {
    const text = renderSteps(Array.from({ length: 53 }, (_, index) => ({ step: aStep(index), result: aResult() })));

    expect(text.match(/completed/gu)).toHaveLength(50);
    expect(text).toContain('\n3 more\n');
    expect(renderSteps(Array.from({ length: 50 }, (_, id) => ({ step: aStep(id), result: null })))).not.toContain(
      'more',
    );
  });
});

describe('the steps of the plan of an agent (004.R31)', () => {
  const steps = [
    { step: aStep('fix', [], { description: 'fix modify_file' }), result: aResult({ durationMs: 1500 }) },
    {
      step: aStep('check', ['fix'], { description: 'check run_command a | b @ada' }),
      result: aResult({ state: 'failed', cause: broken, durationMs: 100 }),
    },
    { step: aStep('late', ['check'], { description: 'late run_command' }), result: null },
  ];

  it('are a table of the same kind, in which a step that fails ends no attempt', () => {
    const text = renderAgentSteps(steps);
    expect(text).toContain("Steps of the agent's plan");
    expect(text).toContain('| fix modify\\_file | completed | 1.5 s |  |');
    expect(text).toMatch(/^\| check run\\_command a \\\| b [^|\n]+\| failed \| 0\.1 s \| {2}\|$/mu);
    expect(text).toContain('| late run\\_command | interrupted |');
    expect(text).not.toMatch(/ended the attempt|@ada/u);
    expect(renderAgentSteps([])).toBe('');
  });

  it('are a graph with their states', () => {
    const graph = drawSteps(steps);
    expect(graph).toMatch(/^flowchart TD\n {2}s0\["fix<br>[^"]*<br>fix modify_file<br>completed"\]:::completed\n/u);
    expect(graph).toContain('  s0 --> s1\n  s1 --> s2\n');
    expect(graph).toContain(':::failed');
    expect(graph).toMatch(/s2\["late<br>[^"]*<br>late run_command"\]\n/u);
  });
});

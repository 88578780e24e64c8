import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../../src/core/prompts/render-prompt.ts';

describe('renderPrompt', () => {
  it('is the task, after what holds for every task', () => {
    expect(renderPrompt({ instructions: { task_prompt: 'Repair it.\n' } })).toBe('Repair it.\n');
    expect(renderPrompt({ instructions: { system_prompt: 'Be careful.', task_prompt: 'Repair it.\n' } })).toBe(
      'Be careful.\n\nRepair it.\n',
    );
  });
});

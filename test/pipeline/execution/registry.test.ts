import { describe, expect, it } from 'vitest';
import { executePlan } from '../../../src/pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../../../src/pipeline/execution/execution-tool-registry.ts';
import type { ActionAdapter } from '../../../src/ports/execution.ts';
import { aStep } from '../../core/execution/plan-steps.ts';
import { aNoteAdapter, aNoteBook, anExecution, aPlan, type NoteBook } from './execution-fixture.ts';

describe('the registry of action types', () => {
  it('knows the tool and the adapter of each type, and nothing of others (004.R2, R12)', () => {
    const adapter = aNoteAdapter();
    const registry = createExecutionToolRegistry([adapter]);

    expect(registry.getToolName('run_command')).toBe('write a note');
    expect(registry.getAdapter('run_command')).toBe(adapter);
    expect([registry.getToolName('fly'), registry.getAdapter('fly')]).toEqual([null, null]);
    expect([...registry.actionTypes]).toEqual(['run_command']);
  });

  it('refuses two adapters of one type', () => {
    expect(() => createExecutionToolRegistry([aNoteAdapter(), aNoteAdapter()])).toThrow('same action type');
  });

  it('takes a new type by one adapter: plans can use it at once (004.R12, R29)', async () => {
    const shout: ActionAdapter<NoteBook> = {
      ...{ actionType: 'shout', toolName: 'shout', estimateUsd: 0 },
      prepareUndo: async () => null,
      act: async ({ params }) => ({ kind: 'completed', output: String(params['text']).toUpperCase(), costUsd: 0 }),
      undo: async () => ({ note: null }),
    };
    const registry = createExecutionToolRegistry([aNoteAdapter(), shout]);
    const plan = aPlan([aStep(1), aStep(2, [1], { action_type: 'shout', params: { text: 'done' } })]);
    const { results } = await executePlan(plan, anExecution(aNoteBook(), {}, { registry }));

    expect(results.get('2')).toMatchObject({ state: 'completed', output: 'DONE' });
  });
});

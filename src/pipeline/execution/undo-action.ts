import { UNDO_ACTION } from '../../core/execution/undo-plan.ts';
import type { ActionAdapter, Compensation, ExecutionToolRegistry } from '../../ports/execution.ts';

/**
 * Carries out the steps of a generated undo plan. Only for such plans: whoever writes a compensation decides what is written to the
 * place.
 */
export function createUndoAdapter<Place>(registry: ExecutionToolRegistry<Place>): ActionAdapter<Place> {
  return {
    actionType: UNDO_ACTION,
    toolName: 'undo a step',
    estimateUsd: 0,
    prepareUndo: async () => null,
    act: async ({ params }, { place }, signal) => {
      const { action_type: actionType, compensation } = params;
      const adapter = registry.getAdapter(String(actionType));
      if (adapter === null || !isCompensation(compensation)) {
        const message = `Nothing undoes the action type ${String(actionType)}.`;
        return { kind: 'failed', isTransient: false, message, output: '', costUsd: 0 };
      }
      const { note } = await adapter.undo(compensation, place, signal);
      return { kind: 'completed', output: note ?? '', costUsd: 0 };
    },
    undo: async () => ({ note: null }),
  };
}

function isCompensation(value: unknown): value is Compensation {
  return typeof value === 'object' && value !== null;
}

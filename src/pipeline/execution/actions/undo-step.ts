import { UNDO_ACTION } from '../../../core/execution/undo-plan.ts';
import type { ActionAdapter, ExecutionToolRegistry } from '../../../ports/execution.ts';

/** The steps of an undo plan (004.R16): each lets the adapter of the step that it undoes do it. Only Ratchet makes such steps. */
export function createUndoStep<Place>(registry: ExecutionToolRegistry<Place>): ActionAdapter<Place> {
  return {
    actionType: UNDO_ACTION,
    toolName: 'undo a step',
    estimateUsd: 0,
    prepareUndo: async () => null,
    act: async ({ params }, { place }, signal) => {
      const actionType = String(params['action_type']);
      const adapter = registry.getAdapter(actionType);
      const { compensation } = params;
      if (adapter === null || typeof compensation !== 'object' || compensation === null) {
        return fail(`nothing undoes the action type ${JSON.stringify(actionType)}`);
      }
      const { note } = await adapter.undo({ ...compensation }, place, signal);
      return { kind: 'completed', output: note ?? '', costUsd: null };
    },
    // An undo is never undone.
    undo: async () => ({ note: null }),
  };
}

function fail(message: string): Awaited<ReturnType<ActionAdapter<never>['act']>> {
  return { kind: 'failed', isTransient: false, message, output: '', costUsd: null };
}

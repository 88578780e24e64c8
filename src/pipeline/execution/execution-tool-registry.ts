import { InvariantError } from '../../core/model/errors.ts';
import type { ActionAdapter, ExecutionToolRegistry } from '../../ports/execution.ts';

/** The registry over a list of adapters (004.R12). @throws InvariantError if two have one action type. */
export function createExecutionToolRegistry<Place>(
  adapters: readonly ActionAdapter<Place>[],
): ExecutionToolRegistry<Place> {
  const byType = new Map(adapters.map((adapter) => [adapter.actionType, adapter]));
  if (byType.size < adapters.length) throw new InvariantError('two adapters have the same action type');
  return {
    actionTypes: new Set(byType.keys()),
    getToolName: (actionType) => byType.get(actionType)?.toolName ?? null,
    getAdapter: (actionType) => byType.get(actionType) ?? null,
  };
}

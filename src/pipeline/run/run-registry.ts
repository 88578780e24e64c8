import type { RunId } from '../../core/model/ids.ts';
import type { SupersededBy } from '../../core/model/session.ts';
import type { RunRegistry } from '../../ports/run-registry.ts';

/** A registry that knows no run yet. */
export function createRunRegistry(): RunRegistry {
  const runs = new Map<RunId, { readonly controller: AbortController; why: SupersededBy | null }>();
  return {
    open(id) {
      const entry: { readonly controller: AbortController; why: SupersededBy | null } = {
        controller: new AbortController(),
        why: null,
      };
      runs.set(id, entry);
      return { signal: entry.controller.signal, stoppedBy: () => entry.why, close: () => void runs.delete(id) };
    },
    stop(id, why) {
      const entry = runs.get(id);
      if (entry === undefined) return false;
      entry.why ??= why;
      entry.controller.abort();
      return true;
    },
    isRunning: (id) => runs.has(id),
  };
}

import type { SessionId } from '../../core/model/ids.ts';
import type { SupersededBy } from '../../core/model/session.ts';
import type { RunningSessions } from '../../ports/running-sessions.ts';

/** A registry that knows no session yet. */
export function createRunningSessions(): RunningSessions {
  const sessions = new Map<SessionId, { readonly controller: AbortController; why: SupersededBy | null }>();
  return {
    open(id) {
      const entry: { readonly controller: AbortController; why: SupersededBy | null } = {
        controller: new AbortController(),
        why: null,
      };
      sessions.set(id, entry);
      return { signal: entry.controller.signal, stoppedBy: () => entry.why, close: () => void sessions.delete(id) };
    },
    stop(id, why) {
      const entry = sessions.get(id);
      if (entry === undefined) return false;
      entry.why ??= why;
      entry.controller.abort();
      return true;
    },
    isRunning: (id) => sessions.has(id),
  };
}

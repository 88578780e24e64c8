import type { SessionId } from '../core/model/ids.ts';
import type { SupersededBy } from '../core/model/session.ts';

/** The sessions that run in this process right now, so that an evaluation can end one whose ground moved. */
export interface RunningSessions {
  /** Registers a session for the time of its run; the signal fires when it is to end early. */
  readonly open: (id: SessionId) => {
    readonly signal: AbortSignal;
    readonly stoppedBy: () => SupersededBy | null;
    readonly close: () => void;
  };
  /** Asks a session to end; false when it does not run here. */
  readonly stop: (id: SessionId, why: SupersededBy) => boolean;
  readonly isRunning: (id: SessionId) => boolean;
}

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

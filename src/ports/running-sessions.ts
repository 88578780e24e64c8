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

import type { RunId } from '../core/model/ids.ts';
import type { SupersededBy } from '../core/model/session.ts';

/** The runs of this process that work right now, so that an evaluation can end one early. */
export interface RunRegistry {
  /** Registers a run while it works; the signal fires when it is to end early. */
  readonly open: (id: RunId) => {
    readonly signal: AbortSignal;
    readonly stoppedBy: () => SupersededBy | null;
    readonly close: () => void;
  };
  /** Asks a run to end; false when it does not work here. */
  readonly stop: (id: RunId, why: SupersededBy) => boolean;
  readonly isRunning: (id: RunId) => boolean;
}

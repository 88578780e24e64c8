import type { Log } from '../../ports/log.ts';

/** Reports what succeeds and what fails. */
export interface OutageLog {
  readonly noteFailure: (error: Error | null) => void;
  readonly noteSuccess: () => void;
}

/** Logs one line when an outage starts and one when it ends. */
export function createOutageLog(log: Log, messages: { readonly start: string; readonly end: string }): OutageLog {
  let isDown = false;
  return {
    noteFailure: (error) => {
      if (!isDown) log.warn({ error }, messages.start);
      isDown = true;
    },
    noteSuccess: () => {
      if (isDown) log.info({}, messages.end);
      isDown = false;
    },
  };
}

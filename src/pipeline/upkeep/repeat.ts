import { toError } from '../../core/model/errors.ts';
import type { Log } from '../../ports/log.ts';

/** Work that is repeated for as long as the service runs. */
export interface Repeated {
  readonly everyMs: number;
  /** The work is aborted after this time. */
  readonly timeoutMs: number;
  /** Message of the log if the work fails. */
  readonly failed: string;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

/** Does the work at once and then every `everyMs`, never twice at the same time. A failure is logged, and the work goes on. */
export function repeat(log: Log, { everyMs, timeoutMs, failed, work }: Repeated): { readonly stop: () => void } {
  const stopping = new AbortController();
  let isWorking = false;
  const workOnce = (): void => {
    if (isWorking) return;
    isWorking = true;
    work(AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]))
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ error: toError(error) }, failed);
      })
      .finally(() => {
        isWorking = false;
      });
  };
  workOnce();
  const timer = setInterval(workOnce, everyMs);
  timer.unref();
  return {
    stop: () => {
      stopping.abort();
      clearInterval(timer);
    },
  };
}

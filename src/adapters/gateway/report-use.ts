import type { ModelUse } from '../../core/model/model-use.ts';

/** Reports of the use of a session, not more often than every `everyMs`. */
export interface UseReports {
  readonly changed: () => void;
  readonly listen: (listener: (use: ModelUse) => void) => void;
  readonly close: () => void;
}

export function createUseReports(everyMs: number, use: () => ModelUse): UseReports {
  const listeners: ((use: ModelUse) => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  return {
    changed: () => {
      if (listeners.length === 0) return;
      timer ??= setTimeout(() => {
        timer = null;
        for (const listener of listeners) listener(use());
      }, everyMs).unref();
    },
    listen: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      if (timer !== null) clearTimeout(timer);
      listeners.length = 0;
    },
  };
}

import type { Transport } from '../../ports/queue.ts';

/** Announced keys that wait at most; what comes beyond is forgotten, and found again by the scan of the rows. */
const maxWaiting = 10_000;

/**
 * Carries keys inside the process, first come first served. A key waits once however often it is announced; announced while
 * it is being served, it comes once more after that.
 */
export function createEmbeddedTransport(): Transport {
  const waiting = new Set<string>();
  const serving = new Set<string>();
  const again = new Set<string>();
  let consumer: { readonly onKey: (key: string) => Promise<void>; readonly concurrency: number } | null = null;
  let isScheduled = false;

  // On a turn of its own: whoever announces (a webhook) is answered before the work of a run begins.
  function schedule(): void {
    if (isScheduled || consumer === null) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      dispatch();
    });
  }

  function dispatch(): void {
    if (consumer === null) return;
    for (const key of waiting) {
      if (serving.size >= consumer.concurrency) return;
      waiting.delete(key);
      serving.add(key);
      void consumer.onKey(key).finally(() => release(key));
    }
  }

  function release(key: string): void {
    serving.delete(key);
    if (again.delete(key)) waiting.add(key);
    schedule();
  }

  return {
    announce: async (key) => {
      if (serving.has(key)) again.add(key);
      else if (waiting.size < maxWaiting) waiting.add(key);
      schedule();
    },
    consume: async (onKey, concurrency) => {
      consumer = { onKey, concurrency };
      schedule();
    },
    close: async () => {
      consumer = null;
      waiting.clear();
    },
  };
}

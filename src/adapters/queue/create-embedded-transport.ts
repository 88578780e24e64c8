import type { Transport } from '../../ports/queue.ts';

/** Most keys that wait. Further keys are dropped, and the scan of the rows finds them again. */
const maxWaiting = 10_000;

/**
 * Carries keys inside the process, first come first served. A waiting key is queued once, however often it is
 * announced. A key announced while it is being served is served once more afterwards.
 */
export function createEmbeddedTransport(): Transport {
  const waiting = new Set<string>();
  const serving = new Set<string>();
  const announcedAgain = new Set<string>();
  let consumer: { readonly onKey: (key: string) => Promise<void>; readonly concurrency: number } | null = null;
  let isScheduled = false;

  // In a later turn of the event loop, so that the webhook is answered before a run starts.
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
    if (announcedAgain.delete(key)) waiting.add(key);
    schedule();
  }

  return {
    announce: async (key) => {
      if (serving.has(key)) announcedAgain.add(key);
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

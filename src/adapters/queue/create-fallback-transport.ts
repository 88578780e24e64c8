import type { Transport } from '../../ports/queue.ts';

/**
 * Carries keys by `primary`, and those that it cannot take by `fallback`, so that an outage of the first costs nothing. Both together
 * serve no more keys at a time than one of them would.
 */
export function createFallbackTransport(primary: Transport, fallback: Transport): Transport {
  return {
    announce: async (key) => {
      try {
        await primary.announce(key);
      } catch {
        // The transport itself has told of its outage.
        await fallback.announce(key);
      }
    },
    consume: async (onKey, concurrency) => {
      const limited = limitTo(concurrency, onKey);
      await fallback.consume(limited, concurrency);
      await primary.consume(limited, concurrency);
    },
    close: async () => {
      await Promise.all([primary.close(), fallback.close()]);
    },
  };
}

/** At most so many at a time; the others wait in order. There are never more of them, since each transport has its own limit. */
function limitTo(concurrency: number, onKey: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (key) => {
    if (running < concurrency) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      await onKey(key);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

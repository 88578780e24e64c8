import type { SandboxSlot } from '../../ports/sandbox.ts';

/** A fixed number of slots, given out in the order of the requests. */
export interface SlotPool {
  /** Waits for a free slot. Rejects with the signal's reason on abort. */
  readonly acquire: (signal: AbortSignal) => Promise<SandboxSlot>;
  /** Releases a slot. Idempotent. */
  readonly release: (slot: SandboxSlot) => void;
}

/** Creates a pool of `slots`. The waiting list is unbounded. */
export function createSlotPool(slots: readonly SandboxSlot[]): SlotPool {
  const free = [...slots];
  const waiting: ((slot: SandboxSlot) => void)[] = [];
  return {
    acquire: async (signal) => {
      signal.throwIfAborted();
      const slot = free.shift();
      if (slot !== undefined) return slot;
      return new Promise((resolve, reject) => {
        const take = (freed: SandboxSlot): void => {
          signal.removeEventListener('abort', leave);
          resolve(freed);
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(take), 1);
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(take);
      });
    },
    release: (slot) => {
      if (free.some(({ index }) => index === slot.index)) return;
      const next = waiting.shift();
      if (next === undefined) free.push(slot);
      else next(slot);
    },
  };
}

import type { SandboxSlot } from '../../ports/sandbox.ts';

/** A fixed number of slots; who comes first is served first. */
export interface SlotPool {
  /** Waits for a free slot; rejects with the signal's reason when aborted meanwhile. */
  readonly acquire: (signal: AbortSignal) => Promise<SandboxSlot>;
  /** Gives a slot back; giving it back twice changes nothing. */
  readonly release: (slot: SandboxSlot) => void;
}

/** A pool over `slots`; the waiting list is as long as there are callers. */
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

import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';

/** Runs `work` in a slot that nothing else has at that time. */
export type WithSlot = <Result>(work: (slot: SandboxSlot) => Promise<Result>, signal: AbortSignal) => Promise<Result>;

/**
 * The slot that the caller holds, and beside it as many others as are free, `maxMore` at most: what ends in a slot takes along all
 * that runs in it, so two runs never share one. Only for the caller's own is ever waited, so nothing can be waited for in a circle.
 */
export function createSlots(
  sandbox: Pick<Sandbox, 'tryAcquireSlot' | 'releaseSlot'>,
  { own, maxMore }: { readonly own: SandboxSlot; readonly maxMore: number },
): WithSlot {
  let more = 0;
  let isOwnTaken = false;
  let last: Promise<unknown> = Promise.resolve();
  return async (work, signal) => {
    const other = isOwnTaken && more < maxMore ? sandbox.tryAcquireSlot() : null;
    if (other !== null) {
      more += 1;
      try {
        return await work(other);
      } finally {
        more -= 1;
        sandbox.releaseSlot(other);
      }
    }
    isOwnTaken = true;
    const mine = last.then(() => {
      signal.throwIfAborted();
      return work(own);
    });
    const settled = mine.catch(() => undefined);
    last = settled;
    try {
      return await mine;
    } finally {
      if (last === settled) isOwnTaken = false;
    }
  };
}

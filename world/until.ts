/** What to wait for (shown in the error) and for how long. */
export type UntilOptions = { readonly what: string; readonly timeoutMs?: number };

/** Waits until a condition is true. Checks it again after every change of the world. */
export type Until = (predicate: () => boolean | Promise<boolean>, options: UntilOptions) => Promise<void>;

/** `changed` wakes everyone who waits with `until`. */
export type Waiting = { readonly until: Until; readonly changed: () => void };

/** Longer than anything takes on a busy machine. Only a condition that never becomes true waits this long. */
const DEFAULT_TIMEOUT_MS = 300_000;

/** Interval for noticing changes outside the world, such as a file or the App's own state. */
const TICK_MS = 50;

/** Creates `until`. If the condition never becomes true, the error contains `describe()`. */
export function createWaiting(describe: () => string): Waiting {
  const wakers = new Set<() => void>();

  async function nextChange(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(wake, TICK_MS);
      function wake(): void {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      }
      wakers.add(wake);
    });
  }

  return {
    changed: () => {
      for (const wake of [...wakers]) wake();
    },
    until: async (predicate, { what, timeoutMs = DEFAULT_TIMEOUT_MS }) => {
      const endMs = performance.now() + timeoutMs;
      while (!(await predicate())) {
        if (performance.now() > endMs) throw new Error(`Waited ${timeoutMs} ms for: ${what}\n${describe()}`);
        await nextChange();
      }
    },
  };
}

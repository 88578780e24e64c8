/** What to wait for, in words for the error, and for how long. */
export type UntilOptions = { readonly what: string; readonly timeoutMs?: number };

/** Waits until a condition holds. Asked again after every change of the world. */
export type Until = (predicate: () => boolean | Promise<boolean>, options: UntilOptions) => Promise<void>;

/** Wakes those who wait. */
export type Waiting = { readonly until: Until; readonly changed: () => void };

/** Longer than a machine that is busy with other work takes for anything: only what never comes is waited for to the end. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** Changes outside the world (a file, the app's own state) are noticed this late at most. */
const TICK_MS = 50;

/** Creates `until`. `describe` is added to the error when the condition never holds. */
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

import type { WaitingChange } from './integrate-changes.ts';

/**
 * Hands changes on in the order in which they come: one batch at a time, with everything that came while the batch before it was
 * integrated. Nobody waits for a batch to fill. Its signal fires when those of all its changes have.
 */
export function createIntegrationQueue(
  integrate: (waiting: readonly WaitingChange[], signal: AbortSignal) => Promise<void>,
): (change: WaitingChange) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { readonly waiting: WaitingChange[]; readonly done: Promise<void> } | null = null;
  const begin = (): NonNullable<typeof next> => {
    const waiting: WaitingChange[] = [];
    const done = last.then(() => {
      next = null;
      return integrate(waiting, whenAllFired(waiting.map(({ signal }) => signal)));
    });
    last = done.catch(() => undefined);
    return { waiting, done };
  };
  return (change) => {
    next ??= begin();
    next.waiting.push(change);
    return next.done;
  };
}

/** An attempt whose time is over must not end the others of its batch. */
function whenAllFired(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const check = (): void => {
    if (signals.every(({ aborted }) => aborted)) controller.abort(signals[0]?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', check, { once: true });
  check();
  return controller.signal;
}

import { toError } from '../../core/model/errors.ts';

/** Starts a timer. Returns what stops it. */
export type StartTimer = (ms: number, then: () => void) => () => void;

export const startTimer: StartTimer = (ms, then) => {
  const timer = setTimeout(then, ms);
  return () => {
    clearTimeout(timer);
  };
};

export interface Limit {
  readonly ms: number;
  /** Ends the work early. */
  readonly signal: AbortSignal;
  /** How long work may take to end after its signal has fired. Then nobody waits for it any more. */
  readonly graceMs: number;
  readonly startTimer: StartTimer;
}

/** How limited work ended. `stoppedBy`: what fired its signal; null: nothing did. */
export type LimitedEnd<Value> = { readonly stoppedBy: 'timeout' | 'cancel' | null } & (
  | { readonly kind: 'returned'; readonly value: Value }
  | { readonly kind: 'threw'; readonly error: Error }
  /** It ignored its signal and may still be working. */
  | { readonly kind: 'left' }
);

/** Does work with a time limit: first its signal fires, then it is left alone. Never throws, and always ends. */
export async function withLimit<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { ms, signal, graceMs, startTimer: start }: Limit,
): Promise<LimitedEnd<Value>> {
  const controller = new AbortController();
  const { promise: left, resolve } = Promise.withResolvers<{ readonly kind: 'left' }>();
  let stoppedBy: LimitedEnd<Value>['stoppedBy'] = null;
  const stop = (why: 'timeout' | 'cancel'): void => {
    stopTimer();
    stoppedBy = why;
    stopTimer = start(graceMs, () => {
      resolve({ kind: 'left' });
    });
    controller.abort();
  };
  const cancel = (): void => {
    if (stoppedBy === null) stop('cancel');
  };
  let stopTimer = start(ms, () => {
    stop('timeout');
  });
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    const end = await Promise.race([settle(work, controller.signal), left]);
    return { ...end, stoppedBy };
  } finally {
    signal.removeEventListener('abort', cancel);
    stopTimer();
  }
}

async function settle<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<{ readonly kind: 'returned'; readonly value: Value } | { readonly kind: 'threw'; readonly error: Error }> {
  try {
    return { kind: 'returned', value: await work(signal) };
  } catch (error) {
    return { kind: 'threw', error: toError(error) };
  }
}

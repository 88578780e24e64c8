import { runInNewContext } from 'node:vm';

/** What a computation gave, or that it was stopped. */
export type Computed<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_long' };

/**
 * Runs `compute` and stops it after `timeoutMs`, even within one regular expression: nothing else in JavaScript can. No
 * sandbox: what is run is our own code. Throws what `compute` throws.
 */
export function computeWithin<Value>(timeoutMs: number, compute: () => Value): Computed<Value> {
  let computed: Computed<Value> = { kind: 'too_long' };
  const run = (): void => {
    computed = { kind: 'done', value: compute() };
  };
  try {
    runInNewContext('run()', { run }, { timeout: timeoutMs });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  return computed;
}

/** The error may come of another realm, where `Error` is another one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

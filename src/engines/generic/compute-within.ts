import { runInNewContext } from 'node:vm';

/** The result of a computation, or that it took too long. */
export type Computed<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'too_long' };

/**
 * Runs `compute` and stops it after `timeoutMs`, even inside a regular expression, which nothing else in JavaScript can do. It is
 * not a sandbox: only our own code runs in it. Throws what `compute` throws.
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

/** The error may come from another realm, whose `Error` is a different class. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

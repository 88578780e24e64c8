import type { Sample } from './row.ts';

/**
 * Repeats `work` for about `forMs`, in batches of `batch`. One call counts as `size` operations. The last result is
 * kept, so that the compiler cannot remove the work.
 */
export function spin(
  work: () => unknown,
  options: { readonly forMs: number; readonly batch: number; readonly size?: number },
): Sample {
  let calls = 0;
  let last: unknown;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let wallMs = 0;
  while (wallMs < options.forMs) {
    for (let call = 0; call < options.batch; call += 1) last = work();
    calls += options.batch;
    wallMs = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  if (last === undefined) throw new TypeError('the work gave nothing');
  return { wallMs, operations: calls * (options.size ?? 1), cpuUs: user + system };
}

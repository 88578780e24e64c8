/**
 * Waits until all of `works` have settled, then throws the first failure. So nothing still writes in the background
 * after the caller sees the error.
 */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

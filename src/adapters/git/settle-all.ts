/**
 * Waits for all of `works`, also when one fails early, and then throws the first failure: nothing goes on writing behind the
 * back of whoever was told that it failed.
 */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

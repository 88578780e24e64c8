/**
 * Processes items in order, at most `limit` at a time. After an error it starts no further item, waits for the running ones, and
 * throws the first error.
 */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let hasFailed = false;
  const takeTurns = async (): Promise<void> => {
    for (const item of waiting) {
      if (hasFailed) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const turns = Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, takeTurns);
  const failed = (await Promise.allSettled(turns)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

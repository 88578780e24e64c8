/** Runs `work` exclusively for its key, in call order. */
export type KeyedLock<Key> = <Result>(key: Key, work: () => Promise<Result>) => Promise<Result>;

/** A lock within this process. It has no timeout, so `work` must be bounded in time. */
export function createKeyedLock<Key>(): KeyedLock<Key> {
  const tails = new Map<Key, Promise<unknown>>();
  return async (key, work) => {
    const previous = tails.get(key) ?? Promise.resolve();
    const { promise: done, resolve: release } = Promise.withResolvers<null>();
    const tail = previous.then(() => done);
    tails.set(key, tail);
    await previous;
    try {
      return await work();
    } finally {
      release(null);
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}

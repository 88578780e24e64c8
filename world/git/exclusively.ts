/** Runs tasks one at a time, in the order they were given. A failed task does not stop the next. */
export type Exclusively = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a lock. */
export function createExclusively(): Exclusively {
  let tail: Promise<unknown> = Promise.resolve();
  return async (task) => {
    const turn = tail.then(task);
    tail = turn.catch(() => undefined);
    return await turn;
  };
}

/** Runs tasks one at a time, in order. A failed task does not stop the next one. */
export type Exclusively = <T>(task: () => Promise<T>) => Promise<T>;

export function createExclusively(): Exclusively {
  let tail: Promise<unknown> = Promise.resolve();
  return async (task) => {
    const turn = tail.then(task);
    tail = turn.catch(() => undefined);
    return await turn;
  };
}

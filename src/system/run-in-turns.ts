/** Runs the steps to their end, each in a turn of the event loop of its own, and resolves with what the last one returns. */
export async function runInTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

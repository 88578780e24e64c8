/** Lets commands run side by side, and everything else alone. First come, first served, so nobody waits for ever. */
export interface GroundLock {
  readonly shared: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export function createGroundLock(): GroundLock {
  /** Ends when everything that came before the next one has ended. */
  let lastAlone: Promise<unknown> = Promise.resolve();
  let sharing: Promise<unknown>[] = [];
  const hold = <Result>(after: Promise<unknown>, work: () => Promise<Result>): [Promise<Result>, Promise<unknown>] => {
    const result = after.then(work);
    return [result, result.catch(() => undefined)];
  };
  return {
    shared: (work) => {
      const [result, ended] = hold(lastAlone, work);
      sharing.push(ended);
      return result;
    },
    alone: (work) => {
      const [result, ended] = hold(Promise.all([lastAlone, ...sharing]), work);
      lastAlone = ended;
      sharing = [];
      return result;
    },
  };
}

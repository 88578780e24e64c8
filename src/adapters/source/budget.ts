/** Thrown inside of a reader; the file counts as unreadable. */
export class TooMuchWork extends Error {}

/**
 * Work that may still be done, in steps: about a character looked at. Steps and not time, so that one change has one verdict on all
 * machines.
 */
export interface Budget {
  /** Throws `TooMuchWork` once the steps are used up. */
  readonly spend: (steps: number) => void;
}

/** Steps of all files of a change. Each file is also bound by itself. */
export interface TotalBudget {
  readonly forFile: (steps: number) => Budget;
}

export function createTotalBudget(total: number): TotalBudget {
  let left = total;
  return {
    forFile: (steps) => {
      let own = steps;
      return {
        spend: (used) => {
          own -= used;
          left -= used;
          if (own < 0 || left < 0) throw new TooMuchWork();
        },
      };
    },
  };
}

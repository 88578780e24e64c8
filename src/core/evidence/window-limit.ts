/** Decides around how many equal failures lines are kept. */
export interface WindowLimit {
  readonly opens: (key: string) => boolean;
}

/** The first ones may differ in what follows, as tracebacks do. */
const MAX_WINDOWS = 8;
const MAX_KEYS = 4000;

export function createWindowLimit(): WindowLimit {
  const counts = new Map<string, number>();
  return {
    opens: (key) => {
      const count = (counts.get(key) ?? 0) + 1;
      // A key that is seen again is the newest. The oldest is forgotten.
      counts.delete(key);
      counts.set(key, count);
      const [oldest] = counts.keys();
      if (counts.size > MAX_KEYS && oldest !== undefined) counts.delete(oldest);
      return count <= MAX_WINDOWS;
    },
  };
}

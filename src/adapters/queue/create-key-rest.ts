import type { NewTimer, Timer } from './timer.ts';

/** How long a key rests after a run; milliseconds, 0 for not at all. */
export interface RestMs {
  readonly initial: number;
  /** What it grows to, doubling, while the key is announced in each rest. */
  readonly max: number;
}

/**
 * Makes a key rest after each run: what announces it meanwhile causes one run when it has rested, and none is lost. A key that
 * is asked for rarely waits hardly at all, one in a storm of events runs once in `max`.
 */
export interface KeyRest {
  /** The key begins to run: what its last rest was is remembered till `begin`, however long the run takes. */
  readonly interrupt: (key: string) => void;
  /** The key has run. */
  readonly begin: (key: string) => void;
  /** Whether the key rests; it is announced again at the end of its rest then. */
  readonly defers: (key: string) => boolean;
  /** Forgets all rests, announcing nothing. */
  readonly stop: () => void;
}

/** What resting takes. */
export interface KeyRestDeps {
  readonly restMs: RestMs;
  readonly newTimer: NewTimer;
  /** Never rejects. */
  readonly announce: (keys: readonly string[]) => Promise<void>;
}

interface Rest {
  readonly restMs: number;
  readonly timer: Timer;
  isWanted: boolean;
  /** The rest is over; the key is only remembered, so that a run that begins in the time of another rest makes the next one longer. */
  isOver: boolean;
}

/** Holds an entry for each key at rest, and forgets it when nothing has come of it for the time of another rest. */
export function createKeyRest({ restMs, newTimer, announce }: KeyRestDeps): KeyRest {
  const rests = new Map<string, Rest>();

  function set(key: string, ms: number, isOver: boolean): void {
    rests.get(key)?.timer.cancel();
    rests.set(key, { restMs: ms, isWanted: false, isOver, timer: newTimer(() => end(key), ms) });
  }

  function end(key: string): void {
    const rest = rests.get(key);
    rests.delete(key);
    if (rest === undefined || !rest.isWanted) return;
    set(key, rest.restMs, true);
    void announce([key]);
  }

  return {
    interrupt: (key) => rests.get(key)?.timer.cancel(),
    begin: (key) => {
      const before = rests.get(key);
      const ms = before === undefined ? restMs.initial : Math.min(before.restMs * 2, restMs.max);
      if (ms > 0) set(key, ms, false);
    },
    defers: (key) => {
      const rest = rests.get(key);
      if (rest === undefined || rest.isOver) return false;
      rest.isWanted = true;
      return true;
    },
    stop: () => {
      for (const { timer } of rests.values()) timer.cancel();
      rests.clear();
    },
  };
}

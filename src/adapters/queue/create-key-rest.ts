import type { NewTimer, Timer } from './timer.ts';

/** How long a key rests after a run, in milliseconds; 0 means no rest. */
export interface RestMs {
  readonly initial: number;
  /** The rest doubles up to this while the key is announced in each rest. */
  readonly max: number;
}

/**
 * Makes a key rest after each run. Announcements during a rest are merged into one run after it; none is lost. A key
 * that is rarely announced hardly waits. A key in a storm of events runs once per `max`.
 */
export interface KeyRest {
  /** Reports that a run starts. Its last rest is remembered until `begin`, however long the run takes. */
  readonly interrupt: (key: string) => void;
  /** Reports that a run ended: the rest starts. */
  readonly begin: (key: string) => void;
  /** Whether the key is resting. If so, it is announced again when the rest ends. */
  readonly defers: (key: string) => boolean;
  /** Forgets all rests and announces nothing. */
  readonly stop: () => void;
}

/** Dependencies of the rest. */
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
  /** The rest is over. The entry stays for its length again: a run that starts meanwhile makes the next rest longer. */
  isOver: boolean;
}

/** Keeps an entry per resting key. It is dropped if the key is not announced, or does not run within another rest. */
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

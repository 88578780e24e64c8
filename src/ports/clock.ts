import type { EpochMs } from '../core/model/ids.ts';

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: () => EpochMs;
}

/** Returns an identifier that nobody can guess: at least 20 letters and digits. */
export type NewId = () => string;

import type { EpochMs } from '../core/model/ids.ts';

/** Time from outside the core. */
export interface Clock {
  /** Wall-clock time in epoch milliseconds. */
  readonly now: () => EpochMs;
}

/** Makes identifiers that no one can guess: 20 or more letters and digits. */
export type NewId = () => string;

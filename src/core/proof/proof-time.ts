import type { EpochMs } from '../model/ids.ts';

/** What is left for the last steps of the gate and the push. */
const RESERVE_MS = 60_000;

/**
 * Until when the runs of a proof may last, all together: as long as a validation, and never into the time that the session needs to
 * end well.
 */
export function toProofEnd(now: EpochMs, deadlineAt: EpochMs, validateTimeoutMinutes: number): EpochMs {
  return Math.min(now + validateTimeoutMinutes * 60_000, deadlineAt - RESERVE_MS);
}

import type { EpochMs } from '../model/ids.ts';

/** A time for people, in UTC, to the minute. With seconds the text would change, and be sent again, at every look. */
export function toIsoMinute(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

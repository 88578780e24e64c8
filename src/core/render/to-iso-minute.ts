import type { EpochMs } from '../model/ids.ts';

/** An instant for people, in UTC, to the minute: a text that changes with every second would be sent with every look. */
export function toIsoMinute(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

import { z } from 'zod';
import type { EpochMs } from '../core/model/ids.ts';

export const EXPECTED_INSTANT = 'expected an ISO 8601 instant such as 2026-01-01T00:00:00Z';

/** Parses an ISO 8601 instant with a time zone to epoch milliseconds. */
export const Instant = z.iso.datetime({ offset: true, error: EXPECTED_INSTANT }).transform(Date.parse);

/** Returns the ISO 8601 text of an instant, in UTC with milliseconds. @throws RangeError after the year 275760. */
export function toIsoText(at: EpochMs): string {
  return new Date(at).toISOString();
}

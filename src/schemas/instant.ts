import { z } from 'zod';
import type { EpochMs } from '../core/model/ids.ts';

export const EXPECTED_INSTANT = 'expected an ISO 8601 instant such as 2026-01-01T00:00:00Z';

/** An instant at the edge: ISO 8601 with a zone, as epoch milliseconds inside. */
export const Instant = z.iso.datetime({ offset: true, error: EXPECTED_INSTANT }).transform(Date.parse);

/** The ISO 8601 text of an instant, in UTC with milliseconds. @throws RangeError beyond the year 275760. */
export function toIsoText(at: EpochMs): string {
  return new Date(at).toISOString();
}

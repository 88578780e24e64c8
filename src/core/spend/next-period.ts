import type { EpochMs } from '../model/ids.ts';

/** When the UTC day or month after that of `now` begins. */
export function toNextPeriod(scope: 'day' | 'month', now: EpochMs): EpochMs {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return scope === 'day' ? Date.UTC(year, month, date.getUTCDate() + 1) : Date.UTC(year, month + 1, 1);
}

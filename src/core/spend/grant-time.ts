import type { TimeBudget } from '../model/spend.ts';
import type { LimitedScope } from './check-limits.ts';

/** With less than a minute left, a budget of time is used up: no agent does anything in it. */
export const LEAST_TIME_MS = 60_000;

/** How long an agent may work, and the budget that allows it no more; null: its own time limit does. */
export type TimeGrant =
  | { readonly kind: 'granted'; readonly timeMs: number; readonly boundBy: TimeBudget | null }
  | ({ readonly kind: 'refused' } & TimeBudget);

/**
 * Grants an agent its time limit, or what all budgets leave of it. What agents at work may still take is part of what is used, so
 * it is never granted twice.
 */
export function grantTime(scopes: readonly LimitedScope[], wantedMs: number): TimeGrant {
  const [least] = scopes
    .flatMap(({ scope, limit: { maxTimeMs: limit }, used: { timeMs: used } }) =>
      limit === null ? [] : [{ scope, what: 'time' as const, limit, used }],
    )
    .toSorted((left, right) => left.limit - left.used - (right.limit - right.used));
  if (least === undefined) return { kind: 'granted', timeMs: wantedMs, boundBy: null };
  const left = least.limit - least.used;
  if (left < LEAST_TIME_MS) return { kind: 'refused', ...least };
  return left < wantedMs
    ? { kind: 'granted', timeMs: left, boundBy: least }
    : { kind: 'granted', timeMs: wantedMs, boundBy: null };
}

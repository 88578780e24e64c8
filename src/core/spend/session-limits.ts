import type { ModelEndpoint } from '../model/agent-settings.ts';
import type { MicroUsd } from '../model/model-use.ts';
import type { Policy } from '../model/policy.ts';
import type { SpendLimit, SpendLimits } from '../model/spend.ts';

const MICRO = 1_000_000;
const NO_LIMIT: SpendLimit = { maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs: null };

/** Millionths of a USD. */
export function toMicroUsd(usd: number): MicroUsd {
  return Math.round(usd * MICRO);
}

const MINUTE_MS = 60_000;

/** Whole milliseconds. */
export function toTimeMs(minutes: number): number {
  return Math.round(minutes * MINUTE_MS);
}

/** In minutes. */
export function toMinutes(timeMs: number): number {
  return timeMs / MINUTE_MS;
}

/** In USD. */
export function toUsd(microUsd: MicroUsd): number {
  return microUsd / MICRO;
}

/** The operator's limits, and for a fixup the lower ones of operator and policy: a policy can raise none. */
export function toSpendLimits(
  operator: SpendLimits,
  { usd, calls, tokens, minutes }: Policy['agent']['budget'],
): SpendLimits {
  const { fixup = NO_LIMIT } = operator;
  return {
    ...operator,
    fixup: {
      maxMicroUsd: toLower(fixup.maxMicroUsd, usd === null ? null : toMicroUsd(usd)),
      maxCalls: toLower(fixup.maxCalls, calls),
      maxTokens: toLower(fixup.maxTokens, tokens),
      maxTimeMs: toLower(fixup.maxTimeMs, minutes === null ? null : toTimeMs(minutes)),
    },
  };
}

function toLower(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}

/** The model that a session may call: the policy's, else the default one; null: the operator has not configured it. */
export function toSessionModel({ models }: Pick<ModelEndpoint, 'models'>, wanted: string | null): string | null {
  return wanted === null ? (models[0] ?? null) : (models.find((model) => model === wanted) ?? null);
}

/** Whether any scope has a budget in USD. Then each model needs a price. */
export function hasUsdBudget(limits: SpendLimits): boolean {
  return Object.values(limits).some(({ maxMicroUsd }) => maxMicroUsd !== null);
}

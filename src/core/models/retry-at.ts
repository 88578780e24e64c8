import type { JsonObject } from '../json/parse-json-object.ts';
import type { EpochMs } from '../model/ids.ts';
import { detailsOf } from './classify-fault.ts';
import type { IncomingHeaders } from './model-headers.ts';

/** Longer waits are not believed. */
const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * When the provider accepts calls again, by the headers and the error of an answer; null if it does not say. Its own
 * word about this answer counts first, then the times at which its limits are renewed.
 */
export function toRetryAt(headers: IncomingHeaders, error: JsonObject | null, now: EpochMs): EpochMs | null {
  const at =
    fromMilliseconds(headers['retry-after-ms'], now) ??
    fromRetryAfter(headers['retry-after'], now) ??
    (error === null ? null : fromRetryInfo(error, now)) ??
    fromResets(headers, now);
  return at === null ? null : Math.min(Math.max(at, now), now + MAX_WAIT_MS);
}

function fromMilliseconds(value: IncomingHeaders[string], now: EpochMs): EpochMs | null {
  return typeof value === 'string' && /^\d{1,12}(?:\.\d+)?$/.test(value) ? now + Math.ceil(Number(value)) : null;
}

/** Seconds, or a date of HTTP. */
function fromRetryAfter(value: IncomingHeaders[string], now: EpochMs): EpochMs | null {
  if (typeof value !== 'string') return null;
  if (/^\d{1,9}(?:\.\d+)?$/.test(value)) return now + Math.ceil(Number(value) * 1000);
  return toTime(value);
}

/** `RetryInfo` of Gemini: `{"@type": "…RetryInfo", "retryDelay": "34.5s"}` among the details of an error. */
function fromRetryInfo(error: JsonObject, now: EpochMs): EpochMs | null {
  for (const detail of detailsOf(error)) {
    if (!String(detail['@type']).endsWith('RetryInfo')) continue;
    const wait = toDuration(String(detail['retryDelay']));
    if (wait !== null) return now + wait;
  }
  return null;
}

const RESET_OF_OPENAI = /^x-ratelimit-reset(?:-|$)/;
const RESET_OF_ANTHROPIC = /^anthropic-ratelimit-(?:[a-z]+-)*reset$/;

/** The latest time at which a limit that is used up is renewed. */
function fromResets(headers: IncomingHeaders, now: EpochMs): EpochMs | null {
  const times = Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== 'string' || hasRest(headers, name)) return [];
    if (RESET_OF_ANTHROPIC.test(name)) return toTime(value) ?? [];
    const wait = RESET_OF_OPENAI.test(name) ? toDuration(value) : null;
    return wait === null ? [] : now + wait;
  });
  return times.length === 0 ? null : Math.max(...times);
}

/** Whether something is left of the limit whose reset the header names. */
function hasRest(headers: IncomingHeaders, resetName: string): boolean {
  const rest = headers[resetName.replace('reset', 'remaining')];
  return rest !== undefined && rest !== '0';
}

/** A date of HTTP or of ISO 8601; null: another text. */
function toTime(text: string): EpochMs | null {
  const time = /^(?:[A-Z][a-z]{2}, |\d{4}-\d{2}-\d{2}T)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1000, 1];
const DURATION =
  /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d+)?)s)?(?:(\d{1,9}(?:\.\d+)?)ms)?$/;

/** Milliseconds of `1s`, `6m0s`, `20ms`, `1h2m3.5s` or bare seconds; null: another text. */
function toDuration(text: string): number | null {
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const match = DURATION.exec(text);
  if (match === null || text === '') return null;
  return Math.ceil(UNITS_MS.reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0));
}

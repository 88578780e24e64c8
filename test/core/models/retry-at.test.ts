import { describe, expect, it } from 'vitest';
import { toRetryAt } from '../../../src/core/models/retry-at.ts';

const NOW = Date.UTC(2026, 0, 1);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('toRetryAt', () => {
  it.each([
    [{}, null],
    [{ 'retry-after': '2' }, 2 * SECOND],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, MINUTE],
    // In the past.
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:01:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': ['1', '2'] }, null],
    [{ 'retry-after': '999999999' }, DAY],
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2 * SECOND],
    [{ 'x-ratelimit-reset-requests': '1s' }, SECOND],
    [{ 'x-ratelimit-reset-tokens': '6m0s' }, 6 * MINUTE],
    [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [{ 'x-ratelimit-reset-tokens': '1h2m3.5s' }, HOUR + 2 * MINUTE + 3500],
    [{ 'x-ratelimit-reset-tokens': '1d' }, DAY],
    [{ 'x-ratelimit-reset': '30' }, 30 * SECOND],
    [{ 'x-ratelimit-reset-tokens': '5 minutes' }, null],
    [{ 'x-ratelimit-reset-tokens': '' }, null],
    [{ 'x-ratelimit-reset-tokens': '1m20ms' }, MINUTE + 20],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '9s' }, 9 * SECOND],
    // Only what is used up matters.
    [
      {
        'x-ratelimit-reset-requests': '9s',
        'x-ratelimit-remaining-requests': '12',
        'x-ratelimit-reset-tokens': '2s',
        'x-ratelimit-remaining-tokens': '0',
      },
      2 * SECOND,
    ],
    [{ 'retry-after': '5', 'x-ratelimit-reset-tokens': '9s' }, 5 * SECOND],
    [{ 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z' }, 30 * SECOND],
    [{ 'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z' }, 30 * SECOND],
    [{ 'anthropic-ratelimit-tokens-reset': 'soon' }, null],
    [{ 'anthropic-ratelimit-tokens-limit': '2026' }, null],
    [
      { 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z', 'anthropic-ratelimit-tokens-remaining': '100' },
      null,
    ],
    [{ 'x-ratelimit-reset-tokens': undefined }, null],
  ])('reads %j', (headers, wait) => {
    expect(toRetryAt(headers, null, NOW)).toBe(wait === null ? null : NOW + wait);
  });

  it.each([
    [[{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }], 34_500],
    [
      [
        { '@type': 'other', retryDelay: '1s' },
        { '@type': 'a/google.rpc.RetryInfo', retryDelay: '2s' },
      ],
      2000,
    ],
    [[{ '@type': 'google.rpc.RetryInfo' }], null],
    [[7, null], null],
    ['text', null],
  ])("reads Gemini's details %j", (details, wait) => {
    const at = wait === null ? null : NOW + wait;
    expect(toRetryAt({}, { details }, NOW)).toBe(at);
    expect(toRetryAt({ 'retry-after': '1' }, { details }, NOW)).toBe(NOW + 1000);
  });
});

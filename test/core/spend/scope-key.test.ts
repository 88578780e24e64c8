import { describe, expect, it } from 'vitest';
import { parseSessionId, toPullRequestKey } from '../../../src/core/model/ids.ts';
import {
  toScopeKey,
  toScopesOf,
  toStartOfLastMonth,
  toStartOfNextDay,
  toStartOfNextMonth,
} from '../../../src/core/spend/scope-key.ts';

const startedAt = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const call = {
  ...{ sessionId: parseSessionId('s1'), key: toPullRequestKey(100, 7), repositoryId: 100, installationId: 5 },
  startedAt,
};

describe('the scopes of a call', () => {
  it('have a key each, with the UTC day or month', () => {
    expect(toScopesOf(call).map((scope) => [scope.scope, toScopeKey(scope)])).toEqual([
      ['fixup', 's1'],
      ['pull_request', '100#7'],
      ['day', '100:2026-01-31'],
      ['month', '5:2026-01'],
    ]);
  });

  it('change with the UTC day and month', () => {
    expect(toScopesOf({ ...call, startedAt: startedAt + 1 }).map(toScopeKey)).toEqual([
      ...['s1', '100#7', '100:2026-02-01', '5:2026-02'],
    ]);
  });
});

describe('the start of the last month', () => {
  it.each([
    [Date.UTC(2026, 10, 28, 5), Date.UTC(2026, 9, 1)],
    [Date.UTC(2026, 11, 1), Date.UTC(2026, 10, 1)],
    [Date.UTC(2026, 0, 31, 23), Date.UTC(2025, 11, 1)],
  ])('of %i is %i', (now, start) => {
    expect(toStartOfLastMonth(now)).toBe(start);
  });
});

describe('the next UTC day and month', () => {
  it.each([
    [Date.UTC(2026, 10, 28, 5), Date.UTC(2026, 10, 29), Date.UTC(2026, 11, 1)],
    [Date.UTC(2026, 11, 31, 23, 59), Date.UTC(2027, 0, 1), Date.UTC(2027, 0, 1)],
    [Date.UTC(2026, 11, 1), Date.UTC(2026, 11, 2), Date.UTC(2027, 0, 1)],
  ])('after %i are %i and %i', (now, day, month) => {
    expect(toStartOfNextDay(now)).toBe(day);
    expect(toStartOfNextMonth(now)).toBe(month);
  });
});

import { describe, expect, it } from 'vitest';
import {
  LIST_OVERLAP_MS,
  MAX_TRIES,
  planPass,
  REDELIVERY_WINDOW_MS,
  toNextTryAt,
  toProgress,
  toUrgency,
} from '../../../src/core/deliveries/plan-redelivery.ts';
import type { ListProgress } from '../../../src/core/model/list-progress.ts';

const NOW = 10 * REDELIVERY_WINDOW_MS;

describe('the order of redeliveries', () => {
  it.each([
    ['issue_comment', 'created', 0],
    ['pull_request_review_comment', 'created', 1],
    ['check_run', 'requested_action', 2],
    ['check_run', 'rerequested', 2],
    ['pull_request', 'labeled', 3],
    ['pull_request_review', 'submitted', 4],
    ['check_run', 'completed', 5],
    ['check_run', null, 5],
    ['workflow_run', 'completed', 5],
    ['push', null, 5],
  ])('puts %s %s at %i', (eventName, action, urgency) => {
    expect(toUrgency(eventName, action)).toBe(urgency);
  });
});

describe('the time of the next try', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [9, 256],
  ])('after %i tries is %i intervals away', (tries, intervals) => {
    expect(toNextTryAt(NOW, tries, 1_000)).toBe(NOW + intervals * 1_000);
  });

  it('of the last try lies within the three days in which GitHub redelivers', () => {
    let at = 0;
    for (let tries = 1; tries < MAX_TRIES; tries += 1) at = toNextTryAt(at, tries, 5 * 60_000);

    expect(at).toBeLessThan(REDELIVERY_WINDOW_MS);
  });
});

describe('a pass over the list', () => {
  const read = (readUntil: number, open: ListProgress['open'] = null): ListProgress => ({ readUntil, open });

  it.each<[string, ListProgress | null, ReturnType<typeof planPass>]>([
    ['the first one: as far back as GitHub redelivers', null, { cursor: null, stopAt: NOW - REDELIVERY_WINDOW_MS }],
    [
      'the next one: to what was read, and a little more',
      read(NOW - 1_000),
      { cursor: null, stopAt: NOW - 1_000 - LIST_OVERLAP_MS },
    ],
    [
      'one after a long standstill: no further than the window',
      read(1),
      { cursor: null, stopAt: NOW - REDELIVERY_WINDOW_MS },
    ],
    [
      'an unfinished one: from where it stopped',
      read(NOW - 1_000, { cursor: 'c7', readsUntil: NOW - 10 }),
      { cursor: 'c7', stopAt: NOW - 1_000 - LIST_OVERLAP_MS },
    ],
  ])('%s', (_what, progress, pass) => {
    expect(planPass(progress, NOW)).toEqual(pass);
  });

  it.each<[string, ListProgress | null, string | null, ListProgress]>([
    ['that came to its end has read until its start', null, null, read(NOW)],
    ['that stopped remembers its place', read(5), 'c2', read(5, { cursor: 'c2', readsUntil: NOW })],
    [
      'that stopped at the first read has read nothing before the window',
      null,
      'c2',
      read(NOW - REDELIVERY_WINDOW_MS, { cursor: 'c2', readsUntil: NOW }),
    ],
    [
      'that stops again keeps the start of its first part',
      read(5, { cursor: 'c2', readsUntil: 70 }),
      'c3',
      read(5, { cursor: 'c3', readsUntil: 70 }),
    ],
    [
      'that ends in its second part has read until the start of its first',
      read(5, { cursor: 'c2', readsUntil: 70 }),
      null,
      read(70),
    ],
  ])('%s', (_what, before, cursor, after) => {
    expect(toProgress(before, NOW, cursor)).toEqual(after);
  });
});

import { describe, expect, it } from 'vitest';
import { findPushers, toPeople } from '../../../src/core/decide/push-origin.ts';
import type { Actor, Push } from '../../../src/core/model/pull-request.ts';
import { aPerson, fakeSha } from '../../support/builders.ts';

const ann = aPerson({ id: 1, login: 'ann' });
const bob = aPerson({ id: 2, login: 'bob' });
const formatter: Actor = { id: 3, login: 'pre-commit-ci[bot]', kind: 'bot' };

function aPush(before: string, after: string, by: Actor | null): Push {
  return { before: fakeSha(before), after: fakeSha(after), by };
}

describe('findPushers', () => {
  const find = (pushes: readonly Push[], from = 'a', head = 'c') =>
    findPushers(pushes, { fromSha: fakeSha(from), headSha: fakeSha(head) });

  it('names everybody who pushed since, newest first', () => {
    const pushes = [aPush('b', 'c', formatter), aPush('a', 'b', ann), aPush('0', 'a', bob)];

    expect(find(pushes)).toEqual([formatter, ann]);
  });

  it('reads a reset to an older commit as the push that it is', () => {
    const pushes = [aPush('c', 'a', ann), aPush('a', 'c', formatter), aPush('0', 'a', bob)];

    expect(find(pushes, 'c', 'a')).toEqual([ann]);
  });

  it('counts only the newest push where the list does not reach back', () => {
    expect(find([aPush('b', 'c', formatter), aPush('x', 'b', ann)])).toEqual([formatter]);
  });

  it.each([
    ['an empty list', []],
    ['a list without the newest push', [aPush('a', 'b', ann)]],
    ['a list that is ahead of what was read', [aPush('c', 'd', ann), aPush('a', 'c', bob)]],
  ])('does not know from %s', (_what, pushes) => {
    expect(find(pushes)).toBeNull();
  });
});

describe('toPeople', () => {
  it('leaves out bots and accounts that are not known, and names each person once (S17)', () => {
    expect(toPeople([ann, formatter, null, bob, ann])).toEqual([ann, bob]);
  });
});

import { describe, expect, it } from 'vitest';
import { type SituationNow, toStoppedFor } from '../../../src/core/decide/stopped-for.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';

const NOW: SituationNow = {
  ...{ causeKey: 'now', merge: 'clean', ciStatus: 'success', mustBeUpToDate: false, isDeclined: true },
};
const DECLINED: Stop = { causeKey: 'then', code: 'DECLINED', reason: 'Declined.' };

describe('a stop over declined comments', () => {
  it.each<[string, string, Partial<SituationNow>]>([
    ['holds while nobody has said more', 'now', {}],
    ['holds without any CI', 'now', { ciStatus: 'none' }],
    ['holds behind a base that need not be followed', 'now', { merge: 'behind' }],
    ['is lifted by new words', 'then', { isDeclined: false }],
    ['does not hold what is to be done about red CI', 'then', { ciStatus: 'failure' }],
    ['does not hold what is to be done about a conflict', 'then', { merge: 'conflict' }],
    ['does not hold an update of the branch', 'then', { merge: 'behind', mustBeUpToDate: true }],
    ['holds at a clean head that must be up to date', 'now', { mustBeUpToDate: true }],
  ])('%s (S8)', (_what, expected, change) => {
    expect(toStoppedFor(DECLINED, { ...NOW, ...change })).toBe(expected);
  });

  it.each<[string, string | null, Stop | null]>([
    ['no stop', null, null],
    ['a stop of another kind', 'then', { ...DECLINED, code: 'NO_PUSH' }],
  ])('and %s is what it was (S8)', (_what, expected, stop) => {
    expect(toStoppedFor(stop, NOW)).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { findDescendants } from '../../../../src/adapters/sandbox/limits/watch-limits.ts';

const PROCESSES = [
  [1, 0],
  [20, 10],
  [10, 1],
  [30, 20],
  [11, 10],
  [12, 1],
].map(([pid = 0, parentPid = 0]) => ({ pid, parentPid, uid: 0, threads: 1, isZombie: false, memoryBytes: 0 }));

describe('findDescendants', () => {
  it.each([
    [10, [10, 11, 20, 30]],
    [12, [12]],
    [99, []],
    [null, []],
  ])('of %s are %j', (firstPid, expected) => {
    const found = findDescendants(PROCESSES, firstPid).map(({ pid }) => pid);

    expect(found.toSorted((left, right) => left - right)).toEqual(expected);
  });
});

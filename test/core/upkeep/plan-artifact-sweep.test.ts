import { describe, expect, it } from 'vitest';
import { type ArtifactFolder, planArtifactSweep } from '../../../src/core/upkeep/plan-artifact-sweep.ts';

const LIMITS = { before: 100, maxBytesEach: 30, maxBytes: 100 };

const folder = (name: string, usedAt: number, bytes: number, owner: string | null = '1#1'): ArtifactFolder => ({
  name,
  usedAt,
  bytes,
  owner,
});

describe('planArtifactSweep', () => {
  it.each<[string, readonly ArtifactFolder[], readonly string[]]>([
    ['nothing', [], []],
    ['what is old', [folder('old', 99, 1), folder('young', 100, 1)], ['old']],
    [
      'the oldest of a pull request beyond its limit, in whatever order they are listed',
      [folder('first', 101, 10), folder('third', 103, 10), folder('second', 102, 20)],
      ['first'],
    ],
    ['none of a pull request within its limit', [folder('a', 101, 15), folder('b', 102, 15)], []],
    ['not the newest of a pull request, however big', [folder('big', 102, 90), folder('older', 101, 1)], ['older']],
    [
      'the oldest of all beyond the limit of all',
      [0, 1, 2, 3, 4].map((nth) => folder(`f${String(nth)}`, 101 + nth, 25, `1#${String(nth)}`)),
      ['f0'],
    ],
    ['one that alone is beyond the limit of all', [folder('huge', 101, 101)], ['huge']],
    [
      'what belongs to nobody as if it belonged to one',
      [folder('x', 103, 20, null), folder('y', 102, 20, null), folder('z', 101, 20, '1#1')],
      ['y'],
    ],
  ])('deletes %s', (_what, folders, removed) => {
    expect(planArtifactSweep(folders, LIMITS)).toEqual(removed);
  });
});

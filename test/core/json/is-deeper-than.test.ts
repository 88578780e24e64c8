import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeeperThan } from '../../../src/core/json/is-deeper-than.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isDeeperThan', () => {
  it.each([
    ['{}', 1],
    ['[[]]', 2],
    ['{"a":"[[[["}', 1],
    ['{"a\\"[[[":"\\\\"}', 1],
    ['"\\\\\\"[[["', 0],
    ['[[[', 3],
    ['"[[[', 0],
    [']]]][', 0],
    ['', 0],
  ])('takes %s for %i deep', (json, depth) => {
    expect(isDeeperThan(Buffer.from(json), depth)).toBe(false);
    if (depth > 0) expect(isDeeperThan(Buffer.from(json), depth - 1)).toBe(true);
  });

  it('counts as a parser does, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const json = Buffer.from(JSON.stringify(value));
        const depth = depthOf(JSON.parse(json.toString()));
        expect(isDeeperThan(json, depth)).toBe(false);
        if (depth > 0) expect(isDeeperThan(json, depth - 1)).toBe(true);
      }),
    );
  });
});

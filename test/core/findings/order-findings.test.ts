import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderFindings, sortByPlace } from '../../../src/core/findings/order-findings.ts';
import { aFinding } from '../../support/engine-stories.ts';
import { aParsedFinding } from './parsed-findings.ts';

describe('sortByPlace', () => {
  const sorted = [
    aParsedFinding({ path: null, line: null, column: null }),
    aParsedFinding({ path: 'a.ts', line: null, column: null }),
    aParsedFinding({ path: 'a.ts', line: 2, column: null }),
    aParsedFinding({ path: 'a.ts', line: 2, column: 9, rule: 'z' }),
    aParsedFinding({ path: 'a.ts', line: 2, column: 10, rule: null, message: 'z' }),
    aParsedFinding({ path: 'a.ts', line: 2, column: 10, rule: 'a', message: 'z' }),
    aParsedFinding({ path: 'a.ts', line: 2, column: 10, rule: 'b', message: 'a' }),
    aParsedFinding({ path: 'a.ts', line: 2, column: 10, rule: 'b', message: 'b' }),
    aParsedFinding({ path: 'a.ts', line: 10, column: 1 }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'lint' }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'type', testId: 'a', identity: 'b' }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'type', testId: 'b', identity: 'a' }),
    aParsedFinding({
      path: 'b.ts',
      line: 1,
      kind: 'type',
      testId: 'b',
      identity: 'b',
      severity: 'blocker',
      endLine: 3,
    }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'type', testId: 'b', identity: 'b', severity: 'high', endLine: 2 }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'type', testId: 'b', identity: 'b', endLine: 3, native: 'a' }),
    aParsedFinding({ path: 'b.ts', line: 1, kind: 'type', testId: 'b', identity: 'b', endLine: 3, native: 'b' }),
  ];

  it('sorts by path, line, column, rule and message, then by all the rest; what has none comes first', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (shuffled) => {
        expect(sortByPlace(shuffled)).toEqual(sorted);
      }),
    );
  });

  it('keeps the order of findings that are equal in everything', () => {
    const equal = [aFinding({ fingerprint: '2' }), aFinding({ fingerprint: '1' })];

    expect(sortByPlace(equal)).toEqual(equal);
  });

  it('leaves its input as it is', () => {
    const input = [sorted[1], sorted[0]].flatMap((finding) => finding ?? []);

    expect(sortByPlace(input)).toHaveLength(2);
    expect(input[0]).toBe(sorted[1]);
  });
});

describe('orderFindings', () => {
  it('puts new findings first, then the worst, then by place, tool and fingerprint', () => {
    const ordered = [
      aFinding({ fingerprint: '1', severity: 'low', path: 'z' }),
      aFinding({ fingerprint: '2', severity: 'blocker', path: 'z' }),
      aFinding({ fingerprint: '3', severity: 'high', path: 'a' }),
      aFinding({ fingerprint: '4', severity: 'high', path: 'b', tool: 'a' }),
      aFinding({ fingerprint: '6', severity: 'high', path: 'b', tool: 'b' }),
      aFinding({ fingerprint: '7', severity: 'high', path: 'b', tool: 'b' }),
      aFinding({ fingerprint: '5', severity: 'medium', path: 'a' }),
    ];

    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
        expect(orderFindings(shuffled, ({ fingerprint }) => fingerprint === '1')).toEqual(ordered);
      }),
    );
  });
});

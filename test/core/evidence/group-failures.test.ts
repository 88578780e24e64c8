import { describe, expect, it } from 'vitest';
import { createFailureGroups, toFailureKey, toShape } from '../../../src/core/evidence/group-failures.ts';
import type { LogFailure } from '../../../src/core/evidence/log-failure.ts';

function aFailure(from: number, change: Partial<LogFailure> = {}): LogFailure {
  const sign = { tool: null, path: 'a.c', line: from, column: null, rule: null, testId: null, message: 'gone' };
  return { kind: 'place', ...sign, step: null, from, to: from + 1, ...change };
}

function group(failures: readonly LogFailure[]): readonly (readonly [from: number, count: number, last: number])[] {
  const groups = createFailureGroups();
  for (const failure of failures) groups.add(failure, { lines: [failure.from], frames: [] });
  return groups.list().map(({ failure, count, lastFrom }) => [failure.from, count, lastFrom]);
}

describe('the shape of a message', () => {
  it.each([
    ['took 12 ms at 0x7fA0 of 0xdeadbeef', 'took # ms at # of #'],
    ['0Xff, 0xzz', '#, #xzz'],
    [' two   blanks\tand\nmore ', 'two blanks and more'],
    [`${'x'.repeat(300)}y`, 'x'.repeat(300)],
  ])('%j is %j', (text, shape) => {
    expect(toShape(text)).toBe(shape);
  });
});

describe('equal failures', () => {
  it('differ in their lines and numbers alone', () => {
    expect(toFailureKey(aFailure(1, { message: 'gone 3' }))).toBe(toFailureKey(aFailure(9, { message: 'gone  12' })));
    const others: readonly Partial<LogFailure>[] = [
      { kind: 'test' },
      { tool: 'tsc' },
      { path: 'b.c' },
      { rule: 'X' },
      { testId: 'adds' },
      { message: 'none' },
    ];
    expect(new Set([{}, ...others].map((change) => toFailureKey(aFailure(1, change)))).size).toBe(7);
  });

  it('are one group, and groups are in the order of the log, whatever their kind', () => {
    const failures = [
      aFailure(5, { kind: 'exit' }),
      aFailure(7),
      aFailure(9),
      aFailure(2, { kind: 'exit', message: 'else' }),
    ];
    expect(group(failures)).toEqual([
      [2, 1, 2],
      [5, 1, 5],
      [7, 2, 9],
    ]);
  });

  it('are counted beyond the number of groups that are kept: the first 1,500 and the last 500 of each kind', () => {
    const many = Array.from({ length: 2600 }, (_, from) => aFailure(from, { path: `${'x'.repeat(from)}.c` }));
    const again = [aFailure(3000, { path: '.c' }), aFailure(3001, { path: `${'x'.repeat(2599)}.c` })];
    const groups = group([...many, ...again, aFailure(3002, { kind: 'test' })]);

    expect(groups).toHaveLength(2001);
    expect(groups[0]).toEqual([0, 2, 3000]);
    expect(groups.slice(1499, 1501)).toEqual([
      [1499, 1, 1499],
      [2100, 1, 2100],
    ]);
    expect(groups.slice(-2)).toEqual([
      [2599, 2, 3001],
      [3002, 1, 3002],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { findCitations } from '../../scripts/rules/find-citations.ts';
import { proveRules, readAllTitles } from '../../scripts/rules/prove-rules.ts';
import type { TestTitle } from '../../scripts/rules/read-test-titles.ts';
import { ENGINE_RULES } from './engine-rules.ts';
import { RULES } from './rules.ts';
import { NOT_OURS, TRAPS } from './traps.ts';

function aTitle(title: string, runs: TestTitle['runs'] = 'always'): TestTitle {
  return { file: 'a.test.ts', line: 1, title, runs };
}

const CLAIMS = { rules: { '002.R1': 'one loop', S4: 'an end' }, traps: ['a', 'b'], notOurs: { 2: 'no such thing' } };

describe('the rules and traps of this project', () => {
  const report = proveRules(
    { rules: { ...RULES, ...ENGINE_RULES }, traps: TRAPS, notOurs: NOT_OURS },
    readAllTitles('test'),
  );

  it('are named by tests that run, and by no title that names what there is not', () => {
    expect(report.problems).toEqual([]);
  });

  it('have a test each', () => {
    expect(report.missing.map(({ id }) => id)).toEqual([]);
  });

  it('are as many as are known', () => {
    expect(TRAPS).toHaveLength(149);
    expect(new Set(TRAPS).size).toBe(TRAPS.length);
    expect(Object.keys(ENGINE_RULES).filter((id) => id.startsWith('000.'))).toHaveLength(44);
    expect(Object.keys(ENGINE_RULES).filter((id) => id.startsWith('003.'))).toHaveLength(29);
    expect(Object.keys(ENGINE_RULES).filter((id) => id.startsWith('C'))).toHaveLength(17);
    expect(Object.keys(RULES).filter((id) => Object.hasOwn(ENGINE_RULES, id))).toEqual([]);
  });
});

describe('findCitations', () => {
  it.each<[string, readonly string[]]>([
    ['ends at the limit (002.R8)', ['002.R8']],
    ['ends (002.R16 to R18, S8)', ['002.R16', '002.R17', '002.R18', 'S8']],
    ['ends (001.R34, 002.R5, R15 and R20)', ['001.R34', '002.R5', '002.R15', '002.R20']],
    ['waits (trap 7)', ['trap 7']],
    ['waits (traps 7, 8 and 10 to 12)', ['trap 7', 'trap 8', 'trap 10', 'trap 11', 'trap 12']],
    ['waits (trap 7, 2 times)', ['trap 7']],
    ['names T9, F13 and FS1, and nothing twice: S9, S9', ['S9']],
    ['plans (000.R1 to R3, C5 and C14), not E902 or TC1', ['000.R1', '000.R2', '000.R3', 'C5', 'C14']],
  ])('reads title %#', (title, ids) => {
    expect(findCitations(title).toSorted()).toEqual(ids.toSorted());
  });
});

describe('proveRules', () => {
  it('takes what has a test, and what is not ours, for proved', () => {
    const titles = [aTitle('x (002.R1, S4)'), aTitle('y (trap 1)', 'conditional')];

    expect(proveRules(CLAIMS, titles)).toMatchObject({ missing: [], problems: [] });
  });

  it('names what no test names', () => {
    const { missing } = proveRules(CLAIMS, [aTitle('x (S4)')]);

    expect(missing.map(({ id }) => id)).toEqual(['002.R1', 'trap 1']);
  });

  it.each([
    ['a test that never runs', aTitle('x (002.R1)', 'skipped'), 'a.test.ts:1 x (002.R1): never runs'],
    ['a rule that is not known', aTitle('x (002.R99)'), 'a.test.ts:1 x (002.R99): 002.R99 is in no list'],
    ['a trap that is not ours', aTitle('x (trap 2)'), 'trap 2 has a test and is said not to be ours'],
  ])('complains of %s', (_what, title, problem) => {
    const { missing, problems } = proveRules(CLAIMS, [title]);

    expect(problems).toEqual([problem]);
    expect(missing.map(({ id }) => id)).toContain('002.R1');
  });
});

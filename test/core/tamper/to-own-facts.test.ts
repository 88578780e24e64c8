import { describe, expect, it } from 'vitest';
import { examineChange } from '../../../src/compose/compose-change.ts';
import { toOwnFacts } from '../../../src/core/tamper/to-own-facts.ts';

const PATH = 'test/sum.test.js';
const POLICY = { testChanges: 'judge', protectedPaths: [] } as const;

function test(name: string, lines: readonly string[] = [`expect(sum(1, 2)).toBe(3);`], call = 'it'): string {
  return `${call}('${name}', () => {\n${lines.map((line) => `  ${line}\n`).join('')}});\n`;
}

interface Merge {
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly result: string | null;
}

/** Codes of what a resolution does by itself to a file in conflict, or to one that git merged. */
function judge(merge: Merge, isInConflict = true, path = PATH): readonly string[] {
  const { base, ours, theirs, result } = merge;
  const toFiles = (text: string | null): Record<string, string> => (text === null ? {} : { [path]: text });
  const sides = [ours, theirs].map((side) => examineChange(toFiles(side), toFiles(result), POLICY));
  const file = { path, base, ours, theirs, merged: base, result, isUnreadable: false };
  const resolution = isInConflict ? { files: [file], beside: [] } : { files: [], beside: [file] };
  return toOwnFacts(sides, resolution).map(({ code, is }) => `${is} ${code}`);
}

const BOTH = test('adds');

describe('the tests of a merge (S15)', () => {
  it('are whole where both sides added some and both stay', () => {
    const [ours, theirs] = [`${BOTH}${test('ours')}`, `${BOTH}${test('theirs')}`];

    expect(judge({ base: BOTH, ours, theirs, result: `${BOTH}${test('ours')}${test('theirs')}` })).toEqual([]);
  });

  it('may go where one side removed them, or only one has them: the other may have removed what they test', () => {
    expect(judge({ base: BOTH, ours: '', theirs: `${BOTH}${test('theirs')}`, result: test('theirs') })).toEqual([]);
    expect(judge({ base: BOTH, ours: `${BOTH}${test('ours')}`, theirs: BOTH, result: BOTH })).toEqual([]);
  });

  it('may be skipped as one side skips them', () => {
    const skipped = test('adds', undefined, 'it.skip');

    expect(
      judge({ base: BOTH, ours: skipped, theirs: `${BOTH}${test('x')}`, result: `${skipped}${test('x')}` }),
    ).toEqual([]);
  });

  it('are refused where no side skips them, also one that only one side has', () => {
    const own = test('ours', undefined, 'it.skip');

    expect(
      judge({ base: BOTH, ours: BOTH, theirs: `${BOTH}// x\n`, result: test('adds', undefined, 'it.skip') }),
    ).toEqual(['rejected TEST_SKIPPED']);
    expect(judge({ base: BOTH, ours: `${BOTH}${test('ours')}`, theirs: BOTH, result: `${BOTH}${own}` })).toEqual([
      'rejected TEST_SKIPPED',
    ]);
  });

  it('are refused where one is gone that both sides have', () => {
    const [ours, theirs] = [`${BOTH}${test('ours')}`, `${BOTH}${test('theirs')}`];

    expect(judge({ base: BOTH, ours, theirs, result: `${test('ours')}${test('theirs')}` })).toEqual([]);
    const more = test('subtracts', ['expect(minus(4, 2)).toBe(2);']);
    expect(
      judge({
        base: `${BOTH}${more}`,
        ours: `${ours}${more}`,
        theirs: `${theirs}${more}`,
        result: `${ours}${test('theirs')}`,
      }),
    ).toEqual(['rejected TEST_DELETED']);
  });

  it('may lose what each side removed, though both removals look alike', () => {
    const lines = ['expect(sum(1, 2)).toBe(3);', 'expect(sum(2, 2)).toBe(4);', 'expect(sum(3, 2)).toBe(5);'];
    const [one, two, three] = lines.map((line) => [line]);
    const base = test('adds', lines);
    const ours = test('adds', [...(two ?? []), ...(three ?? [])]);
    const theirs = test('adds', [...(one ?? []), ...(three ?? [])]);

    expect(judge({ base, ours, theirs, result: test('adds', three) })).toEqual([]);
  });

  it('are held where an expectation is neither side’s, also in a file that git merged', () => {
    const expecting = (value: number): string => test('adds', [`expect(sum(1, 2)).toBe(${value});`]);
    const merge = { base: expecting(3), ours: expecting(4), theirs: expecting(5), result: expecting(6) };

    expect(judge(merge)).toEqual(['held EXPECTATION_CHANGED']);
    expect(judge(merge, false)).toEqual(['held EXPECTATION_CHANGED']);
    expect(judge({ ...merge, result: expecting(5) })).toEqual([]);
  });

  it('are refused where one is emptied between lines that stay', () => {
    const emptied = `it('adds', () => {\n});\n`;

    expect(judge({ base: BOTH, ours: `${BOTH}// a\n`, theirs: `${BOTH}// b\n`, result: `${emptied}// a\n` })).toContain(
      'rejected TEST_EMPTIED',
    );
  });

  it('are not judged in files that the resolution left as a side has them', () => {
    const sides = [{ verdict: 'held', facts: [] }] as const;

    expect(toOwnFacts(sides, { files: [], beside: [] })).toEqual([]);
  });
});

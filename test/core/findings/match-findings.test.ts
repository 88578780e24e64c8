import { describe, expect, it } from 'vitest';
import { matchFindings } from '../../../src/core/findings/match-findings.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import { aFailingTest, aParsedFinding, type Files, findVars, fingerprinted } from './parsed-findings.ts';

interface Told {
  readonly pairs: readonly (readonly [head: string, base: string])[];
  readonly onlyHead: readonly string[];
  readonly onlyBase: readonly string[];
}

function toPlace({ path, line }: Finding): string {
  return `${String(path)}:${String(line)}`;
}

function match(
  head: readonly Finding[],
  base: readonly Finding[],
  renames: ReadonlyMap<string, string> = new Map(),
): Told {
  const { pairs, onlyHead, onlyBase } = matchFindings({ head, base, renames });
  return {
    pairs: pairs.map((pair) => [toPlace(pair.head), toPlace(pair.base)] as const).toSorted(),
    onlyHead: onlyHead.map(toPlace),
    onlyBase: onlyBase.map(toPlace),
  };
}

/** A file in which the given lines have the same finding. */
function withVarsAt(lines: readonly number[], path = 'a'): Files {
  const length = Math.max(0, ...lines);
  return { [path]: Array.from({ length }, (_, index) => (lines.includes(index + 1) ? 'var x;' : '')) };
}

function matchLines(head: readonly number[], base: readonly number[]): Told {
  return match(findVars(withVarsAt(head)), findVars(withVarsAt(base)));
}

describe('matchFindings', () => {
  it('calls the finding new that is where none was, although it took the ordinal of the one below it', () => {
    expect(matchLines([10, 20], [20])).toEqual({ pairs: [['a:20', 'a:20']], onlyHead: ['a:10'], onlyBase: [] });
  });

  it('calls the finding gone that is no more where it was, although the one below took its ordinal', () => {
    expect(matchLines([20], [10, 20])).toEqual({ pairs: [['a:20', 'a:20']], onlyHead: [], onlyBase: ['a:10'] });
  });

  it('pairs the nearest lines first', () => {
    expect(matchLines([8, 31], [10, 30, 50])).toEqual({
      pairs: [
        ['a:31', 'a:30'],
        ['a:8', 'a:10'],
      ],
      onlyHead: [],
      onlyBase: ['a:50'],
    });
    expect(matchLines([12], [10, 30]).pairs).toEqual([['a:12', 'a:10']]);
    expect(matchLines([28], [10, 30]).pairs).toEqual([['a:28', 'a:30']]);
  });

  it('prefers the same column of one line', () => {
    const at = (column: number): Finding => {
      const [finding] = fingerprinted([aParsedFinding({ column })], { 'src/a.ts': ['var a; var b;'] });
      if (finding === undefined) throw new Error('no finding');
      return finding;
    };
    const [left, right] = [at(1), at(8)];
    const { pairs, onlyBase } = matchFindings({ head: [right], base: [left, right], renames: new Map() });

    expect(pairs).toEqual([{ head: right, base: right }]);
    expect(onlyBase).toEqual([left]);
  });

  it('skips none of many findings that moved at once', () => {
    const lines = Array.from({ length: 90 }, (_, index) => 2 * index + 1);
    const { pairs, onlyHead, onlyBase } = matchLines(
      lines.map((line) => line + 7),
      lines,
    );

    expect(pairs).toHaveLength(90);
    expect([onlyHead, onlyBase]).toEqual([[], []]);
  });

  it('pairs in the order of lines where too many are equal for weighing each with each', () => {
    const lines = Array.from({ length: 101 }, (_, index) => index + 1);
    const moved = lines.map((line) => line + 1_000);

    const { pairs, onlyHead, onlyBase } = matchLines([...moved.slice(0, 100), 5_000, 6_000], lines);

    expect(pairs).toContainEqual(['a:1001', 'a:1']);
    expect(pairs).toContainEqual(['a:5000', 'a:101']);
    expect(pairs).toHaveLength(101);
    expect([onlyHead, onlyBase]).toEqual([['a:6000'], []]);
    expect(matchLines(lines, [...moved, 5_000]).onlyBase).toEqual(['a:5000']);
  });

  it('pairs them so in a renamed file, too', () => {
    const lines = Array.from({ length: 101 }, (_, index) => index + 1);
    const renamed = findVars(withVarsAt(lines, 'b'));

    expect(match(renamed, findVars(withVarsAt(lines)), new Map([['b', 'a']]))).toMatchObject({
      pairs: lines.map((line) => [`b:${String(line)}`, `a:${String(line)}`]).toSorted(),
      ...{ onlyHead: [], onlyBase: [] },
    });
  });

  it('weighs each with each up to ten thousand pairs', () => {
    const bases = Array.from({ length: 100 }, (_, index) => index + 1);
    const heads = Array.from({ length: 100 }, (_, index) => index + 101);

    expect(matchLines(heads, bases).pairs).toContainEqual(['a:101', 'a:100']);
    expect(matchLines([...heads, 201], bases).pairs).toContainEqual(['a:101', 'a:1']);
  });

  it('never pairs findings of two files that are only alike', () => {
    expect(match(findVars(withVarsAt([1], 'b')), findVars(withVarsAt([1])))).toEqual({
      pairs: [],
      onlyHead: ['b:1'],
      onlyBase: ['a:1'],
    });
  });

  it('follows a renamed file, there the nearest line first, too', () => {
    const renames = new Map([['b', 'a']]);

    expect(match(findVars(withVarsAt([12, 30], 'b')), findVars(withVarsAt([10, 40, 50])), renames)).toEqual({
      pairs: [
        ['b:12', 'a:10'],
        ['b:30', 'a:40'],
      ],
      onlyHead: [],
      onlyBase: ['a:50'],
    });
  });

  it('takes what stayed in its file before what came by a rename', () => {
    const head = [...findVars(withVarsAt([1], 'b')), ...findVars(withVarsAt([9]))];

    expect(match(head, findVars(withVarsAt([1])), new Map([['b', 'a']]))).toEqual({
      pairs: [['a:9', 'a:1']],
      onlyHead: ['b:1'],
      onlyBase: [],
    });
  });

  it('finds a test by its id wherever it fails', () => {
    const head = fingerprinted([aFailingTest({ path: 'src/lib.py', line: 3 })]);

    expect(match(head, fingerprinted([aFailingTest()])).pairs).toEqual([['src/lib.py:3', 'tests/test_a.py:7']]);
  });

  it('pairs findings without a file or a line', () => {
    const loose = fingerprinted([aParsedFinding({ path: null, line: null }), aParsedFinding({ line: null })]);

    expect(match(loose, loose, new Map([['x', 'null']]))).toMatchObject({ onlyHead: [], onlyBase: [] });
  });

  it('takes a finding without a line for one at the very beginning', () => {
    const at = (line: number | null): readonly Finding[] => fingerprinted([aParsedFinding({ line, identity: 'i' })]);
    const base = fingerprinted([
      aParsedFinding({ line: 9, identity: 'i' }),
      aParsedFinding({ line: 2, identity: 'i' }),
    ]);

    expect(match(at(null), base).pairs).toEqual([['src/a.ts:null', 'src/a.ts:2']]);
    expect(match(base, at(null)).pairs).toEqual([['src/a.ts:2', 'src/a.ts:null']]);
  });
});

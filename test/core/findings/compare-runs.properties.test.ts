import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import { aRun } from '../../support/engine-stories.ts';
import { type Files, findVars } from './parsed-findings.ts';

const line = fc.constantFrom('', 'x;', 'var x;', 'var  x;', 'var y;', 'let z;');
const anyFiles: fc.Arbitrary<Files> = fc.dictionary(fc.constantFrom('a', 'b', 'c/a'), fc.array(line, { maxLength: 8 }));
const noRenames: ReadonlyMap<string, string> = new Map();

type Compared = Extract<EngineComparison, { kind: 'compared' }>;

function compare(
  head: readonly Finding[],
  base: readonly Finding[],
  { change = {}, renames = noRenames }: { change?: Partial<EngineRun>; renames?: ReadonlyMap<string, string> } = {},
): Compared {
  const comparison = compareRuns({
    head: aRun({ ...change, findings: head }),
    base: aRun({ findings: base }),
    renames,
    isInScope: () => true,
  });
  if (comparison.kind === 'not_comparable') throw new Error(comparison.why);
  return comparison;
}

/** What is in a list, however its lines and ordinals are: by file and likeness, with numbers. */
function tally(findings: readonly Finding[]): Record<string, number> {
  const groups = Map.groupBy(findings, ({ path, likeness }) => `${String(path)} ${likeness}`);
  return Object.fromEntries([...groups].map(([key, group]) => [key, group.length]));
}

/** How many of a likeness there are, in all files together. */
function countAlike(findings: readonly Finding[], likeness: string): number {
  return findings.filter((finding) => finding.likeness === likeness).length;
}

describe('compareRuns, for any two runs', () => {
  it('finds nothing new and nothing fixed where head is the base', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const { added, fixed, existing } = compare(findVars(files), findVars(files));
        expect([added, fixed]).toEqual([[], []]);
        expect(existing).toHaveLength(findVars(files).length);
      }),
    );
  });

  it('finds exactly as many new findings as were added, whether or not others are like them', () => {
    const added = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'new'), fc.constantFrom('var x;', 'var new;'), fc.nat(8)),
      {
        maxLength: 6,
      },
    );

    fc.assert(
      fc.property(anyFiles, added, (files, insertions) => {
        let after = files;
        for (const [path, text, at] of insertions)
          after = { ...after, [path]: (after[path] ?? []).toSpliced(at, 0, text) };
        const comparison = compare(findVars(after), findVars(files));
        expect(comparison.added).toHaveLength(insertions.length);
        expect(comparison.fixed).toEqual([]);
      }),
    );
  });

  it('finds each of head once, each fixed one in the base, and nothing fixed that is new in another file', () => {
    fc.assert(
      fc.property(anyFiles, anyFiles, (headFiles, baseFiles) => {
        const [head, base] = [findVars(headFiles), findVars(baseFiles)];
        const { added, existing, fixed, uncompared } = compare(head, base);
        expect(tally([...added, ...existing])).toEqual(tally(head));
        for (const { likeness } of base) {
          const gone = countAlike(base, likeness) - countAlike(existing, likeness);
          expect(countAlike(fixed, likeness)).toBe(Math.max(0, gone - countAlike(added, likeness)));
        }
        expect(fixed.every((finding) => base.includes(finding))).toBe(true);
        expect(uncompared).toEqual([]);
        const keys = new Set(Object.keys(tally(added)));
        expect(Object.keys(tally(fixed)).filter((key) => keys.has(key))).toEqual([]);
      }),
    );
  });

  it('is its own mirror image: what is new one way is fixed the other way, but for what is in another file', () => {
    fc.assert(
      fc.property(anyFiles, anyFiles, (left, right) => {
        const there = compare(findVars(left), findVars(right));
        const back = compare(findVars(right), findVars(left));
        for (const { likeness } of [...findVars(left), ...findVars(right)]) {
          const more = countAlike(there.added, likeness) - countAlike(back.added, likeness);
          expect(countAlike(back.fixed, likeness)).toBe(Math.max(0, more));
          expect(countAlike(there.fixed, likeness)).toBe(Math.max(0, -more));
        }
      }),
    );
  });

  it('gives the same answer whatever the order of the findings', () => {
    const shuffled = (files: Files): fc.Arbitrary<readonly Finding[]> =>
      fc.shuffledSubarray([...findVars(files)], { minLength: findVars(files).length });
    const runs = fc
      .tuple(anyFiles, anyFiles)
      .chain(([head, base]) => fc.tuple(fc.constant([head, base] as const), shuffled(head), shuffled(base)));

    fc.assert(
      fc.property(runs, ([[headFiles, baseFiles], head, base]) => {
        expect(compare(head, base)).toEqual(compare(findVars(headFiles), findVars(baseFiles)));
      }),
    );
  });

  it('finds nothing new and nothing fixed where lines only moved', () => {
    fc.assert(
      fc.property(anyFiles, fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c/a'), fc.nat(8))), (files, blanks) => {
        let after = files;
        for (const [path, at] of blanks) after = { ...after, [path]: (after[path] ?? []).toSpliced(at, 0, ' ') };
        const { added, fixed } = compare(findVars(after), findVars(files));
        expect([added, fixed]).toEqual([[], []]);
      }),
    );
  });

  it('finds nothing new and nothing fixed where files were only renamed', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const renamed = Object.fromEntries(Object.entries(files).map(([path, lines]) => [`moved/${path}`, lines]));
        const renames = new Map(Object.keys(files).map((path) => [`moved/${path}`, path]));
        const { added, fixed } = compare(findVars(renamed), findVars(files), { renames });
        expect([added, fixed]).toEqual([[], []]);
      }),
    );
  });

  it('never fixes anything by a run of head that is not conclusive, and finds the same new ones', () => {
    const cuts = fc.constantFrom<Partial<EngineRun>>({ complete: false }, { category: 'tool_failure' });

    fc.assert(
      fc.property(anyFiles, anyFiles, cuts, (headFiles, baseFiles, change) => {
        const [head, base] = [findVars(headFiles), findVars(baseFiles)];
        fc.pre(head.length > 0);
        const { added, existing } = compare(head, base);
        expect(compare(head, base, { change })).toMatchObject({ added, existing, fixed: [], removedTests: [] });
      }),
    );
  });
});

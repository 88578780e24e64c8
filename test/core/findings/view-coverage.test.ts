import { describe, expect, it } from 'vitest';
import { viewCoverage } from '../../../src/core/findings/view-coverage.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { FileCoverage } from '../../../src/core/model/finding.ts';
import { aFinding, aRun } from '../../support/engine-stories.ts';

function file(path: string, covered: number, total: number, missingLines: readonly number[] = []): FileCoverage {
  return { path, covered, total, missingLines };
}

function aCoverageRun(change: Partial<EngineRun> = {}): EngineRun {
  const coverage = { files: [file('a', 8, 10, [3, 9]), file('b', 0, 5, [1, 2, 3, 4, 5])] };
  return aRun({ engine: 'cov', kind: 'coverage', coverage, ...change });
}

const BASE = aCoverageRun({ coverage: { files: [file('a', 7, 9)] } });
const FAILED = { tests: [{ id: 't', outcome: 'failed', path: null }] } as const;
const ON_HEAD = 'on the head a test failed, or not all of them ran';
const ON_BASE = 'on the base a test failed, or not all of them ran';
const DIFFERENT = 'the base was run by another version, plan or configuration';

describe('viewCoverage', () => {
  it('tells the totals of both sides, and the changed lines that no test runs', () => {
    const changed = new Map([
      ['a', new Set([1, 3])],
      ['c', new Set([1])],
    ]);

    expect(viewCoverage(aCoverageRun(), BASE, changed)).toEqual({
      engine: 'cov',
      project: '.',
      head: { covered: 8, total: 15 },
      base: { kind: 'compared', total: { covered: 7, total: 9 } },
      uncovered: [{ path: 'a', lines: [3] }],
    });
  });

  it('says nothing of an engine that tells of no coverage', () => {
    expect(viewCoverage(aCoverageRun({ coverage: null }), BASE, new Map())).toBeNull();
  });

  it('knows of no uncovered change where nobody knows what was changed, which is something else than none', () => {
    expect(viewCoverage(aCoverageRun(), BASE, null)?.uncovered).toBeNull();
    expect(viewCoverage(aCoverageRun(), BASE, new Map())?.uncovered).toEqual([]);
  });

  it.each<[string, Partial<EngineRun>, Partial<EngineRun> | null, string]>([
    ['there is no base', {}, null, 'there is no run of the base'],
    ['the signatures differ', {}, { signature: 'other' }, DIFFERENT],
    ['the base was run in another mode', {}, { mode: 'current' }, "the base's run is no TARGET run"],
    ['a test of the head failed', FAILED, {}, ON_HEAD],
    ['a test of the base failed', {}, FAILED, ON_BASE],
    ['the head is not complete', { complete: false }, {}, ON_HEAD],
    ['a test file of the base could not be read', {}, { findings: [aFinding({ kind: 'collection_error' })] }, ON_BASE],
    ['both are amiss, and their signatures too', FAILED, { ...FAILED, signature: 'other' }, DIFFERENT],
    ['both are amiss', FAILED, FAILED, ON_HEAD],
    ['the base tells of none', {}, { coverage: null }, "the base's run tells of no coverage"],
  ])('compares nothing where %s, and says why', (_what, head, base, why) => {
    const view = viewCoverage(aCoverageRun(head), base === null ? null : { ...BASE, ...base }, new Map());

    expect(view?.base).toEqual({ kind: 'not_comparable', why });
    expect(view?.head).toEqual({ covered: 8, total: 15 });
  });
});

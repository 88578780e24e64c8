import { describe, expect, it } from 'vitest';
import type { CoverageView } from '../../../src/core/findings/view-coverage.ts';
import { renderTests } from '../../../src/core/render/render-quality-tests.ts';
import { aReport, aRun } from '../../support/engine-stories.ts';
import { aQualityStory } from '../../support/quality-stories.ts';

function render(change: Partial<CoverageView>): string {
  const view: CoverageView = {
    engine: 'cov',
    project: '.',
    head: { covered: 1, total: 3 },
    base: { kind: 'not_comparable', why: 'so' },
    uncovered: [],
    ...change,
  };
  return renderTests(
    aQualityStory({ report: aReport({ runs: [aRun({ engine: 'cov', project: '.' })] }), coverage: [view] }),
  );
}

function compared(covered: number, total: number): CoverageView['base'] {
  return { kind: 'compared', total: { covered, total } };
}

describe('tests and coverage of a run', () => {
  it('are told by engine, in TARGET alone', () => {
    const tests = (['passed', 'passed', 'failed', 'error', 'skipped'] as const).map((outcome, nth) => ({
      id: String(nth),
      outcome,
      path: null,
    }));
    const own = { base: compared(1, 4), uncovered: [] };
    const story = aQualityStory({
      report: aReport({
        runs: [
          aRun({ tests }),
          aRun({ engine: 'cov', project: '.', tests: [] }),
          aRun({ engine: 'mypy', project: '.', mode: 'current', tests }),
          aRun({ engine: 'none', project: '.' }),
        ],
      }),
      comparisons: [
        { kind: 'not_comparable', engine: 'cov', project: '.', why: 'so', findings: [], existing: [] },
        {
          ...{ kind: 'compared', engine: 'eslint', project: '.', removedTests: ['x'], skippedTests: [] },
          ...{ added: [], fixed: [], existing: [], uncompared: [] },
        },
      ],
      coverage: [
        { engine: 'none', project: '.', head: { covered: 0, total: 0 }, ...own },
        { engine: 'cov', project: '.', head: { covered: 1, total: 3 }, ...own },
      ],
    });

    expect(renderTests(story)).toBe(
      [
        '### Tests and coverage',
        '',
        '- `eslint`: 2 passed, 1 failed, 1 in error, 1 skipped, 1 that failed on the base removed',
        '- `cov`: 0 passed, 0 failed, 0 in error, 0 skipped, 0 that failed on the base removed',
        '- `cov`: coverage 33.3 % (1 of 3), +8.3 points against the base: 25.0 % (1 of 4)',
        '  - Changed lines that are not covered: none',
        '- `none`: coverage nothing to cover (0 of 0); on the base: 25.0 % (1 of 4)',
        '  - Changed lines that are not covered: none',
      ].join('\n'),
    );
  });

  it('have no section where no engine tells of any', () => {
    expect(renderTests(aQualityStory())).toBe('');
  });
});

describe('coverage against the base', () => {
  it.each<[string, CoverageView['head'], CoverageView['base'], string]>([
    [
      'up',
      { covered: 9, total: 10 },
      compared(8, 10),
      '90.0 % (9 of 10), +10.0 points against the base: 80.0 % (8 of 10)',
    ],
    [
      'down',
      { covered: 1, total: 3 },
      compared(2, 5),
      '33.3 % (1 of 3), -6.7 points against the base: 40.0 % (2 of 5)',
    ],
    ['the same of more', { covered: 2, total: 4 }, compared(1, 2), '50.0 % (2 of 4), as on the base: 50.0 % (1 of 2)'],
    [
      'a little up',
      { covered: 5001, total: 10_000 },
      compared(1, 2),
      '50.0 % (5001 of 10000), less than 0.1 points above the base: 50.0 % (1 of 2)',
    ],
    [
      'a little down',
      { covered: 1, total: 2 },
      compared(5001, 10_000),
      '50.0 % (1 of 2), less than 0.1 points below the base: 50.0 % (5001 of 10000)',
    ],
    [
      'no longer whole, by one line of very many',
      { covered: 99_999, total: 100_000 },
      compared(1, 1),
      '99.9 % (99999 of 100000), -0.1 points against the base: 100.0 % (1 of 1)',
    ],
    [
      'of nothing before',
      { covered: 1, total: 2 },
      compared(0, 0),
      '50.0 % (1 of 2); on the base: nothing to cover (0 of 0)',
    ],
    [
      'not comparable',
      { covered: 1, total: 2 },
      { kind: 'not_comparable', why: 'there is no run of the base' },
      "50.0 % (1 of 2); it cannot be compared with the base's: there is no run of the base",
    ],
  ])('is told where it is %s', (_what, head, base, words) => {
    expect(render({ head, base }).split('\n')[2]).toBe(`- \`cov\`: coverage ${words}`);
  });
});

describe('changed lines that are not covered', () => {
  const files = (count: number): CoverageView['uncovered'] =>
    Array.from({ length: count }, (_, nth) => ({ path: `f${String(nth)}`, lines: [1] }));

  it.each<[string, CoverageView['uncovered'], string]>([
    ['not known', null, 'not known, for the whole change could not be read'],
    ['none', [], 'none'],
    ['one', [{ path: 'a', lines: [4] }], '1 in 1 file: `a:4`'],
    [
      'lines that follow each other as one place',
      [
        { path: 'a', lines: [1, 2, 4, 6, 7, 8] },
        { path: 'b', lines: [8, 9] },
      ],
      '8 in 2 files: `a:1-2`, `a:4`, `a:6-8`, `b:8-9`',
    ],
  ])('are told: %s', (_what, uncovered, words) => {
    expect(render({ uncovered }).split('\n')[3]).toBe(`  - Changed lines that are not covered: ${words}`);
  });

  it.each([
    [10, '`f9:1`'],
    [11, '`f9:1`, and 1 more'],
  ])('of %i places are named up to the tenth', (count, end) => {
    expect(render({ uncovered: files(count) }).endsWith(end)).toBe(true);
  });

  it('are counted whole, and named as nothing but text (T55)', () => {
    const text = render({ uncovered: [...(files(12) ?? []), { path: '`@octocat`\n# x', lines: [1, 2] }] });

    expect(text).toContain('14 in 13 files');
    expect(render({ uncovered: [{ path: '`@octocat`\n# x', lines: [1] }] })).toContain('`` `@octocat` # x:1 ``');
  });
});

import { describe, expect, it } from 'vitest';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import type { EngineProject } from '../../../src/core/model/project.ts';
import { assembleStory, type StoryInput } from '../../../src/core/quality/assemble-story.ts';
import { fakeSha } from '../../support/builders.ts';
import { aFinding, aReport, aRun } from '../../support/engine-stories.ts';
import { aPlan, REQUIRED } from '../../support/quality-stories.ts';

/** Finding number `nth`, on a line of its own. */
function finding(nth: number, change: Partial<Finding> = {}): Finding {
  return aFinding({ line: nth, message: `message ${String(nth)}`, ...change });
}

function input(head: Partial<EngineRun>, base: EngineRun | null, change: Partial<StoryInput> = {}): StoryInput {
  return {
    headSha: fakeSha('head'),
    baseSha: fakeSha('base'),
    scope: 'changed',
    report: aReport({ plans: [aPlan('eslint')], runs: [aRun(head)] }),
    bases: new Map([['eslint', base]]),
    carried: new Set(),
    sight: () => true,
    renames: new Map(),
    patch: '',
    isPatchWhole: true,
    unlooked: [],
    acceptances: [],
    budgets: [],
    changedConfigs: [],
    setupProblem: null,
    setup: null,
    settings: { eslint: REQUIRED },
    failLevel: 'medium',
    ...change,
  };
}

const accept = (...findings: readonly Finding[]): StoryInput['acceptances'][number] => ({
  author: 'ada',
  reason: 'next week',
  at: 5,
  findings,
});

describe('assembleStory', () => {
  it('tells what is new against the base, by TARGET runs alone (000.R16)', () => {
    const report = aReport({
      runs: [
        aRun({ mode: 'current', findings: [finding(7)] }),
        aRun({ findings: [finding(1), finding(2)] }),
        aRun({ engine: 'mypy', project: '.', findings: [finding(3, { tool: 'mypy' })] }),
      ],
    });
    const { story, newFindings } = assembleStory(input({}, aRun({ findings: [finding(1), finding(4)] }), { report }));

    expect(story.added).toEqual([finding(2)]);
    expect(story.comparisons).toMatchObject([
      { kind: 'compared', engine: 'eslint', project: '.', existing: [finding(1)], fixed: [finding(4)] },
      { kind: 'not_comparable', engine: 'mypy', project: '.', findings: [finding(3, { tool: 'mypy' })] },
    ]);
    expect(newFindings.map(({ line }) => line)).toEqual([2]);
    expect(story.overBudget).toEqual([]);
  });

  it('never takes a run that failed, or one of another signature, for fixed', () => {
    const base = aRun({ findings: [finding(1)] });
    const partial = { complete: false, incompleteWhy: 'it stopped', findings: [] };

    expect(assembleStory(input(partial, base)).story.comparisons).toMatchObject([{ kind: 'not_comparable' }]);
    expect(assembleStory(input({ signature: 'other' }, base)).story.comparisons).toMatchObject([
      { kind: 'not_comparable' },
    ]);
  });

  it('tells coverage of TARGET runs against the base, and the changed lines that are not covered', () => {
    const coverage = { files: [{ path: 'src/a.ts', covered: 1, total: 2, missingLines: [2] }] };
    const patch = ['diff --git a/src/a.ts b/src/a.ts', '@@ -1 +1,2 @@', ' const a = 1;', '+const b = 2;', ''].join(
      '\n',
    );
    const report = aReport({
      runs: [aRun({ mode: 'current', coverage }), aRun({ coverage }), aRun({ engine: 'cov', project: '.', coverage })],
    });
    const given = input({}, aRun({ coverage: { files: [] } }), { report, patch });
    const total = { covered: 1, total: 2 };
    const uncovered = [{ path: 'src/a.ts', lines: [2] }];

    expect(assembleStory(given).story.coverage).toEqual([
      {
        engine: 'eslint',
        project: '.',
        head: total,
        base: { kind: 'compared', total: { covered: 0, total: 0 } },
        uncovered,
      },
      {
        ...{ engine: 'cov', project: '.', head: total, uncovered },
        base: { kind: 'not_comparable', why: 'there is no run of the base' },
      },
    ]);
    expect(assembleStory({ ...given, isPatchWhole: false }).story.coverage).toMatchObject([
      { uncovered: null },
      { uncovered: null },
    ]);
  });

  it('tells a new place where a check was switched off, and which lines are changed', () => {
    const patch = [
      'diff --git a/src/a.ts b/src/a.ts',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -1 +1,2 @@',
      ' const a = 1;',
      '+// eslint-disable-next-line no-var',
      '',
    ].join('\n');
    const { story } = assembleStory(input({}, aRun(), { patch }));

    expect(story.added).toMatchObject([{ kind: 'suppression', path: 'src/a.ts', line: 2 }]);
    expect(story.changedLines).toEqual(new Map([['src/a.ts', new Set([2])]]));
    const [suppression] = story.added;
    const acceptances = suppression === undefined ? [] : [accept(suppression)];
    const again = assembleStory(input({}, aRun(), { patch, acceptances }));
    expect(again.story.added).toEqual([]);
    expect(again.story.accepted).toEqual([{ finding: suppression, author: 'ada', reason: 'next week' }]);
  });

  it('tells what somebody accepted apart from what is new', () => {
    const head = { findings: [finding(1), finding(2)] };
    const { story, newFindings } = assembleStory(input(head, aRun(), { acceptances: [accept(finding(1))] }));

    expect(story.added).toEqual([finding(2)]);
    expect(story.accepted).toEqual([{ finding: finding(1), author: 'ada', reason: 'next week' }]);
    expect(newFindings.map(({ line }) => line)).toEqual([2]);
  });

  it('keeps what a pull request brought down: a finding that comes back is over budget, though the base has it', () => {
    const base = aRun({ findings: [finding(1), finding(2)] });
    const better = assembleStory(input({ findings: [finding(1)] }, base));

    const back = assembleStory(input({ findings: [finding(1), finding(2)] }, base, { budgets: better.budgets }));

    expect(better.story.overBudget).toEqual([]);
    expect(back.story.added).toEqual([]);
    expect(back.story.overBudget).toEqual([
      { engine: 'eslint', project: '.', path: 'src/a.ts', severity: 'high', count: 2, budget: 1 },
    ]);
    expect(back.budgets).toEqual(better.budgets);
    expect(back.newFindings.map(({ line }) => line)).toEqual([1, 2]);
    const acceptances = [accept(finding(1), finding(2))];
    const accepted = assembleStory(
      input({ findings: [finding(1), finding(2)] }, base, { budgets: back.budgets, acceptances }),
    );
    expect(accepted.story.overBudget).toEqual([]);
  });

  it('takes no finding for existing that the base has only because it was looked at with a file of the head', () => {
    const config = { path: 'eslint.config.js' };
    const both = { findings: [finding(1, config), finding(2, config), finding(3)] };
    const patch = ['diff --git a/eslint.config.js b/eslint.config.js', '@@ -1,0 +1,1 @@', '+x'].join('\n');
    const { story } = assembleStory(input(both, aRun(both), { patch, carried: new Set(['eslint.config.js']) }));

    expect(story.added).toEqual([finding(1, config)]);
    expect(story.comparisons).toMatchObject([{ existing: [finding(3)], uncompared: [finding(2, config)] }]);
  });

  it('takes no failing test for existing where the change touches the configuration of its engine', () => {
    const failing = { findings: [finding(1, { kind: 'test_failure' })] };
    const changedConfigs = [{ engine: 'eslint', project: '.', paths: ['conftest.py'] }];
    const { story } = assembleStory(input(failing, aRun(failing), { changedConfigs }));

    expect(story.comparisons).toMatchObject([{ added: [], existing: [], uncompared: failing.findings }]);
  });

  it('takes the lines and the suppressions of a file that was merely renamed for no part of the change', () => {
    const line = 'x(); // eslint-disable-line';
    const patch = [
      ...['diff --git a/new.ts b/new.ts', '@@ -0,0 +1,2 @@', `+${line}`, '+y();'],
      ...['diff --git a/old.ts b/old.ts', '@@ -1,1 +0,0 @@', `-${line}`],
    ].join('\n');
    const { story } = assembleStory(input({}, aRun(), { patch, renames: new Map([['new.ts', 'old.ts']]) }));

    expect(story.added).toEqual([]);
    expect(story.changedLines.get('new.ts')).toEqual(new Set([2]));
  });

  it('follows renames, and keeps the budgets of a renamed file, however often it is looked at', () => {
    const base = aRun({ findings: [finding(1, { path: 'src/old.ts' }), finding(2, { path: 'src/old.ts' })] });
    const renames = new Map([['src/new.ts', 'src/old.ts']]);
    const moved = [finding(1, { path: 'src/new.ts' }), finding(2, { path: 'src/new.ts' }), finding(3, { path: null })];
    const first = assembleStory(input({ findings: moved.slice(0, 1) }, base, { renames }));
    const again = assembleStory(input({ findings: moved.slice(0, 1) }, base, { renames, budgets: first.budgets }));

    const back = assembleStory(input({ findings: moved }, base, { renames, budgets: again.budgets }));

    expect(first.story.added).toEqual([]);
    expect(again.story.overBudget).toEqual([]);
    expect(back.story.added).toEqual([finding(3, { path: null })]);
    expect(back.story.overBudget).toEqual([
      { engine: 'eslint', project: '.', path: 'src/new.ts', severity: 'high', count: 2, budget: 1 },
    ]);
  });

  it('carries the budgets of two files that changed names, each with its file', () => {
    const [a, b] = ['src/a.ts', 'src/b.ts'];
    const base = aRun({ findings: [finding(1, { path: a }), finding(2, { path: a }), finding(3, { path: b })] });
    const swapped = [finding(1, { path: b }), finding(2, { path: b }), finding(3, { path: a })];
    const renames = new Map([
      [a, b],
      [b, a],
    ]);
    const { story, budgets } = assembleStory(input({ findings: swapped }, base, { renames }));

    expect(story.overBudget).toEqual([]);
    expect(budgets).toMatchObject([
      {
        files: [
          { path: a, counts: { high: 2 } },
          { path: b, counts: { high: 1 } },
        ],
      },
    ]);
  });

  it('gives a file that another one was renamed over the budget of the other one', () => {
    const [a, b] = ['src/a.ts', 'src/b.ts'];
    const base = aRun({ findings: [finding(1, { path: a }), finding(2, { path: b }), finding(3, { path: b })] });
    const renames = new Map([[b, a]]);
    const { budgets } = assembleStory(input({ findings: [finding(1, { path: b })] }, base, { renames }));

    expect(budgets).toMatchObject([{ files: [{ path: a, counts: { high: 1 } }] }]);
  });

  it('takes nothing for fixed in a file that a rename took out of sight of its engine, and keeps its budget', () => {
    const base = aRun({ findings: [finding(1), finding(2, { path: 'src/b.ts' })] });
    const sight = ({ engine }: EngineProject, path: string): boolean => engine === 'eslint' && path.endsWith('.ts');
    const renames = new Map([['src/a.txt', 'src/a.ts']]);
    const gone = assembleStory(input({}, base, { sight, renames }));
    const back = assembleStory(input({ findings: [finding(1)] }, base, { sight, budgets: gone.budgets }));

    expect(gone.story.comparisons).toMatchObject([{ kind: 'compared', fixed: [finding(2, { path: 'src/b.ts' })] }]);
    expect(gone.budgets).toMatchObject([{ files: [{ path: 'src/a.ts' }] }]);
    expect(back.story.overBudget).toEqual([]);
    expect(assembleStory(input({}, base, { renames })).budgets).toMatchObject([{ files: [] }]);
  });

  it('knows no budget where the base is of another signature, and leaves all budgets as they are after a failed run', () => {
    const base = aRun({ findings: [finding(1)] });
    const { budgets } = assembleStory(input({ findings: [finding(1)] }, base));
    const failed = assembleStory(input({ complete: false, findings: [] }, base, { budgets }));

    expect(failed.budgets).toEqual(budgets);
    const other = assembleStory(input({ signature: 'other', findings: [finding(1), finding(2)] }, base));
    expect(other.story.overBudget).toEqual([]);
    expect(assembleStory(input({ findings: [finding(1)] }, null)).story.overBudget).toEqual([]);
  });

  it('remembers at most 1,000 new findings, with the beginning of their messages', () => {
    const findings = Array.from({ length: 1_001 }, (_, nth) => finding(nth + 1, { message: 'x'.repeat(600) }));
    const { newFindings } = assembleStory(input({ findings }, aRun()));

    expect(newFindings).toHaveLength(1_000);
    expect(newFindings[0]?.message).toHaveLength(500);
  });
});

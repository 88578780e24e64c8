import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextBudgets, overBudget } from '../../../src/core/findings/budgets.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import { type Finding, SEVERITIES, type Severity } from '../../../src/core/model/finding.ts';
import type { Acceptance, BudgetSet, FileBudget } from '../../../src/core/model/quality.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aFailingTest, aGap, aParsedFinding, fingerprinted } from './parsed-findings.ts';

type Counts = Readonly<Partial<Record<Severity, number>>>;

function file(path: string | null, counts: Counts): FileBudget {
  return { path, counts: { blocker: 0, high: 0, medium: 0, low: 0, ...counts } };
}

function aSet(files: readonly FileBudget[], change: Partial<BudgetSet> = {}): BudgetSet {
  return { engine: 'eslint', project: '.', signature: 's', files, applied: [], ...change };
}

/** A run with so many findings of each severity in each file. */
function found(counts: Readonly<Record<string, Counts>>, change: Partial<EngineRun> = {}): EngineRun {
  const parsed = Object.entries(counts).flatMap(([path, byseverity]) =>
    SEVERITIES.flatMap((severity) =>
      Array.from({ length: byseverity[severity] ?? 0 }, (_, index) =>
        aParsedFinding({ path, severity, line: index + 1, rule: severity }),
      ),
    ),
  );
  return aRun({ findings: fingerprinted(parsed), ...change });
}

function accept(findings: readonly (Finding | undefined)[], at = 1): Acceptance {
  return { author: 'ada', reason: 'generated', at, findings: findings.flatMap((one) => one ?? []) };
}

function next(
  budgets: readonly BudgetSet[],
  run: EngineRun,
  accepted: readonly Acceptance[] = [],
): readonly BudgetSet[] {
  return nextBudgets({ budgets, run, accepted });
}

const before = [aSet([file('a', { high: 2, low: 1 }), file('b', { high: 1 })])];

describe('nextBudgets', () => {
  it('starts with what the first complete run has, by file and severity', () => {
    const loose = aParsedFinding({ path: null, severity: 'blocker' });
    const run = found({ b: { medium: 1 }, a: { high: 2, low: 1 } });

    expect(next([], { ...run, findings: [...run.findings, ...fingerprinted([loose])] })).toEqual([
      aSet([file(null, { blocker: 1 }), file('a', { high: 2, low: 1 }), file('b', { medium: 1 })]),
    ]);
  });

  it('falls with each finding that is gone, and forgets a file that has none', () => {
    expect(next(before, found({ a: { high: 1, low: 1 } }))).toEqual([aSet([file('a', { high: 1, low: 1 })])]);
    expect(next(before, found({}))).toEqual([aSet([])]);
  });

  it('never rises: not by more findings, not by other severities, not in new files', () => {
    const run = found({ a: { high: 3, low: 0, medium: 4 }, b: { high: 1, blocker: 1 }, c: { low: 1 } });

    expect(next(before, run)).toEqual([aSet([file('a', { high: 2 }), file('b', { high: 1 })])]);
  });

  it('does not forget that it fell', () => {
    const fallen = next(before, found({ b: { high: 1 } }));

    expect(next(fallen, found({ a: { high: 2, low: 1 }, b: { high: 1 } }))).toEqual(fallen);
  });

  it.each<readonly [string, Partial<EngineRun>]>([
    ['an engine that failed and so shows no file at all', { complete: false, category: 'tool_failure' }],
    ['an engine that failed by its exit code', { category: 'tool_failure' }],
    ['a partial run', { complete: false }],
    ['a run that was stopped', { exit: { kind: 'aborted', exitCode: null, signal: null, durationMs: 1 } }],
    ['a CURRENT run', { mode: 'current' }],
  ])('000.R35, 000.R16: takes %s for no improvement, and for no first run', (_what, change) => {
    expect(next(before, found({}, change))).toBe(before);
    expect(next([], found({ a: { high: 9 } }, change))).toEqual([]);
  });

  it('starts a set of its own for another signature, and leaves the old one as it is', () => {
    const other = next(before, found({ a: { high: 9 } }, { signature: 't' }));

    expect(other).toEqual([...before, aSet([file('a', { high: 9 })], { signature: 't' })]);
    expect(next(other, found({ b: { high: 1 } }))).toEqual([
      aSet([file('a', { high: 9 })], { signature: 't' }),
      aSet([file('b', { high: 1 })]),
    ]);
  });

  it('keeps the sets of other engines, also under the same signature', () => {
    const others = [aSet([file('a', { high: 1 })], { engine: 'oxlint', project: '.' })];

    expect(next(others, found({}))).toEqual([...others, aSet([])]);
    expect(next([...others, ...before], found({}))).toEqual([...others, aSet([])]);
  });

  it('keeps a hundred sets of one engine, the ones that were used last', () => {
    const sets = Array.from({ length: 100 }, (_, index) => aSet([], { signature: String(index) }));
    const other = aSet([], { engine: 'oxlint', project: '.' });
    const after = next([...sets, other], found({}));

    expect(after).toHaveLength(101);
    expect(after[0]).toBe(other);
    expect(after[1]).toBe(sets[1]);
    expect(after.at(-1)).toEqual(aSet([]));
  });

  it('counts neither failing tests nor coverage: they are found again by other means', () => {
    const findings = fingerprinted([aFailingTest(), aFailingTest({ kind: 'collection_error' }), aGap()]);
    const threshold = fingerprinted([aGap({ kind: 'coverage_threshold', path: null })]);

    expect(next([], aRun({ findings: [...findings, ...threshold] }))).toEqual([aSet([])]);
  });

  it.each(['lint', 'type', 'format', 'parse_error', 'suppression'] as const)('counts findings of kind %s', (kind) => {
    expect(next([], aRun({ findings: fingerprinted([aParsedFinding({ kind })]) }))).toEqual([
      aSet([file('src/a.ts', { high: 1 })]),
    ]);
  });
});

describe('nextBudgets by file', () => {
  it('keeps the budget of findings without a file', () => {
    const budgets = [aSet([file(null, { high: 1 })])];
    const run = aRun({ findings: fingerprinted([aParsedFinding({ path: null })]) });

    expect(next(budgets, run)).toEqual(budgets);
  });

  it('gives a file that had no budget none', () => {
    expect(next(before, found({ c: { high: 1 } }))).toEqual([aSet([])]);
  });

  it('keeps the budget of a file that the engine does not look at any more', () => {
    const isInScope = (path: string): boolean => path !== 'a';

    expect(nextBudgets({ budgets: before, run: found({}), accepted: [], isInScope })).toEqual([
      aSet([file('a', { high: 2, low: 1 })]),
    ]);
  });

  it('lets findings without a file fall whatever the scope', () => {
    const budgets = [aSet([file(null, { high: 1 })])];

    expect(nextBudgets({ budgets, run: found({}), accepted: [], isInScope: () => false })).toEqual([aSet([])]);
  });
});

describe('nextBudgets with an intended re-baseline', () => {
  const run = found({ a: { high: 4, low: 1 }, b: { high: 1 }, c: { low: 2 } });
  const named = [run.findings.find(({ path }) => path === 'a'), run.findings.find(({ path }) => path === 'c')];
  const applied = named.map((finding) => ({ fingerprint: finding?.fingerprint ?? '', at: 7 }));

  it('rises by exactly the findings that it names', () => {
    expect(next(before, run, [accept(named, 7)])).toEqual([
      aSet([file('a', { high: 3, low: 1 }), file('b', { high: 1 }), file('c', { low: 1 })], { applied }),
    ]);
  });

  it('rises once, also where what was accepted was repaired and came back', () => {
    const raised = next(before, run, [accept(named, 7)]);
    const repaired = next(raised, found({ b: { high: 1 } }), [accept(named, 7)]);

    expect(next(raised, run, [accept(named, 7)])).toEqual(raised);
    expect(next(repaired, run, [accept(named, 7)])).toEqual([aSet([file('b', { high: 1 })], { applied })]);
  });

  it('rises again by a later word of a person', () => {
    const raised = next(next(before, found({}), []), run, [accept(named, 7)]);
    const again = next(next(raised, found({}), []), run, [accept(named, 7), accept(named, 8)]);

    expect(again).toMatchObject([{ files: [file('a', { high: 1 }), file('c', { low: 1 })] }]);
    expect(again[0]?.applied.map(({ at }) => at)).toEqual([7, 7, 8, 8]);
  });

  it('waits for findings that the branch does not have yet', () => {
    const early = next(before, found({ b: { high: 1 } }), [accept(named, 7)]);

    expect(early).toEqual([aSet([file('b', { high: 1 })])]);
    expect(next(early, run, [accept(named, 7)])).toMatchObject([{ applied }]);
  });

  it('is part of a first run, and raises nothing later', () => {
    const first = next([], run, [accept(named, 7)]);

    expect(first).toMatchObject([{ files: next([], run)[0]?.files, applied }]);
    expect(next(next(first, found({})), run, [accept(named, 7)])).toMatchObject([{ files: [] }]);
  });

  it('raises nothing for what has no budget', () => {
    const gaps = aRun({ findings: fingerprinted([aGap()]) });

    expect(next([aSet([])], gaps, [accept(gaps.findings)])).toEqual([aSet([])]);
  });

  it('remembers the last ten thousand', () => {
    const old = Array.from({ length: 10_000 }, (_, at) => ({ fingerprint: 'f', at }));
    const [after] = next([aSet([], { applied: old })], run, [accept(named.slice(0, 1), 7)]);

    expect(after?.applied).toHaveLength(10_000);
    expect(after?.applied[0]).toEqual({ fingerprint: 'f', at: 1 });
    expect(after?.applied.at(-1)).toEqual(applied[0]);
  });
});

describe('overBudget', () => {
  it('tells the same whatever the order of the findings', () => {
    const run = found({ b: { high: 2, blocker: 1 }, a: { high: 3, low: 2 } });

    expect(overBudget(before, { ...run, findings: run.findings.toReversed() })).toEqual(overBudget(before, run));
  });

  it('tells each file and severity that has too many, by path and the worst first', () => {
    const run = found({ b: { high: 2, blocker: 1 }, a: { high: 2, low: 2 }, c: { medium: 1 } });

    const engine = 'eslint';
    expect(overBudget(before, run)).toEqual([
      { engine, project: '.', path: 'a', severity: 'low', count: 2, budget: 1 },
      { engine, project: '.', path: 'b', severity: 'blocker', count: 1, budget: 0 },
      { engine, project: '.', path: 'b', severity: 'high', count: 2, budget: 1 },
      { engine, project: '.', path: 'c', severity: 'medium', count: 1, budget: 0 },
    ]);
  });

  it('finds nothing too much in what there was before, and in less', () => {
    expect(overBudget(before, found({ a: { high: 2, low: 1 }, b: { high: 1 } }))).toEqual([]);
    expect(overBudget(before, found({}))).toEqual([]);
  });

  it('holds a run to its budget that stands for both modes, whichever it is told as', () => {
    const over = [{ engine: 'eslint', project: '.', path: 'b', severity: 'high', count: 2, budget: 1 }];

    expect(overBudget(before, found({ b: { high: 2 } }, { mode: 'current' }))).toEqual(over);
  });

  it('tells also of an incomplete run what it has too much', () => {
    expect(overBudget(before, found({ c: { high: 1 } }, { complete: false }))).toMatchObject([{ path: 'c' }]);
  });

  it.each<readonly [string, Partial<EngineRun>]>([
    ['whose options changed', { signature: 't' }],
    ['of another engine', { engine: 'oxlint', project: '.' }],
  ])('holds a run %s to no budget that was made otherwise', (_what, change) => {
    expect(overBudget(before, found({ a: { high: 9 } }, change))).toEqual([]);
  });

  it('counts what was accepted and not applied yet', () => {
    const run = found({ a: { high: 4 } });
    const accepted = [accept(run.findings.slice(0, 1), 7)];
    const done = [
      aSet(before[0]?.files ?? [], { applied: [{ fingerprint: run.findings[0]?.fingerprint ?? '', at: 7 }] }),
    ];

    expect(overBudget(before, run)).toMatchObject([{ path: 'a', count: 4, budget: 2 }]);
    expect(overBudget(before, run, accepted)).toMatchObject([{ path: 'a', count: 4, budget: 3 }]);
    expect(overBudget(done, run, accepted)).toMatchObject([{ budget: 2 }]);
  });
});

describe('budgets, for any runs', () => {
  const counts = fc.dictionary(
    fc.constantFrom('a', 'b', '__proto__'),
    fc.record({ blocker: fc.nat(2), high: fc.nat(2), medium: fc.nat(2), low: fc.nat(2) }),
  );
  const run = fc
    .tuple(counts, fc.constantFrom<Partial<EngineRun>>({}, {}, { complete: false }, { mode: 'current' }))
    .map(([files, change]) => found(files, change));

  it('only fall without an acceptance, whatever the runs, and hold each run that made them', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 5 }), (runs) => {
        let budgets: readonly BudgetSet[] = [];
        for (const one of runs) {
          const after = next(budgets, one);
          if (budgets.length > 0) expect(isAtMost(after, budgets)).toBe(true);
          budgets = after;
        }
        expect(next(budgets, runs.at(-1) ?? aRun())).toEqual(budgets);
      }),
    );
  });

  function isAtMost(after: readonly BudgetSet[], earlier: readonly BudgetSet[]): boolean {
    const most = new Map(earlier[0]?.files.map(({ path, counts: of }) => [path, of]));
    return (after[0]?.files ?? []).every(({ path, counts: of }) =>
      SEVERITIES.every((severity) => of[severity] <= (most.get(path)?.[severity] ?? 0)),
    );
  }
});

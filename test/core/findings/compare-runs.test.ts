import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import type { EngineRun, RawExit } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import type { FileCoverage, Finding, ParsedFinding } from '../../../src/core/model/finding.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aFailingTest, aGap, aParsedFinding, findVars, fingerprinted } from './parsed-findings.ts';

const none: ReadonlyMap<string, string> = new Map();
const two = findVars({ a: ['var x;', '', 'var y;'] });
const [first, second] = two;

function compare(head: Partial<EngineRun>, base: Partial<EngineRun> | null, renames = none): EngineComparison {
  return compareRuns({ head: aRun(head), base: base === null ? null : aRun(base), renames, isInScope: () => true });
}

function exitOf(kind: RawExit['kind']): RawExit {
  return { kind, exitCode: null, signal: null, durationMs: 1 };
}

/** Runs from which nothing is "fixed", and no budget falls. */
const INCONCLUSIVE: readonly (readonly [string, Partial<EngineRun>])[] = [
  ['is partial', { complete: false, incompleteWhy: 'a syntax error hides the rest' }],
  ['failed by its exit code', { category: 'tool_failure' }],
  ['ran into its time limit', { exit: exitOf('timed_out') }],
  ['was killed', { exit: exitOf('signalled') }],
  ['wrote too much', { exit: exitOf('output_limit') }],
  ['was stopped', { exit: exitOf('aborted') }],
];

describe('compareRuns', () => {
  it('tells new, fixed and existing findings apart', () => {
    const base = findVars({ a: ['var x;', 'var z;'] });

    expect(compare({ findings: two }, { findings: base })).toEqual({
      kind: 'compared',
      engine: 'eslint',
      project: '.',
      added: [second],
      existing: [first],
      fixed: [base[1]],
      uncompared: [],
      removedTests: [],
      skippedTests: [],
    });
  });

  it('sorts what it tells, whatever the order of the runs', () => {
    const base = findVars({ b: ['var p;', 'var q;'], c: ['var r;'] });
    const reversed = compare({ findings: two.toReversed() }, { findings: base.toReversed() });

    expect(reversed).toEqual(compare({ findings: two }, { findings: base }));
    expect(reversed).toMatchObject({ added: two, fixed: base });
    expect(compare({ findings: two.toReversed() }, { findings: two })).toMatchObject({ existing: two });
  });

  it('takes a second copy of a known line for new', () => {
    const copied = findVars({ a: ['var x;', 'var x;'] });

    expect(compare({ findings: copied }, { findings: findVars({ a: ['var x;'] }) })).toMatchObject({
      added: [copied[1]],
      existing: [copied[0]],
    });
  });

  it('finds the findings of a renamed file again', () => {
    const comparison = compare(
      { findings: findVars({ b: ['', 'var x;', '', 'var y;'] }) },
      { findings: two },
      new Map([['b', 'a']]),
    );

    expect(comparison).toMatchObject({ added: [], fixed: [], existing: [{ line: 2 }, { line: 4 }] });
  });

  it('calls nothing fixed that stands in another file now, one for one', () => {
    const base = findVars({ a: ['var x;', 'var y;', 'var x;'] });
    const split = findVars({ a: ['var y;'], b: ['var x;'] });

    expect(compare({ findings: split }, { findings: base })).toMatchObject({
      added: [{ path: 'b' }],
      existing: [{ path: 'a' }],
      fixed: [{ path: 'a', likeness: split[1]?.likeness }],
    });
  });

  it('calls a test fixed that passed, and what was wrong with a whole file, though another one has the like', () => {
    const failing = fingerprinted([aFailingTest()], {}, 'pytest');
    const other = fingerprinted(
      [aFailingTest({ path: 'b.py', testId: 'b.py::test_add', identity: null })],
      {},
      'pytest',
    );
    const tests = [{ id: 'tests/test_a.py::test_add', outcome: 'passed' as const, path: 'tests/test_a.py' }];
    const [unformatted] = fingerprinted([aParsedFinding({ kind: 'format', line: null, message: 'not formatted' })]);
    const [elsewhere] = fingerprinted([
      aParsedFinding({ kind: 'format', line: null, message: 'not formatted', path: 'src/b.ts' }),
    ]);
    const alike = other.map((finding) => ({ ...finding, likeness: failing[0]?.likeness ?? '' }));

    expect(compare({ findings: alike, tests }, { findings: failing })).toMatchObject({ fixed: failing });
    expect(unformatted?.likeness).toBe(elsewhere?.likeness);
    expect(
      compare({ findings: elsewhere ? [elsewhere] : [] }, { findings: unformatted ? [unformatted] : [] }),
    ).toMatchObject({ added: [elsewhere], fixed: [unformatted] });
  });

  it.each([
    ['another file', 'tests/test_c.py', 'existing'],
    ['its own file', 'tests/test_b.py', 'added'],
  ])('knows a failing test by its id, unless one of that id passed in %s at the base', (_what, path, expected) => {
    const failing = fingerprinted([aFailingTest()], {}, 'pytest');
    const moved = fingerprinted([aFailingTest({ path: 'tests/test_b.py' })], {}, 'pytest');
    const tests = [{ id: 'tests/test_a.py::test_add', outcome: 'passed' as const, path }];

    expect(compare({ findings: moved }, { findings: failing, tests })).toMatchObject({
      ...{ kind: 'compared', added: [], existing: [], fixed: [] },
      [expected]: moved,
    });
  });

  it.each([
    ['leads out of what the engine looks at', 'docs/a', ['c']],
    ['stays in it', 'b', ['a', 'a', 'c']],
  ])('takes for fixed what is gone where a rename %s', (_what, headPath, fixed) => {
    const isInScope = (path: string): boolean => !path.startsWith('docs/');
    const base = aRun({ findings: [...two, ...findVars({ c: ['var z;'] })] });
    const comparison = compareRuns({ head: aRun(), base, renames: new Map([[headPath, 'a']]), isInScope });

    expect(comparison).toMatchObject({ fixed: fixed.map((path) => ({ path })), existing: [] });
  });

  it.each([
    ['was never in sight, and was found all the same', 'docs/a', 'docs/b'],
    ['keeps its name', 'docs/a', null],
    ['came into sight', 'docs/a', 'b'],
  ])('takes for fixed what is gone in a file that %s', (_what, basePath, headPath) => {
    const isInScope = (path: string): boolean => !path.startsWith('docs/');
    const findings = findVars({ [basePath]: ['var z;'] });
    const renames = new Map(headPath === null ? [] : [[headPath, basePath]]);

    expect(compareRuns({ head: aRun(), base: aRun({ findings }), renames, isInScope })).toMatchObject({
      fixed: findings,
    });
  });

  it('takes for fixed what has no file, whatever the scope', () => {
    const findings = fingerprinted([aParsedFinding({ path: null, line: null })]);
    const base = aRun({ findings });

    expect(compareRuns({ head: aRun(), base, renames: none, isInScope: () => false })).toMatchObject({
      fixed: findings,
    });
  });

  it('takes nothing for fixed in a file that head could not read, and all else', () => {
    const broken = fingerprinted([aParsedFinding({ kind: 'parse_error', path: 'a', rule: null })]);
    const base = [...two, ...findVars({ b: ['var z;'] })];

    expect(compare({ findings: broken }, { findings: base })).toMatchObject({ added: broken, fixed: [{ path: 'b' }] });
  });

  it.each(['lint', 'type', 'format', 'parse_error', 'suppression', 'coverage_threshold'] as const)(
    'takes a finding of kind %s for fixed that a complete run does not have',
    (kind) => {
      const findings = fingerprinted([aParsedFinding({ kind, path: kind === 'coverage_threshold' ? null : 'a' })]);

      expect(compare({}, { findings })).toMatchObject({ fixed: findings });
    },
  );
});

describe('compareRuns with runs that say nothing about each other', () => {
  it('calls nothing new where there is no run of the base', () => {
    expect(compare({ findings: two.toReversed() }, null)).toEqual({
      kind: 'not_comparable',
      engine: 'eslint',
      project: '.',
      why: 'there is no run of the base',
      findings: two,
      existing: [],
    });
  });

  it('000.R16: compares TARGET runs alone', () => {
    const why = (head: EngineRun['mode'], base: EngineRun['mode']): unknown =>
      compare({ mode: head, findings: two }, { mode: base, findings: two });

    expect(why('current', 'target')).toMatchObject({ kind: 'not_comparable', why: 'only TARGET runs are compared' });
    expect(why('target', 'current')).toMatchObject({
      kind: 'not_comparable',
      why: "the base's run is no TARGET run",
      existing: [],
    });
    expect(why('target', 'target')).toMatchObject({ kind: 'compared' });
  });

  it.each([
    ['another plan, version or configuration', { signature: 't' }, /another version, plan or configuration/u],
    ['another engine', { engine: 'oxlint' }, /another engine/u],
    ['another kind', { kind: 'type' }, /another engine/u],
  ] as const)('calls nothing new or fixed after a run of the base by %s', (_what, change, why) => {
    const matchingWhy: unknown = expect.stringMatching(why);

    expect(compare({ findings: two }, { ...change, findings: [] })).toEqual({
      kind: 'not_comparable',
      engine: 'eslint',
      project: '.',
      why: matchingWhy,
      findings: two,
      existing: [],
    });
  });

  it.each(INCONCLUSIVE)(
    '000.R35: an engine that gave nothing and %s has no findings that could be compared',
    (_what, change) => {
      expect(compare(change, { findings: two })).toEqual({
        kind: 'not_comparable',
        engine: 'eslint',
        project: '.',
        why: `the engine gave no answer: ${change.incompleteWhy ?? change.exit?.kind ?? 'exited'}`,
        findings: [],
        existing: [],
      });
    },
  );

  it('says of the engine that failed in head that it did, also without a base', () => {
    expect(compare({ complete: false, incompleteWhy: 'it crashed' }, null)).toMatchObject({
      why: 'the engine gave no answer: it crashed',
    });
  });

  it.each(INCONCLUSIVE)(
    'knows what the base has, and calls nothing new, where the run of the base %s',
    (_what, change) => {
      expect(compare({ findings: two }, { ...change, findings: [first].flatMap((one) => one ?? []) })).toEqual({
        kind: 'not_comparable',
        engine: 'eslint',
        project: '.',
        why: `the base's run is not complete: ${change.incompleteWhy ?? change.exit?.kind ?? 'exited'}`,
        findings: two,
        existing: [first],
      });
    },
  );
});

describe('compareRuns with a run of head that shows only a part', () => {
  it.each(INCONCLUSIVE)(
    'never calls a finding fixed that is missing where the run %s; new ones are new',
    (_what, change) => {
      const head = findVars({ a: ['var x;', 'var new;'] });

      expect(compare({ ...change, findings: head }, { findings: two })).toMatchObject({
        kind: 'compared',
        added: [head[1]],
        existing: [head[0]],
        fixed: [],
        removedTests: [],
      });
    },
  );
});

const lib: FileCoverage = { path: 'src/a.ts', covered: 8, total: 10, missingLines: [1, 2] };

/** A run of coverage in which the file has a gap. */
function covered(file: Partial<FileCoverage>, change: Partial<EngineRun> = {}): Partial<EngineRun> {
  return {
    engine: 'coverage',
    kind: 'coverage',
    findings: fingerprinted([aGap({ path: file.path ?? lib.path })]),
    coverage: {
      files: [
        { path: 'src/0.ts', covered: 0, total: 99, missingLines: [] },
        { ...lib, ...file },
      ],
    },
    ...change,
  };
}

describe('compareRuns of coverage', () => {
  it.each([
    ['is as it was', { covered: 8, total: 10 }, 'existing'],
    ['has the same share of more lines', { covered: 80, total: 100 }, 'existing'],
    ['has a better share, though more lines without a test', { covered: 85, total: 100 }, 'existing'],
    ['has a smaller share and more lines without a test', { covered: 7, total: 10 }, 'added'],
    ['lost covered lines alone', { covered: 3, total: 5 }, 'existing'],
    ['has the same number of lines without a test and a better share', { covered: 18, total: 20 }, 'existing'],
    ['has nothing to cover any more', { covered: 0, total: 0 }, 'existing'],
  ] as const)('calls a gap new where it grew: a file that %s', (_what, file, expected) => {
    const head = covered(file);
    const comparison = compare(head, covered({}));

    expect(comparison).toMatchObject({ added: [], existing: [], fixed: [], uncompared: [], [expected]: head.findings });
  });

  it('calls a gap new in a file that had nothing to cover', () => {
    expect(compare(covered({}), covered({ covered: 0, total: 0 }))).toMatchObject({ added: [{ path: 'src/a.ts' }] });
  });

  it('calls a gap new in a file that had none', () => {
    expect(compare(covered({}), covered({}, { findings: [] }))).toMatchObject({ added: [{ path: 'src/a.ts' }] });
  });

  it('compares a renamed file with what it was', () => {
    const renames = new Map([['src/b.ts', 'src/a.ts']]);

    expect(compare(covered({ path: 'src/b.ts' }), covered({}), renames)).toMatchObject({ added: [], fixed: [] });
    expect(compare(covered({ path: 'src/b.ts', covered: 7 }), covered({}), renames)).toMatchObject({
      added: [{ path: 'src/b.ts' }],
      existing: [],
      fixed: [],
    });
  });

  it('knows a gap of which one of the runs has no numbers', () => {
    const known = { added: [], existing: [{ path: 'src/a.ts' }] };

    expect(compare(covered({ covered: 0 }, { coverage: null }), covered({}))).toMatchObject(known);
    expect(compare(covered({ covered: 0 }), covered({}, { coverage: { files: [] } }))).toMatchObject(known);
  });

  it('knows other findings in a file whose coverage fell', () => {
    const findings = fingerprinted([aParsedFinding()]);

    expect(compare(covered({ covered: 0 }, { findings }), covered({}, { findings }))).toMatchObject({ added: [] });
  });

  it('calls a gap fixed where the file was measured, and not where it is no part of the coverage any more', () => {
    const base = covered({});

    expect(compare(covered({}, { findings: [] }), base)).toMatchObject({ fixed: base.findings });
    expect(compare(covered({ path: 'src/b.ts' }, { findings: [] }), base)).toMatchObject({ fixed: [] });
    expect(compare(covered({}, { findings: [], coverage: null }), base)).toMatchObject({ fixed: [] });
  });

  const failing: readonly (readonly [string, Partial<EngineRun>])[] = [
    ['a test failed', { tests: [{ id: 't', outcome: 'failed', path: null }] }],
    ['a test broke', { tests: [{ id: 't', outcome: 'error', path: null }] }],
    ['not all tests ran', { complete: false }],
  ];

  it.each(failing)('C21: compares no coverage, not even a missed threshold, where %s in head', (_what, change) => {
    const missed = aGap({ kind: 'coverage_threshold', rule: 'lines', path: null });
    const findings = fingerprinted([aGap(), missed]);

    expect(compare(covered({ covered: 0 }, { ...change, findings }), covered({}))).toMatchObject({
      kind: 'compared',
      added: [],
      existing: [],
      fixed: [],
      uncompared: findings,
    });
  });

  it.each(failing.slice(0, 2))('compares no coverage where %s in the base', (_what, change) => {
    const head = covered({ covered: 0 });

    expect(compare(head, covered({}, change))).toMatchObject({ added: [], existing: [], uncompared: head.findings });
    expect(compare(covered({}, { findings: [] }), covered({}, change))).toMatchObject({ fixed: [] });
  });

  it('compares coverage where tests passed and were skipped', () => {
    const tests = [
      { id: 'a', outcome: 'passed', path: null } as const,
      { id: 'b', outcome: 'skipped', path: null } as const,
    ];

    expect(compare(covered({}, { tests }), covered({}, { tests }))).toMatchObject({ existing: [{ path: 'src/a.ts' }] });
  });

  it.each([
    ['a failing test', aFailingTest()],
    ['a file that cannot be collected', aFailingTest({ kind: 'collection_error' })],
  ])('compares no coverage beside %s, but the tests', (_what, test: ParsedFinding) => {
    const findings: readonly Finding[] = fingerprinted([test, aGap()]);

    expect(compare(covered({}, { findings }), covered({}))).toMatchObject({
      added: [{ testId: test.testId }],
      uncompared: [{ kind: 'coverage_gap' }],
    });
  });

  it('knows no coverage of an incomplete base', () => {
    expect(compare(covered({}), covered({}, { complete: false }))).toMatchObject({
      kind: 'not_comparable',
      existing: [],
    });
  });
});

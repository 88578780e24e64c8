import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import type { ParsedFinding, TestResult } from '../../../src/core/model/finding.ts';
import { aRun } from '../../support/engine-stories.ts';
import { aFailingTest, fingerprinted } from './parsed-findings.ts';

const id = 'tests/test_a.py::test_add';
const path = 'tests/test_a.py';
const failing = fingerprinted([aFailingTest()]);
const uncollected = fingerprinted([aFailingTest({ kind: 'collection_error', testId: null, identity: null })]);

function aTestRun(change: Partial<EngineRun>): EngineRun {
  return aRun({ engine: 'pytest', kind: 'test', tests: [], ...change });
}

function result(outcome: TestResult['outcome'], change: Partial<TestResult> = {}): TestResult {
  return { id, outcome, path, ...change };
}

function compare(
  head: Partial<EngineRun>,
  base = failing,
  renames: ReadonlyMap<string, string> = new Map(),
): EngineComparison {
  return compareRuns({ head: aTestRun(head), base: aTestRun({ findings: base }), renames, isInScope: () => true });
}

const NOTHING = { kind: 'compared', added: [], fixed: [], existing: [], removedTests: [], skippedTests: [] };

describe('compareRuns of tests', () => {
  it.each([
    ['passed', { fixed: failing }],
    ['skipped', { skippedTests: [id] }],
    ['failed', {}],
    ['error', {}],
  ] as const)('calls a failing test fixed only where it passed: it %s', (outcome, expected) => {
    expect(compare({ tests: [result(outcome)] })).toMatchObject({ ...NOTHING, ...expected });
  });

  it('tells a failing test that is no more as removed, not as fixed', () => {
    expect(compare({ tests: [result('passed', { id: 'other' })] })).toMatchObject({ ...NOTHING, removedTests: [id] });
  });

  it('tells each removed and each skipped test once, sorted', () => {
    const tests = ['c', 'a', 'b', 'd'].flatMap((name) => [
      aFailingTest({ testId: name }),
      aFailingTest({ testId: name, identity: 'x' }),
    ]);
    const outcomes = ['b', 'a'].map((name) => result('skipped', { id: name }));

    expect(compare({ tests: outcomes }, fingerprinted(tests))).toMatchObject({
      ...NOTHING,
      skippedTests: ['a', 'b'],
      removedTests: ['c', 'd'],
    });
  });

  it('sorts them by their names, not by their files', () => {
    const tests = [aFailingTest({ path: 'a.py', testId: 'z' }), aFailingTest({ path: 'b.py', testId: 'y' })];

    expect(compare({ tests: [] }, fingerprinted(tests))).toMatchObject({ removedTests: ['y', 'z'] });
  });

  it('says nothing about tests where the run tells none', () => {
    expect(compare({ tests: null })).toMatchObject(NOTHING);
    expect(compare({ tests: null }, uncollected)).toMatchObject(NOTHING);
  });

  it.each([
    [['passed', 'failed'], {}],
    [['failed', 'passed'], {}],
    [['error', 'failed'], {}],
    [['error', 'passed'], {}],
    [['skipped', 'error'], {}],
    [['skipped', 'failed'], {}],
    [['passed', 'skipped'], { skippedTests: [id] }],
    [['skipped', 'passed'], { skippedTests: [id] }],
    [['passed', 'passed'], { fixed: failing }],
  ] as const)('takes the worst of several results of one test: %j', (outcomes, expected) => {
    expect(compare({ tests: outcomes.map((outcome) => result(outcome)) })).toMatchObject({ ...NOTHING, ...expected });
  });

  it.each([
    ['passed', {}],
    ['skipped', { skippedTests: [id] }],
  ] as const)('never calls a test fixed or removed by a run that was cut short: it %s', (outcome, expected) => {
    const other = fingerprinted([aFailingTest({ testId: 'other' })]);

    expect(compare({ complete: false, findings: other, tests: [result(outcome)] })).toMatchObject({
      ...NOTHING,
      added: other,
      ...expected,
    });
    expect(compare({ complete: false, findings: other })).toMatchObject({ ...NOTHING, added: other });
  });

  it('001.R21: takes a test that fails in another way for a new failure, and the old one not for fixed', () => {
    const other = fingerprinted([aFailingTest({ identity: 'KeyError tests/test_a.py:test_add' })]);

    expect(compare({ findings: other, tests: [result('failed')] })).toMatchObject({ ...NOTHING, added: other });
  });

  it('finds a test of a renamed file again by its new id', () => {
    const renamed = 'tests/test_b.py';
    const renames = new Map([[renamed, path]]);
    const moved = { id: `${renamed}::test_add`, path: renamed };

    expect(compare({ tests: [result('passed', moved)] }, failing, renames)).toMatchObject({
      ...NOTHING,
      fixed: failing,
    });
    expect(compare({ tests: [result('skipped', moved)] }, failing, renames)).toMatchObject({
      ...NOTHING,
      skippedTests: [id],
    });
    expect(compare({ tests: [result('passed', moved)] })).toMatchObject({ ...NOTHING, removedTests: [id] });
  });

  it('knows a test of a renamed file that still fails', () => {
    const renamed = 'tests/test_b.py';
    const findings = fingerprinted([
      aFailingTest({
        path: renamed,
        testId: `${renamed}::test_add`,
        identity: `AssertionError ${renamed}:test_add`,
      }),
    ]);
    const tests = [result('failed', { id: `${renamed}::test_add`, path: renamed })];

    expect(compare({ findings, tests }, failing, new Map([[renamed, path]]))).toMatchObject({
      ...NOTHING,
      existing: findings,
    });
  });

  it('believes a test that passed in a file that a rename took out of what the engine is known to look at', () => {
    const moved = { id: 'checks/a.py::test_add', path: 'checks/a.py' };
    const renames = new Map([[moved.path, path]]);
    const base = aTestRun({ findings: failing });
    const isInScope = (file: string): boolean => file.startsWith('tests/');
    const passed = aTestRun({ tests: [result('passed', moved)] });

    expect(compareRuns({ head: passed, base, renames, isInScope })).toMatchObject({ ...NOTHING, fixed: failing });
    expect(compareRuns({ head: aTestRun({}), base, renames, isInScope })).toMatchObject({
      ...NOTHING,
      removedTests: [id],
    });
  });

  it('takes a test for what it is named where it has no file', () => {
    const nameless = fingerprinted([aFailingTest({ path: null })]);

    expect(compare({ tests: [result('passed', { path: null })] }, nameless)).toMatchObject({ fixed: nameless });
  });

  it('does not call the tests of a file removed that cannot be collected any more', () => {
    const comparison = compare({ findings: uncollected, tests: [] });

    expect(comparison).toMatchObject({ ...NOTHING, added: uncollected });
  });
});

describe('compareRuns of what could not be collected', () => {
  it.each<readonly [string, readonly TestResult['outcome'][], object]>([
    ['passed', ['passed'], { fixed: uncollected }],
    ['ran and failed', ['failed'], { fixed: uncollected }],
    ['ran beside one that broke', ['error', 'passed'], { fixed: uncollected }],
    ['was skipped', ['skipped'], { skippedTests: [path] }],
    ['broke', ['error'], {}],
    ['broke beside one that was skipped', ['error', 'skipped'], {}],
  ])('calls a file well again where a test of it %s', (_what, outcomes, expected) => {
    const tests = outcomes.map((outcome, index) => result(outcome, { id: `${path}::${String(index)}` }));

    expect(compare({ tests }, uncollected)).toMatchObject({ ...NOTHING, ...expected });
  });

  it('tells a file as removed of which there is no test any more', () => {
    const tests = [result('passed', { path: 'tests/test_b.py' }), result('passed', { path: null })];

    expect(compare({ tests }, uncollected)).toMatchObject({ ...NOTHING, removedTests: [path] });
  });

  it('follows the file through its new name', () => {
    const renames = new Map([['tests/test_b.py', path]]);

    expect(compare({ tests: [result('passed', { path: 'tests/test_b.py' })] }, uncollected, renames)).toMatchObject({
      fixed: uncollected,
    });
  });

  it.each<readonly [string, Partial<ParsedFinding>, readonly TestResult[], object]>([
    [
      'by its id where it has no file',
      { path: null, testId: id },
      [result('passed', { path: null })],
      { removedTests: [] },
    ],
    [
      'by its message where it has nothing else',
      { path: null, testId: null, message: 'no' },
      [],
      { removedTests: ['no'] },
    ],
  ])('names what is not there any more %s', (_what, change, tests, expected) => {
    const findings = fingerprinted([aFailingTest({ kind: 'collection_error', ...change })]);

    expect(compare({ tests }, findings)).toMatchObject(expected);
  });

  it('takes no test without a file for a test of what has none', () => {
    const findings = fingerprinted([aFailingTest({ kind: 'collection_error', path: null, testId: 'conftest' })]);

    expect(compare({ tests: [result('passed', { path: null })] }, findings)).toMatchObject({
      fixed: [],
      removedTests: ['conftest'],
    });
  });
});

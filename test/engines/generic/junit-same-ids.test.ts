import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/core/findings/compare-runs.ts';
import { fingerprintFindings } from '../../../src/core/findings/fingerprint-findings.ts';
import type { EngineRun } from '../../../src/core/model/engine.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import { parseJunit } from '../../../src/engines/generic/parse-junit.ts';
import { aRun } from '../../support/engine-stories.ts';
import { parsed } from './parse-input.ts';

const failed = (attributes: string): string => `<testcase ${attributes}><failure message="1 is not 2"/></testcase>`;
const ok = (attributes: string): string => `<testcase ${attributes}/>`;

function toRun(...cases: readonly string[]): EngineRun {
  const { findings, tests } = parsed(parseJunit, `<testsuite name="s">${cases.join('')}</testsuite>`, { exitCode: 1 });
  const of = { tool: 'own', project: '.', findings, lineText: null };
  return aRun({ engine: 'own', kind: 'test', findings: fingerprintFindings(of), tests });
}

function compare(head: EngineRun, base: EngineRun): EngineComparison {
  return compareRuns({ head, base, renames: new Map(), isInScope: () => true });
}

const [HERE, THERE] = ['name="adds" file="a.test"', 'name="adds" file="b.test"'];

describe('a test whose id is not its own', () => {
  it.each([
    ['in a second file', HERE, THERE],
    ['on a second line', 'name="adds" file="a.test" line="3"', 'name="adds" file="a.test" line="9"'],
    ['with a second set of parameters', HERE, HERE],
    ['in a second file, with its class', `classname="C" ${HERE}`, `classname="C" ${THERE}`],
  ])('is a new failure if it fails %s, too', (_where, one, other) => {
    const comparison = compare(toRun(failed(one), failed(other)), toRun(failed(one), ok(other)));

    expect(comparison).toMatchObject({ kind: 'compared', added: [{ kind: 'test_failure' }], fixed: [] });
    expect(comparison).toHaveProperty('existing.length', 1);
  });

  it('is fixed in the file in which it passes, and new in the other one (E4)', () => {
    expect(compare(toRun(ok(HERE), failed(THERE)), toRun(failed(HERE), ok(THERE)))).toMatchObject({
      ...{ kind: 'compared', added: [{ path: 'b.test' }], fixed: [{ path: 'a.test' }], existing: [] },
    });
  });

  it('is not fixed if one of its sets of parameters still fails (E4)', () => {
    expect(compare(toRun(failed(HERE), ok(HERE)), toRun(failed(HERE), failed(HERE)))).toMatchObject({
      ...{ kind: 'compared', added: [], fixed: [], existing: [{ path: 'a.test' }] },
    });
  });
});

describe('failures of tests of one name in two files', () => {
  it('keep their fingerprints once one of them is repaired (001.R21)', () => {
    const [, there] = toRun(failed(HERE), failed(THERE)).findings;
    const [left] = toRun(ok(HERE), failed(THERE)).findings;

    expect(there?.path).toBe('b.test');
    expect(left?.fingerprint).toBe(there?.fingerprint);
  });
});

const CASE = 'classname="demo.FlakyTest" name="adds"';
const RERUN = '<rerunFailure message="again"/>';
const GO = '<properties><property name="go.version" value="go1.22"/></properties>';

describe('a test that was run again (E4)', () => {
  it.each([
    [
      'surefire',
      `<testcase ${CASE}><flakyFailure message="no"><stackTrace>x</stackTrace></flakyFailure></testcase>`,
      0,
    ],
    ['surefire, after an error', `<testcase ${CASE}><flakyError message="no"/></testcase>`, 1],
    ['gradle, which merges runs', `<testcase ${CASE}><flakyFailure message="no"/></testcase>`, 0],
    ['gradle, which lists runs', `${failed(CASE)}${ok(CASE)}`, 0],
    ['gotestsum', `${GO}${failed('classname="demo" name="TestA"')}${ok('classname="demo" name="TestA"')}`, 1],
    ['pytest-rerunfailures, which lists the last run', ok('classname="tests.test_a" name="test_a"'), 0],
  ])('has not failed if it passed in the end (%s)', (_tool, cases, exitCode) => {
    const xml = `<testsuite name="demo.FlakyTest" tests="1" failures="1" errors="0">${cases}</testsuite>`;
    const isCounted = cases.includes('Flaky') && cases.includes('flaky');
    const { findings, partial, tests } = parsed(parseJunit, isCounted ? xml : xml.replace('failures="1"', ''), {
      exitCode,
    });

    expect({ findings, partial }).toEqual({ findings: [], partial: null });
    expect(tests).toMatchObject([{ outcome: 'passed' }]);
  });

  it.each([
    ['surefire', `<testcase ${CASE}><failure message="no"/>${RERUN}</testcase>`, 1, 1],
    ['a writer that lists later runs only', `<testcase ${CASE}>${RERUN}</testcase>`, 1, 1],
    ['gradle, which lists runs', `${failed(CASE)}${failed(CASE)}`, 1, 2],
    ['gradle, which failed', `${failed(CASE)}${ok(CASE)}`, 1, 1],
    ['a tool that lists sets of parameters and succeeds', `${failed('name="adds"')}${ok('name="adds"')}`, 0, 1],
    ['gotestsum, in which it passed before', `${GO}${ok('name="TestA"')}${failed('name="TestA"')}`, 1, 1],
  ])('has failed if it did not pass in the end (%s)', (_tool, cases, exitCode, count) => {
    const xml = `<testsuite name="demo.FlakyTest">${cases}</testsuite>`;

    expect(parsed(parseJunit, xml, { exitCode }).findings).toHaveLength(count);
  });

  it.each(['<testsuite/>', '<testsuites tests="0"/>', '<testsuites><testsuite name="a"/></testsuites>'])(
    'a report without any test says nothing: %s',
    (xml) => {
      expect(parsed(parseJunit, xml).partial).toBe('the report has no tests');
    },
  );
});

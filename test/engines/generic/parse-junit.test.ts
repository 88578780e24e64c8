import { describe, expect, it } from 'vitest';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import { findSignature } from '../../../src/core/tasks/find-signature.ts';
import { type JunitCase, parseJunit, readJunitCases } from '../../../src/engines/generic/parse-junit.ts';
import { anInput, parsed } from './parse-input.ts';

function casesOf(xml: string): readonly JunitCase[] {
  const reading = readJunitCases(xml);
  if (reading.kind === 'invalid') throw new Error(reading.why);
  return reading.cases;
}

function outcomesOf(xml: string): readonly string[] {
  return casesOf(xml).map(({ name, outcome }) => `${name} ${outcome}`);
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

describe('readJunitCases', () => {
  it('reads a case with all that it may say', () => {
    const xml = `${DECLARATION}<testsuites><testsuite name="pytest"><testcase classname="tests.test_a.TestA" name="test_b[x&#10;&lt;y]" file="tests/test_a.py" line="3" time="0.1"><failure type="E" message="1 &lt; 2&#x21;">trace &amp; more</failure></testcase></testsuite></testsuites>`;

    expect(casesOf(xml)).toEqual([
      {
        isSuite: false,
        suite: 'pytest',
        classname: 'tests.test_a.TestA',
        name: 'test_b[x\n<y]',
        file: 'tests/test_a.py',
        line: 3,
        outcome: 'failed',
        type: 'E',
        message: '1 < 2!',
        text: 'trace & more',
        isFlaky: false,
        isRerun: 'no',
      },
    ]);
  });

  it.each<[string, string, readonly string[]]>([
    ['a testsuite at the root', '<testsuite><testcase name="a"/></testsuite>', ['a passed']],
    [
      'suites in suites, in their order',
      '<testsuites><testsuite><testcase name="a"/><testsuite><testcase name="b"/></testsuite></testsuite></testsuites>',
      ['a passed', 'b passed'],
    ],
    ['cases without a suite', '<testsuites><testcase name="a"/></testsuites>', ['a passed']],
    ['no attributes at all', '<testsuite><testcase/></testsuite>', [' passed']],
    ['a namespace', '<j:testsuite xmlns:j="x"><j:testcase name="a"/></j:testsuite>', ['a passed']],
    [
      'one element for each outcome',
      '<testsuite><testcase name="a"><failure/></testcase><testcase name="b"><error/></testcase><testcase name="c"><skipped/></testcase></testsuite>',
      ['a failed', 'b error', 'c skipped'],
    ],
    [
      'several results in one case: the worst',
      '<testsuite><testcase name="a"><skipped/><failure/><error/><failure/></testcase><testcase name="b"><failure/><skipped/></testcase></testsuite>',
      ['a error', 'b failed'],
    ],
    [
      'a status without an element',
      '<testsuite><testcase name="a" status="run" result="completed"/><testcase name="b" status="notrun" result="suppressed"/><testcase name="c" status="disabled"/><testcase name="d" status="FAILED"/><testcase name="e" result="error"/></testsuite>',
      ['a passed', 'b skipped', 'c skipped', 'd failed', 'e error'],
    ],
    ['a time that is no number', '<testsuite time="NaN"><testcase name="a" time="NaN"/></testsuite>', ['a passed']],
    [
      'what a flaky test did before it passed',
      '<testsuite><testcase name="a"><flakyFailure/></testcase></testsuite>',
      ['a passed'],
    ],
    [
      'output that looks like a result',
      '<testsuite><testcase name="a"><system-out><![CDATA[<failure/>]]></system-out></testcase></testsuite>',
      ['a passed'],
    ],
    ['an empty report', '<testsuites/>', []],
  ])('reads %s', (_what, xml, expected) => {
    expect(outcomesOf(xml)).toEqual(expected);
  });

  it('gives a case the file of the nearest suite that names one', () => {
    const xml =
      '<testsuites><testsuite name="o" file="a.js"><testsuite name="i"><testcase name="x"/><testcase name="y" file="b.js"/></testsuite></testsuite></testsuites>';

    expect(casesOf(xml).map(({ suite, file }) => [suite, file])).toEqual([
      ['i', 'a.js'],
      ['i', 'b.js'],
    ]);
  });

  it('tells an error of a suite itself from those of its cases', () => {
    const xml = '<testsuite name="s"><error message="no setup"/><testcase name="a"/></testsuite>';

    expect(casesOf(xml).map(({ isSuite, outcome, message }) => [isSuite, outcome, message])).toEqual([
      [false, 'passed', null],
      [true, 'error', 'no setup'],
    ]);
  });

  it.each([
    ['a suite', '<testsuites><testsuite name="s" tests="3" failures="1" errors="1"/></testsuites>'],
    ['all suites', '<testsuites name="s" tests="3" failures="1" errors="1"/>'],
  ])('names %s that counts tests and lists none', (_what, xml) => {
    expect(readJunitCases(xml)).toMatchObject({ hollowSuites: [{ name: 's', tests: 3, failed: 2 }] });
  });

  it.each([
    ['a suite', '<testsuite name="s" tests="3" failures="1" errors="1"><testcase name="a"/></testsuite>'],
    [
      'the root',
      '<testsuites name="s" tests="3" failures="2"><testsuite><testcase name="a"/></testsuite></testsuites>',
    ],
    [
      'the innermost of several suites',
      '<testsuites failures="2"><testsuite name="o" failures="2"><testsuite name="s" tests="3" failures="2"><testcase name="a"/></testsuite></testsuite></testsuites>',
    ],
  ])('names %s that counts failed tests and lists none as failed', (_what, xml) => {
    expect(readJunitCases(xml)).toMatchObject({ hollowSuites: [{ name: 's', tests: 3, failed: 2 }] });
  });

  it.each([
    ['its own case', '<testsuite failures="2"><testcase name="a"><error/></testcase></testsuite>'],
    ['itself', '<testsuite errors="1"><testcase name="a"/><error/></testsuite>'],
    [
      'a suite in it',
      '<testsuites failures="1"><testsuite><testcase name="a"><failure/></testcase></testsuite></testsuites>',
    ],
  ])('names no suite as hollow whose failures are those of %s', (_what, xml) => {
    expect(readJunitCases(xml)).toMatchObject({ hollowSuites: [] });
  });

  it('names no suite as hollow whose tests are listed, or which counts none', () => {
    const xml =
      '<testsuites tests="1"><testsuite tests="1"><testcase name="a"/></testsuite><testsuite tests="0"/></testsuites>';

    expect(readJunitCases(xml)).toMatchObject({ hollowSuites: [] });
  });

  it.each([
    ['a report that was cut', '<testsuite><testcase name="a"/>'],
    ['one that was cut within a tag', '<testsuite><testcase name="a'],
    ['crossed tags', '<testsuite><testcase></testsuite></testcase>'],
    ['something after the report', '<testsuite/>Killed'],
    ['two reports in one', '<testsuite/><testsuite/>'],
    ['no XML', 'Segmentation fault'],
    ['JSON', '{"tests": 1}'],
    ['an unescaped ampersand', '<testsuite><testcase name="a">a & b</testcase></testsuite>'],
    ['other XML', '<checkstyle version="1"/>'],
    ['a page of an error', '<html><body/></html>'],
    ['nothing but a declaration', DECLARATION],
    ['nothing', ''],
  ])('takes %s for invalid, and never for no tests', (_what, xml) => {
    expect(readJunitCases(xml).kind).toBe('invalid');
  });

  it.each([
    [
      'entities that grow without end',
      `${DECLARATION}<!-- c --><!DOCTYPE l [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`,
    ],
    ['a file of the machine', '<!DOCTYPE l [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite name="&f;"/>'],
    ['elements in elements', `${'<testsuite>'.repeat(100)}${'</testsuite>'.repeat(100)}`],
    ['elements without an end', '<testsuite>'.repeat(200_000)],
    ['a name of the prototype', '<testsuite><__proto__/></testsuite>'],
    ['comments without an end', `<testsuite>${'<!--'.repeat(200_000)}`],
    ['angle brackets', `<testsuite>${'<'.repeat(1_000_000)}`],
    ['a report that is too long', `<testsuite>${' '.repeat(33 * 1024 * 1024)}</testsuite>`],
  ])('refuses %s, at once and in a few words', (_what, xml) => {
    const reading = readJunitCases(xml);

    expect(reading.kind).toBe('invalid');
    expect(JSON.stringify(reading).length).toBeLessThan(400);
  });

  it('leaves an entity that a later document type declares as it stands', () => {
    const xml = '<testsuite><!DOCTYPE l [<!ENTITY a "boom">]><testcase name="&a;"/></testsuite>';

    expect(JSON.stringify(readJunitCases(xml))).not.toContain('boom');
  });

  it('keeps HTML that a failure quotes, document type and all', () => {
    const xml =
      '<testsuite><testcase name="a"><failure><![CDATA[<!DOCTYPE html><p>&amp;</p>]]></failure></testcase></testsuite>';

    expect(casesOf(xml)[0]?.text).toBe('<!DOCTYPE html><p>&amp;</p>');
  });

  it('cuts what is endless: the end of a trace is kept, the beginning of a message and of a name', () => {
    const long = 'x'.repeat(1_000_000);
    const [found] = casesOf(
      `<testsuite><testcase name="n${long}"><failure message="m${long}">${long}END</failure></testcase></testsuite>`,
    );

    expect(found?.name).toHaveLength(1024);
    expect(found?.message?.startsWith('mx')).toBe(true);
    expect(found?.message).toHaveLength(4096);
    expect(found?.text?.endsWith('END')).toBe(true);
    expect(found?.text).toHaveLength(65_536);
  });
});

describe('parseJunit', () => {
  it('makes a finding of each test that failed, and a result of each test', () => {
    const xml =
      '<testsuite name="s"><testcase classname="c" name="a" file="/repo/t/a.rb" line="7"><failure type="X" message="no"/></testcase><testcase name="b"><error>broke\nhere</error></testcase><testcase name="d"/><testcase name="e"><skipped/></testcase></testsuite>';

    const payload = parsed(parseJunit, xml);

    expect(payload.findings).toMatchObject([
      {
        kind: 'test_failure',
        severity: 'high',
        rule: 'X',
        message: 'no',
        path: 't/a.rb',
        line: 7,
        testId: 'c::a',
        identity: 'X|t/a.rb|',
        native: 'failure',
      },
      {
        kind: 'test_failure',
        severity: 'high',
        rule: null,
        message: 'broke\nhere',
        path: null,
        line: null,
        testId: 's::b',
        native: 'error',
      },
    ]);
    expect(payload.tests).toEqual([
      { id: 'c::a', outcome: 'failed', path: 't/a.rb' },
      { id: 's::b', outcome: 'error', path: null },
      { id: 's::d', outcome: 'passed', path: null },
      { id: 's::e', outcome: 'skipped', path: null },
    ]);
    expect(payload).toMatchObject({ partial: null, toolFailure: null, coverage: null });
  });

  it('has a finding for each failed case, and one result for the test, the worst', () => {
    const xml =
      '<testsuite><testcase classname="c" name="a"/><testcase classname="c" name="a"><failure message="first"/></testcase><testcase classname="c" name="a"><failure message="second"/></testcase></testsuite>';

    const { findings, tests } = parsed(parseJunit, xml);

    expect(findings.map(({ message }) => message)).toEqual(['first', 'second']);
    expect(tests).toEqual([{ id: 'c::a', outcome: 'failed', path: null }]);
  });

  it('is partial where a suite counts tests and lists none, with a finding where some failed', () => {
    expect(parsed(parseJunit, '<testsuite name="s" tests="2"/>')).toMatchObject({
      findings: [],
      partial: 'the suite "s" counts 2 tests and lists none of them',
    });
    expect(parsed(parseJunit, '<testsuite name="s" tests="2" failures="1"/>').findings).toMatchObject([
      { kind: 'collection_error', severity: 'blocker', testId: 's' },
    ]);
  });

  it('is partial where a suite counts failed tests that it does not list, with a finding', () => {
    const xml = '<testsuite name="s" tests="1" failures="1"><testcase name="a"/></testsuite>';

    expect(parsed(parseJunit, xml)).toMatchObject({
      findings: [{ kind: 'collection_error', severity: 'blocker', testId: 's' }],
      partial: 'the suite "s" counts 1 failed tests and lists none of them',
    });
  });

  it.each([
    ['timeout', 'error'],
    ['Aborted', 'error'],
    ['crashed', 'error'],
    ['inconclusive', 'skipped'],
    ['completed', 'passed'],
    ['constructor', 'passed'],
  ])('takes a test of status "%s" for %s', (status, outcome) => {
    const { tests } = parsed(parseJunit, `<testsuite><testcase name="a" status="${status}"/></testsuite>`);

    expect(tests).toMatchObject([{ outcome }]);
  });

  it('calls the error of a suite one of collecting tests', () => {
    expect(parsed(parseJunit, '<testsuite name="s"><error message="no setup"/></testsuite>').findings).toMatchObject([
      { kind: 'collection_error', severity: 'blocker', message: 'no setup', testId: 's' },
    ]);
  });

  it('names no file outside of the root', () => {
    const xml = '<testsuite><testcase name="a" file="/etc/passwd" line="1"><failure/></testcase></testsuite>';

    expect(parsed(parseJunit, xml).findings).toMatchObject([{ path: null, line: null, message: 'The test failed.' }]);
  });

  it('tells a missing report from an empty one and from a broken one', () => {
    expect(parseJunit(anInput(null))).toEqual({ kind: 'missing' });
    expect(parseJunit(anInput(' \n'))).toEqual({ kind: 'empty' });
    expect(parseJunit(anInput('<a>'))).toMatchObject({ kind: 'invalid' });
  });
});

describe('a report of node:test', () => {
  const REPORT = (file: string): string => `${DECLARATION}<testsuites>
	<testcase name="reads" time="0.0019" classname="test" file="${file}" failure="Cannot read properties of undefined (reading 'total')">
		<failure type="testCodeFailure" message="Cannot read properties of undefined (reading 'total')">
[Error [ERR_TEST_FAILURE]: Cannot read properties of undefined (reading 'total')] {
  code: 'ERR_TEST_FAILURE',
  failureType: 'testCodeFailure',
  cause: TypeError: Cannot read properties of undefined (reading 'total')
      at TestContext.&lt;anonymous> (file:///work/${file}:4:27)
      at Test.run (node:internal/test_runner/test:1402:25)
}
		</failure>
	</testcase>
	<testcase name="compares" time="0.0013" classname="test" file="${file}" failure="1 == 2">
		<failure type="testCodeFailure" message="1 == 2">
[Error [ERR_TEST_FAILURE]: 1 == 2] {
  code: 'ERR_TEST_FAILURE',
  failureType: 'testCodeFailure',
  cause: AssertionError [ERR_ASSERTION]: 1 == 2
      at TestContext.&lt;anonymous> (file:///work/${file}:5:35) {
    code: 'ERR_ASSERTION',
  }
}
		</failure>
	</testcase>
</testsuites>`;
  const findingsOf = (file: string): readonly ParsedFinding[] =>
    parsed(parseJunit, REPORT(file)).findings.map((finding) => ({ ...finding, path: file }));
  const signaturesOf = (file: string): readonly (string | null)[] =>
    findingsOf(file).map((finding) => findSignature({ ...finding, tool: 'node-test', project: '.' }));

  it('gives the exception, which only its text has', () => {
    expect(findingsOf('test/a.test.js').map(({ message }) => message)).toEqual([
      "TypeError: Cannot read properties of undefined (reading 'total')",
      'AssertionError: 1 == 2',
    ]);
  });

  it('shows one cause in several files by what was thrown, and none by expectations that were not met (001.R22)', () => {
    const [thrown, unmet] = signaturesOf('test/a.test.js');

    expect(thrown).not.toBeNull();
    expect(signaturesOf('test/b.test.js')).toEqual([thrown, null]);
    expect(unmet).toBeNull();
  });
});

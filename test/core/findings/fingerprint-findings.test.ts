import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintFindings } from '../../../src/core/findings/fingerprint-findings.ts';
import type { ParsedFinding } from '../../../src/core/model/finding.ts';
import { aFailingTest, aGap, aParsedFinding, type Files, fingerprinted } from './parsed-findings.ts';

const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/u);
const files: Files = { 'src/a.ts': ['var a = 1;', 'let b;', 'var a = 1;', ''], 'src/b.ts': ['var a = 1;'] };

function printOf(finding: ParsedFinding, texts: Files = files, tool?: string): string | undefined {
  return fingerprinted([finding], texts, tool)[0]?.fingerprint;
}

function likenessOf(finding: ParsedFinding, texts: Files = files, tool?: string): string | undefined {
  return fingerprinted([finding], texts, tool)[0]?.likeness;
}

describe('fingerprintFindings', () => {
  it('adds the tool and two digests of 64 digits to what the parser read', () => {
    const [finding] = fingerprinted([aParsedFinding()], files);

    expect(finding).toEqual({
      ...aParsedFinding(),
      tool: 'eslint',
      project: '.',
      fingerprint: digest,
      likeness: digest,
    });
    expect(finding?.likeness).not.toBe(finding?.fingerprint);
  });

  it('finds a line again that moved, or whose white space changed', () => {
    const moved = { 'src/a.ts': ['', '', '\tvar  a =\u00a01;\r'] };

    expect(printOf(aParsedFinding({ line: 3, column: 9 }), moved)).toBe(printOf(aParsedFinding()));
    expect(likenessOf(aParsedFinding({ line: 3 }), moved)).toBe(likenessOf(aParsedFinding()));
  });

  it.each([
    ['the text of its line', aParsedFinding({ line: 2 }), 'eslint'],
    ['the rule', aParsedFinding({ rule: 'prefer-const' }), 'eslint'],
    ['a rule of no name', aParsedFinding({ rule: null }), 'eslint'],
    ['the tool', aParsedFinding(), 'oxlint'],
    ['an identity that the parser gives', aParsedFinding({ identity: 'f' }), 'eslint'],
  ])('takes a finding for another one by %s', (_by, finding, tool) => {
    expect(printOf(finding, files, tool)).not.toBe(printOf(aParsedFinding()));
    expect(likenessOf(finding, files, tool)).not.toBe(likenessOf(aParsedFinding()));
  });

  it('takes a finding in another file for another one that is alike', () => {
    const elsewhere = aParsedFinding({ path: 'src/b.ts' });

    expect(printOf(elsewhere)).not.toBe(printOf(aParsedFinding()));
    expect(likenessOf(elsewhere)).toBe(likenessOf(aParsedFinding()));
  });

  it('finds a line again whatever the tool says about it', () => {
    expect(printOf(aParsedFinding({ message: 'other', severity: 'low', kind: 'type' }))).toBe(
      printOf(aParsedFinding()),
    );
  });

  it('looks at the identity in the place of the line', () => {
    const here = aParsedFinding({ identity: 'f' });

    expect(printOf({ ...here, line: 2 })).toBe(printOf(here));
  });

  it.each([
    ['without a line', { line: null }],
    ['without a file', { path: null }],
    ['in a line that is not there', { line: 99 }],
  ])('finds what is %s again by its message, without white space', (_what, change) => {
    const finding = aParsedFinding(change);

    expect(printOf({ ...finding, message: 'Unexpected  var.' })).toBe(printOf(finding));
    expect(printOf({ ...finding, message: 'other' })).not.toBe(printOf(finding));
  });

  it('finds by identity or message where there are no texts', () => {
    const toPrint = (finding: ParsedFinding): string | undefined =>
      fingerprintFindings({ tool: 'eslint', findings: [finding], lineText: null })[0]?.fingerprint;

    expect(toPrint(aParsedFinding())).toBe(printOf(aParsedFinding({ line: null })));
    expect(toPrint(aParsedFinding({ identity: 'f' }))).toBe(printOf(aParsedFinding({ identity: 'f' })));
  });

  it('tells an empty line from a missing one', () => {
    expect(printOf(aParsedFinding({ line: 4 }))).not.toBe(printOf(aParsedFinding({ line: 99 })));
    expect(printOf(aParsedFinding({ line: 4 }))).toBe(printOf(aParsedFinding({ line: 4, message: 'other' })));
  });

  it('looks at the first thousand characters of a line', () => {
    const toPrint = (text: string): unknown => printOf(aParsedFinding(), { 'src/a.ts': [text] });
    const long = 'x'.repeat(999);

    expect(toPrint(`${long}ab`)).toBe(toPrint(`${long}ac`));
    expect(toPrint(`${long}a`)).not.toBe(toPrint(`${long}b`));
    expect(toPrint(`${' '.repeat(3_000)}${long}ab`)).toBe(toPrint(`${long}a`));
    expect(toPrint(`${' '.repeat(3_999)}ab`)).toBe(toPrint('a'));
  });

  it('gives each of equal findings in one file its ordinal, in the order of lines', () => {
    const equal = [aParsedFinding({ line: 3 }), aParsedFinding({ path: 'src/b.ts' }), aParsedFinding({ line: 1 })];
    const [first, second, other] = fingerprinted(equal, files);

    expect([first?.line, second?.line, other?.path]).toEqual([1, 3, 'src/b.ts']);
    expect(first?.fingerprint).toBe(printOf(aParsedFinding()));
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect(second?.likeness).toBe(first?.likeness);
    expect(other?.fingerprint).toBe(printOf(aParsedFinding({ path: 'src/b.ts' })));
  });

  it('takes what a tool says twice about the very same place for one finding, of the worse severity', () => {
    const twice = [aParsedFinding({ severity: 'low' }), aParsedFinding({ severity: 'blocker' }), aParsedFinding()];

    expect(fingerprinted(twice, files).map(({ severity }) => severity)).toEqual(['blocker']);
  });

  it.each([
    ['kind', { kind: 'type' }],
    ['rule', { rule: 'other' }],
    ['path', { path: 'src/b.ts' }],
    ['line', { line: 3 }],
    ['column', { column: 2 }],
    ['message', { message: 'other' }],
    ['test', { testId: 'other' }],
    ['identity', { identity: 'other' }],
  ] as const)('keeps two findings of one place that differ by their %s', (_by, change) => {
    expect(fingerprinted([aParsedFinding(), aParsedFinding(change)], files)).toHaveLength(2);
  });

  it('gives the same findings, fingerprints and order whatever the order of the input', () => {
    const finding = fc.record({
      line: fc.constantFrom(null, 1, 2, 3),
      column: fc.constantFrom(null, 1, 2),
      rule: fc.constantFrom(null, 'a', 'b'),
      message: fc.constantFrom('a', 'b'),
      path: fc.constantFrom(null, 'src/a.ts', 'src/b.ts'),
      severity: fc.constantFrom('high', 'low'),
      kind: fc.constantFrom('lint', 'type', 'test_failure'),
    });
    const shuffles = fc
      .array(
        finding.map((change) => aParsedFinding(change)),
        { maxLength: 12 },
      )
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));

    fc.assert(
      fc.property(shuffles, ([list, shuffled]) => {
        const findings = fingerprinted(list, files);
        expect(fingerprinted(shuffled, files)).toEqual(findings);
        expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
      }),
    );
  });

  it.each(['lint', 'type', 'format', 'parse_error', 'suppression'] as const)(
    'finds a finding of kind %s by its line',
    (kind) => {
      expect(printOf(aParsedFinding({ kind, message: 'other' }))).toBe(printOf(aParsedFinding({ kind })));
      expect(printOf(aParsedFinding({ kind, line: 2 }))).not.toBe(printOf(aParsedFinding({ kind })));
    },
  );
});

describe('fingerprintFindings of tests', () => {
  it('001.R21: finds a failing test by its id, the type of its exception and its innermost frame, in whatever line', () => {
    const test = aFailingTest();

    expect(printOf({ ...test, line: 99, message: 'assert 1 == 3', severity: 'medium' })).toBe(printOf(test));
    expect(printOf({ ...test, path: 'src/lib.py' })).toBe(printOf(test));
    expect(printOf({ ...test, testId: 'tests/test_a.py::test_sub' })).not.toBe(printOf(test));
    expect(printOf({ ...test, identity: 'KeyError tests/test_a.py:test_add' })).not.toBe(printOf(test));
    expect(printOf({ ...test, identity: 'AssertionError src/lib.py:add' })).not.toBe(printOf(test));
    expect(printOf({ ...test, identity: null })).not.toBe(printOf(test));
  });

  it('leaves a test of a renamed file alike, and no other one', () => {
    const renamed = aFailingTest({
      path: 'tests/test_b.py',
      testId: 'tests/test_b.py::test_add',
      identity: 'AssertionError tests/test_b.py:test_add',
    });

    expect(printOf(renamed)).not.toBe(printOf(aFailingTest()));
    expect(likenessOf(renamed)).toBe(likenessOf(aFailingTest()));
    expect(likenessOf({ ...renamed, testId: 'tests/test_b.py::test_sub' })).not.toBe(likenessOf(aFailingTest()));
    expect(likenessOf({ ...renamed, identity: 'KeyError' })).not.toBe(likenessOf(aFailingTest()));
  });

  it('compares the id of a test as it is where it names no file', () => {
    const nameless = aFailingTest({ path: null });

    expect(likenessOf(nameless)).not.toBe(likenessOf(aFailingTest()));
    expect(likenessOf({ ...nameless, testId: 'x' })).not.toBe(likenessOf(nameless));
  });

  it('finds what cannot be collected by its file where it has no id', () => {
    const broken = aFailingTest({ kind: 'collection_error', testId: null, identity: null });

    expect(printOf({ ...broken, line: 1, message: 'other' })).toBe(printOf(broken));
    expect(printOf({ ...broken, path: 'tests/test_b.py' })).not.toBe(printOf(broken));
    expect(likenessOf({ ...broken, path: 'tests/test_b.py' })).toBe(likenessOf(broken));
    expect(printOf({ ...broken, identity: 'ImportError' })).not.toBe(printOf(broken));
  });

  it('keeps two tests that fail in the same words', () => {
    const tests = [aFailingTest({ testId: 'a', line: null }), aFailingTest({ testId: 'b', line: null })];

    expect(fingerprinted(tests)).toHaveLength(2);
  });
});

describe('fingerprintFindings of coverage', () => {
  it('finds a coverage gap by its file alone', () => {
    expect(printOf(aGap({ line: 7, message: '70 % covered', rule: 'x' }))).toBe(printOf(aGap()));
    expect(printOf(aGap({ path: 'src/b.ts' }))).not.toBe(printOf(aGap()));
    expect(likenessOf(aGap({ path: 'src/b.ts' }))).toBe(likenessOf(aGap()));
    expect(printOf(aGap())).not.toBe(printOf(aParsedFinding({ line: null })));
  });

  it('C21: finds a missed coverage threshold by its rule, and so neither by its number nor as a gap', () => {
    const missed = aGap({ kind: 'coverage_threshold', rule: 'lines', path: null });

    expect(printOf({ ...missed, message: '79 %' })).toBe(printOf(missed));
    expect(printOf({ ...missed, rule: 'branches' })).not.toBe(printOf(missed));
    expect(likenessOf({ ...missed, rule: 'branches' })).not.toBe(likenessOf(missed));
    expect(printOf({ ...missed, path: 'src/a.ts' })).not.toBe(printOf(missed));
    expect(printOf(aGap({ path: null }))).not.toBe(printOf(missed));
    expect(likenessOf(aGap())).not.toBe(likenessOf({ ...missed, rule: null }));
  });
});

describe('fingerprintFindings: what is stored', () => {
  it.each([
    ['a line', aParsedFinding(), '9c3cd581fe15 530612c19673'],
    ['a test', aFailingTest(), '0653d9e167b3 d1b38c24436c'],
    [
      'what cannot be collected',
      aFailingTest({ kind: 'collection_error', testId: null, identity: null }),
      '5376b8e2edb8 f58e60b98c48',
    ],
    ['a file that is not covered', aGap(), 'c8ed47edfbdd dda8f3b4f1ff'],
    ['a threshold', aGap({ kind: 'coverage_threshold', rule: 'total', path: null }), '70e4e622ad01 cb9132f0cb95'],
  ] as const)('stays what it was in budgets and acceptances of before: %s', (_what, finding, expected) => {
    expect(`${printOf(finding)?.slice(0, 12) ?? ''} ${likenessOf(finding)?.slice(0, 12) ?? ''}`).toBe(expected);
  });

  it('gives equal findings of two projects other values, and those of the root the values of no project', () => {
    const of = (project?: string) =>
      fingerprintFindings({
        tool: 'x',
        findings: [aParsedFinding()],
        lineText: null,
        ...(project === undefined ? {} : { project }),
      });

    expect(of('.')).toEqual(of());
    expect(of('a')[0]?.project).toBe('a');
    expect(
      new Set([of(), of('a'), of('b')].flat().flatMap(({ fingerprint, likeness }) => [fingerprint, likeness])).size,
    ).toBe(6);
  });
});

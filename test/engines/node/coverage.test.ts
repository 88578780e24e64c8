import { describe, expect, it } from 'vitest';
import { parseIstanbul } from '../../../src/engines/generic/parse-istanbul.ts';
import { parseLcov } from '../../../src/engines/generic/parse-lcov.ts';
import { vitestCoverage } from '../../../src/engines/node/vitest-coverage.ts';
import { anInput, parsed } from '../generic/parse-input.ts';
import { readRecording, replay } from '../support/recording.ts';
import { absolute, containing } from './support.ts';

/** Statements that start on these lines, with how often each ran. */
function istanbul(files: Readonly<Record<string, readonly (readonly [line: number, hits: number])[]>>): string {
  const entries = Object.entries(files).map(([path, statements]) => {
    const statementMap = Object.fromEntries(
      statements.map(([line], id) => [id, { start: { line, column: 0 }, end: { line, column: null } }]),
    );
    const s = Object.fromEntries(statements.map(([, hits], id) => [id, hits]));
    return [path, { path, statementMap, s, fnMap: {}, f: {}, branchMap: {}, b: {} }];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

describe('a report of files elsewhere', () => {
  it.each([
    ['istanbul', parseIstanbul, istanbul({ '/builds/x/a.js': [[1, 0]] })],
    ['LCOV', parseLcov, 'SF:/builds/x/a.js\nDA:1,0\nend_of_record\n'],
  ] as const)('says nothing of the repository, and so is partial (%s) (E18)', (_what, parse, text) => {
    expect(parsed(parse, text)).toMatchObject({
      findings: [],
      partial: 'none of the files that it measured lies in the repository',
    });
  });

  it('is no better if it has no file at all', () => {
    expect(parsed(parseIstanbul, '{}').partial).toBe('it measured no file');
  });

  it.each([
    ['istanbul', parseIstanbul, istanbul({ '/x/a.js': [[1, 0]], [absolute('a.js')]: [[1, 1]] }), 1],
    [
      'LCOV',
      parseLcov,
      'SF:/x/a.js\nDA:1,0\nend_of_record\nSF:/x/a.js\nDA:1,0\nend_of_record\nSF:a.js\nend_of_record\n',
      1,
    ],
    ['LCOV', parseLcov, 'SF:/x/a.js\nend_of_record\nSF:C:/b.js\nend_of_record\nSF:a.js\nend_of_record\n', 2],
  ] as const)('is told if only some files are elsewhere (%s) (E18)', (_what, parse, text, count) => {
    const { partial, notes } = parsed(parse, text);

    expect(partial).toBeNull();
    expect(notes).toEqual([
      count === 1
        ? '1 measured file lies outside of the repository and was left out'
        : '2 measured files lie outside of the repository and were left out',
    ]);
  });
});

describe('LCOV without lines (E18)', () => {
  it.each([
    ['is covered as it counts', 'LF:4\nLH:1\n', { covered: 1, total: 4 }],
    ['is covered whole', 'LF:4\nLH:4\n', { covered: 4, total: 4 }],
    ['has nothing to cover', '', { covered: 0, total: 0 }],
    ['counts its lines where it lists them', 'DA:1,1\nDA:2,0\nLF:4\nLH:4\n', { covered: 1, total: 2 }],
  ])('%s', (_what, lines, expected) => {
    const { coverage, findings } = parsed(parseLcov, `SF:a.js\n${lines}end_of_record\n`);

    expect(coverage?.files).toMatchObject([{ path: 'a.js', ...expected }]);
    expect(findings).toHaveLength(expected.covered < expected.total ? 1 : 0);
  });
});

describe('istanbul', () => {
  it('counts statements, and names the lines on which none that starts there ran', () => {
    const text = istanbul({
      [absolute('src/b.js')]: [
        [9, 0],
        [2, 0],
        [2, 1],
        [3, 5],
      ],
      [absolute('a.js')]: [[1, 1]],
    });

    expect(parsed(parseIstanbul, text)).toMatchObject({
      coverage: {
        files: [
          { path: 'a.js', covered: 1, total: 1, missingLines: [] },
          { path: 'src/b.js', covered: 2, total: 4, missingLines: [9] },
        ],
      },
      tests: null,
    });
  });

  it('has one finding for each file with a gap, known by the file alone', () => {
    const text = istanbul({
      [absolute('b.js')]: [
        [4, 0],
        [7, 0],
      ],
      [absolute('a.js')]: [[1, 1]],
    });

    expect(parsed(parseIstanbul, text).findings).toEqual([
      {
        kind: 'coverage_gap',
        rule: null,
        severity: 'medium',
        native: null,
        message: '0 of 2 covered',
        path: 'b.js',
        line: 4,
        column: null,
        endLine: null,
        testId: null,
        identity: 'coverage',
      },
    ]);
  });

  it('leaves out files outside of the root', () => {
    expect(parsed(parseIstanbul, istanbul({ '/elsewhere/a.js': [[1, 0]] }))).toMatchObject({
      findings: [],
      coverage: { files: [] },
    });
  });

  it.each([
    ['no JSON', 'lcov'],
    ['a summary', '{"total":{"lines":{"total":1,"covered":1,"pct":100}}}'],
    ['counts of other statements', JSON.stringify({ a: { path: '/repo/a', statementMap: {}, s: { 0: 1 } } })],
    [
      'statements without their count',
      JSON.stringify({ a: { path: '/repo/a', statementMap: { 0: { start: { line: 1 } } }, s: { 1: 1 } } }),
    ],
  ])('does not read %s', (_, text) => {
    expect(parseIstanbul(anInput(text))).toMatchObject({ kind: 'invalid', why: containing('coverage') });
  });
});

describe('LCOV', () => {
  it('counts lines, of several records of one file together, by relative and absolute paths', () => {
    const text = [
      'TN:first',
      'SF:src/a.js',
      'FN:1,f',
      'BRDA:1,0,0,-',
      'DA:1,0',
      'DA:2,0,checksum',
      'LF:2',
      'LH:0',
      'end_of_record',
      'SF:/repo/src/a.js',
      'DA:1,3',
      'end_of_record',
      '',
    ].join('\r\n');

    expect(parsed(parseLcov, text)).toMatchObject({
      findings: [{ kind: 'coverage_gap', path: 'src/a.js', line: 2, message: '1 of 2 covered' }],
      coverage: { files: [{ path: 'src/a.js', covered: 1, total: 2, missingLines: [2] }] },
    });
  });

  it.each([
    ['a line of no shape', 'SF:a.js\nhello\nend_of_record\n', 'line 2'],
    ['a count of no line', 'SF:a.js\nDA:0,1\nend_of_record\n', 'line 2'],
    ['a count that is none', 'SF:a.js\nDA:1,=====\nend_of_record\n', 'line 2'],
    ['a report that was cut', 'SF:a.js\nDA:1,1\n', 'does not end'],
    ['a record in another', 'SF:a.js\nSF:b.js\nend_of_record\n', 'line 2'],
    ['a report without a record', 'TN:\n', 'no record'],
    ['JSON', '{}', 'line 1'],
  ])('C2: does not read %s, which its library would', (_, text, why) => {
    expect(parseLcov(anInput(text))).toMatchObject({ kind: 'invalid', why: containing(why) });
  });

  it('leaves out files outside of the root', () => {
    expect(parsed(parseLcov, 'SF:../a.js\nDA:1,0\nend_of_record\n').coverage).toEqual({ files: [] });
  });
});

describe('coverage by Vitest', () => {
  it('C21: tells a threshold as a finding of its own, and not as a failure of the tool', () => {
    const recording = readRecording('vitest-coverage', 'threshold');

    expect(recording.exit.exitCode).toBe(1);
    expect(replay(vitestCoverage, recording)).toMatchObject({
      findings: [{ kind: 'coverage_threshold', path: null }, { kind: 'coverage_gap' }],
      partial: null,
      toolFailure: null,
    });
  });

  it('is partial where tests failed, and then says nothing of thresholds', () => {
    const recording = readRecording('vitest-coverage', 'failing-tests');

    expect(replay(vitestCoverage, recording)).toMatchObject({
      findings: [{ kind: 'coverage_gap' }],
      partial: 'tests failed',
    });
  });

  it('is partial where nobody knows how the tests ended', () => {
    expect(parsed(vitestCoverage.parse, istanbul({}), { exitCode: 1 })).toMatchObject({
      findings: [],
      partial: 'there is no report of its tests',
    });
  });
});

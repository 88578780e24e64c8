import type { Parser } from '../../src/core/model/engine.ts';
import { parseJunit } from '../../src/engines/generic/parse-junit.ts';
import { createSarifParser } from '../../src/engines/generic/parse-sarif.ts';
import { eslint } from '../../src/engines/node/eslint.ts';
import { pyright } from '../../src/engines/node/pyright.ts';
import { mypy } from '../../src/engines/python/mypy.ts';
import type { Metric, OpenRow, Row, RowContext, Turn } from '../row.ts';
import { spin } from '../spin.ts';

const MEGABYTE = 1_000_000;
const ROOT = '/work/repository';

/**
 * A report format: our parser, the peer that reads the same text, and a generator for a text with that many findings.
 */
interface Format {
  readonly name: string;
  readonly parse: Parser;
  readonly peer: string;
  readonly readByPeer: (text: string) => unknown;
  readonly target: number;
  readonly toText: (findings: number) => string;
}

const JSON_PEER = { peer: 'JSON.parse', readByPeer: (text: string): unknown => JSON.parse(text), target: 0.1 } as const;
const LINES_PEER = { peer: 'a search in each line', readByPeer: countErrorLines } as const;

const FORMATS: readonly Format[] = [
  { name: 'eslint', parse: eslint.parse, ...JSON_PEER, toText: toEslint },
  { name: 'pyright', parse: pyright.parse, ...JSON_PEER, toText: toPyright },
  { name: 'SARIF', parse: createSarifParser('lint'), ...JSON_PEER, toText: toSarif },
  { name: 'mypy', parse: mypy.parse, ...LINES_PEER, target: 0.01, toText: toMypy },
  { name: 'JUnit', parse: parseJunit, ...LINES_PEER, target: 0.005, toText: toJunit },
];

/** The equivalent of `grep`. */
function countErrorLines(text: string): number {
  return text.split('\n').filter((line) => /: error: |<failure /u.test(line)).length;
}

/**
 * Row 18: parsing tool reports into findings, in megabytes per second, against the simplest way to read the same bytes.
 */
export const reportParsing: Row = {
  number: 18,
  name: 'report parsing',
  metrics: FORMATS.map(
    ({ name, peer, target }): Metric => ({
      ...{ kind: 'rate', name: `${name}, MB/s`, ours: `${name}-ours`, target },
      peer: { side: `${name}-peer`, name: peer },
    }),
  ),
  open: openRow,
};

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const findings = quick ? 50 : 5_000;
  const forMs = quick ? 20 : 400;
  const reports = FORMATS.map((format) => {
    const text = format.toText(findings);
    assertAllRead(format, text, findings);
    return { ...format, text };
  });
  return {
    notes: [
      `${findings} findings in each text, ten a file; ${reports.map(({ name, text }) => `${name} ${toMegabytes(text).toFixed(2)} MB`).join(', ')}`,
      'ours ends with findings: paths below the root, severities, places',
    ],
    takeTurn: async (index): Promise<Turn> =>
      Object.fromEntries(reports.flatMap((report) => takeReport(report, { forMs, isPeerFirst: index % 2 === 1 }))),
    explain: async () => [],
    close: async () => undefined,
  };
}

function takeReport(
  { name, parse, readByPeer, text }: Format & { readonly text: string },
  { forMs, isPeerFirst }: { readonly forMs: number; readonly isPeerFirst: boolean },
): readonly (readonly [string, Turn[string]])[] {
  const sides: readonly (readonly [string, () => unknown])[] = [
    [`${name}-ours`, () => read(parse, text)],
    [`${name}-peer`, () => readByPeer(text)],
  ];
  const options = { forMs, batch: 1, size: toMegabytes(text) };
  return (isPeerFirst ? sides.toReversed() : sides).map(([side, work]) => [side, spin(work, options)] as const);
}

function read(parse: Parser, text: string): ReturnType<Parser> {
  return parse({
    ...{ text, reports: {}, stderr: '', root: ROOT, cwd: '.', exitCode: 1, earlierExitCodes: [], version: null },
  });
}

/** A parser that rejects the text would look fast. */
function assertAllRead({ name, parse }: Format, text: string, findings: number): void {
  const payload = read(parse, text);
  const count = payload.kind === 'parsed' ? payload.findings.length : 0;
  if (count !== findings) throw new TypeError(`${name}: ${count} of ${findings} findings were read (${payload.kind})`);
}

function toMegabytes(text: string): number {
  return Buffer.byteLength(text) / MEGABYTE;
}

function toFile(index: number): string {
  return `src/part-${Math.floor(index / 100)}/file-${Math.floor(index / 10)}`;
}

function range<Item>(count: number, toItem: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => toItem(index));
}

function toEslint(findings: number): string {
  return JSON.stringify(
    range(Math.ceil(findings / 10), (file) => ({
      filePath: `${ROOT}/${toFile(file * 10)}.ts`,
      messages: range(10, (index) => ({
        ...{ ruleId: 'no-unused-vars', severity: 2, message: `'value${index}' is assigned a value but never used.` },
        ...{ line: index + 1, column: 7, messageId: 'unusedVar', endLine: index + 1, endColumn: 13 },
      })),
      ...{ suppressedMessages: [], errorCount: 10, fatalErrorCount: 0, warningCount: 0, fixableErrorCount: 0 },
      ...{ fixableWarningCount: 0, usedDeprecatedRules: [] },
    })),
  );
}

function toPyright(findings: number): string {
  return JSON.stringify({
    ...{ version: '1.1.414', time: '1700000000000' },
    generalDiagnostics: range(findings, (index) => ({
      ...{ file: `${ROOT}/${toFile(index)}.py`, severity: 'error', rule: 'reportArgumentType' },
      message: `Argument of type "Literal['${index}']" cannot be assigned to parameter "count" of type "int"`,
      range: { start: { line: index, character: 4 }, end: { line: index, character: 9 } },
    })),
    summary: { filesAnalyzed: findings, errorCount: findings, warningCount: 0, informationCount: 0, timeInSec: 1.5 },
  });
}

function toSarif(findings: number): string {
  const results = range(findings, (index) => ({
    ...{ ruleId: 'js/unused-local-variable', level: 'warning', message: { text: `Unused variable value${index}.` } },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `${toFile(index)}.ts`, uriBaseId: '%SRCROOT%' },
          region: { startLine: index + 1, startColumn: 7, endLine: index + 1, endColumn: 13 },
        },
      },
    ],
  }));
  const driver = { name: 'CodeQL', rules: [{ id: 'js/unused-local-variable' }] };
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver }, results }] });
}

function toMypy(findings: number): string {
  return range(
    findings,
    (index) =>
      `${toFile(index)}.py:${index + 1}:5:${index + 1}:9: error: Argument 1 to "take" has incompatible type "str"; expected "int"  [arg-type]\n`,
  ).join('');
}

function toJunit(findings: number): string {
  const cases = range(
    findings,
    (index) =>
      `<testcase classname="tests.${toFile(index).replaceAll('/', '.')}" name="test_${index}" file="${toFile(index)}.py" line="${index}" time="0.01">` +
      `<failure message="assert ${index} == 0">def test_${index}():\n&gt;   assert ${index} == 0\nE   assert ${index} == 0\n\n${toFile(index)}.py:${index + 1}: AssertionError</failure></testcase>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="${findings}" skipped="0" tests="${findings}" time="1.0">${cases.join('\n')}</testsuite></testsuites>`;
}

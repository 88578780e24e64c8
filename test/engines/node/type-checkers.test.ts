import { describe, expect, it } from 'vitest';
import { selectExitCodes } from '../../../src/core/engines/exit-codes.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import { pyright } from '../../../src/engines/node/pyright.ts';
import { tsc } from '../../../src/engines/node/tsc.ts';
import { anInput, parsed } from '../generic/parse-input.ts';
import { judge, readRecording, replay } from '../support/recording.ts';
import { absolute, containing } from './support.ts';

const LISTED = absolute('src/a.ts');

describe('tsc', () => {
  it('does not lose an error that names no file', () => {
    const text = `error TS2318: Cannot find global type 'Array'.\n${LISTED}\n`;

    expect(parsed(tsc.parse, text)).toMatchObject({
      findings: [{ rule: 'TS2318', path: null, line: null, message: "Cannot find global type 'Array'." }],
      toolFailure: null,
      partial: containing('whole program'),
    });
  });

  it.each(['TS5023', 'TS5058', 'TS6053', 'TS18003'])('has failed with %s that names no file', (code) => {
    expect(parsed(tsc.parse, `error ${code}: It cannot.\n`)).toMatchObject({
      findings: [],
      toolFailure: `${code}: It cannot.`,
      partial: containing('configuration'),
    });
  });

  it.each(['TS4999', 'TS7000', 'TS18004'])('has a finding with %s that names no file', (code) => {
    expect(parsed(tsc.parse, `error ${code}: It is wrong.\n`)).toMatchObject({
      findings: [{ rule: code }],
      toolFailure: null,
    });
  });

  it.each(['TS5097', 'TS6053', 'TS6133', 'TS6192', 'TS6307'])('is whole with %s in a source file (E3)', (code) => {
    expect(parsed(tsc.parse, `src/a.ts(1,9): error ${code}: It is wrong.\n${LISTED}\n`)).toMatchObject({
      findings: [{ kind: 'type', rule: code, path: 'src/a.ts', line: 1 }],
      toolFailure: null,
      partial: null,
    });
  });

  it.each(['TS5023', 'TS5069', 'TS6046', 'TS1005'])('is partial with %s in its configuration (E3)', (code) => {
    const text = `tsconfig.json(3,5): error ${code}: Unknown.\nsrc/a.ts(1,9): error TS6133: It is unused.\n${LISTED}\n`;

    expect(parsed(tsc.parse, text)).toMatchObject({
      findings: [{ rule: 'TS6133' }, { rule: code }],
      partial: containing('configuration'),
    });
  });

  it('is partial where an error of syntax hides all types', () => {
    const text = `src/b.ts(1,7): error TS1134: Variable declaration expected.\n${LISTED}\n`;

    expect(parsed(tsc.parse, text)).toMatchObject({
      findings: [{ kind: 'parse_error', severity: 'blocker', path: 'src/b.ts', line: 1, column: 7 }],
      partial: containing('syntax'),
    });
  });

  it('is whole where an error of types came through beside one of the same range of codes', () => {
    const text = [
      'src/a.ts(1,8): error TS1192: Module has no default export.',
      'src/a.ts(2,14): error TS2322: It is not assignable.',
      LISTED,
    ].join('\n');

    expect(parsed(tsc.parse, text)).toMatchObject({ findings: [{ kind: 'type' }, { kind: 'type' }], partial: null });
  });

  it('puts the lines that go on with a message into it', () => {
    const text = `src/a.ts(6,6): error TS2345: Argument.\r\n  The types.\r\n    Type 'number'.\r\n${LISTED}\r\n`;

    expect(parsed(tsc.parse, text).findings).toMatchObject([
      { message: "Argument.\n  The types.\n    Type 'number'." },
    ]);
  });

  it('takes the place of a file whose name looks like one', () => {
    const text = `src/a(1,2).ts(3,4): error TS2322: See b.ts(5,6): error TS1: it.\n${LISTED}\n`;

    expect(parsed(tsc.parse, text).findings).toMatchObject([{ path: 'src/a(1,2).ts', line: 3, column: 4 }]);
  });

  it.each([
    ['a crash', 'node:internal/modules/cjs/loader:1', 1],
    ['a line that goes on with nothing', '  Type', 1],
    ['a line after a finding', `src/a.ts(1,1): error TS2322: No.\nFound 1 error.`, 2],
  ])('C2: does not read %s', (_, text, line) => {
    expect(tsc.parse(anInput(text))).toMatchObject({
      kind: 'invalid',
      why: containing(`line ${String(line)} `),
    });
  });

  it('is partial where it looked at no file of the repository', () => {
    const listed = ['/usr/lib/lib.d.ts', absolute('node_modules/typescript/lib/lib.d.ts')].join('\n');

    expect(parsed(tsc.parse, listed).partial).toContain('no file of the repository');
    expect(parsed(tsc.parse, `${listed}\n${LISTED}\n`)).toMatchObject({ findings: [], partial: null });
  });

  it.each(['tsc', 'typescript-5'])(
    'C4: does not take nothing at all for clean: a solution checks no file (%s)',
    (tool) => {
      const recording = readRecording(tool, 'solution');

      expect(recording).toMatchObject({ stdout: '', exit: { exitCode: 0 } });
      expect(judge(tsc, recording, replay(tsc, recording))).toEqual({
        category: 'success',
        error: 'NO_OUTPUT',
        complete: false,
      });
    },
  );

  it.each([
    ['5.9.3', [1, 2], false],
    ['6.0.3', [1, 2], false],
    ['7.0.2', [1], true],
    [null, [1, 2], false],
  ])('knows the exit codes of version %s', (version, diagnostic, isTwoFailure) => {
    const codes = selectExitCodes(tsc, version, DEFAULT_ENGINE_SETTINGS);

    expect(codes.diagnostic).toEqual(diagnostic);
    expect(codes.toolFailure.includes(2)).toBe(isTwoFailure);
  });
});

describe('pyright', () => {
  const report = (diagnostic: object, filesAnalyzed = 1): string =>
    JSON.stringify({ version: '1.1.414', generalDiagnostics: [diagnostic], summary: { filesAnalyzed } });
  const range = { start: { line: 0, character: 0 }, end: { line: 2, character: 3 } };
  const error = { file: absolute('a.py'), severity: 'error', message: 'no', range, rule: 'reportCallIssue' };

  it('counts lines and columns from 1, as everybody but it does', () => {
    expect(parsed(pyright.parse, report(error)).findings).toMatchObject([
      { path: 'a.py', line: 1, column: 1, endLine: 3 },
    ]);
  });

  it.each([
    ['error', 'high'],
    ['warning', 'medium'],
    ['information', 'low'],
  ])('C14: keeps its word %s beside ours', (native, severity) => {
    expect(parsed(pyright.parse, report({ ...error, severity: native })).findings).toMatchObject([
      { native, severity },
    ]);
  });

  it('is partial where it analyzed no file', () => {
    expect(parsed(pyright.parse, report(error, 0)).partial).toContain('no file');
  });

  it('has failed where it says that it went on without the configuration, whatever it ended with', () => {
    const stderr = 'Config file "/repo/pyrightconfig.json" could not be parsed. Verify that format is correct.\n';

    expect(parsed(pyright.parse, report(error), { stderr, exitCode: 1 })).toMatchObject({
      findings: [{ rule: 'reportCallIssue' }],
      toolFailure: 'Config file "pyrightconfig.json" could not be parsed. Verify that format is correct.',
    });
  });

  it.each([
    ['a report without its summary', '{"generalDiagnostics":[]}'],
    ['a negative line', report({ ...error, range: { ...range, start: { line: -1, character: 0 } } })],
  ])('does not read %s', (_, text) => {
    expect(pyright.parse(anInput(text))).toMatchObject({ kind: 'invalid' });
  });
});

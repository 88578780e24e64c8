import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { biome } from '../../../src/engines/node/biome.ts';
import { eslint } from '../../../src/engines/node/eslint.ts';
import { oxlint } from '../../../src/engines/node/oxlint.ts';
import { stylelint } from '../../../src/engines/node/stylelint.ts';
import { NO_FILE_SEEN } from '../../../src/engines/parse/to-finding.ts';
import { anInput, parsed } from '../generic/parse-input.ts';
import { judge, readRecording, replay } from '../support/recording.ts';
import { absolute, containing } from './support.ts';

const IGNORED = 'File ignored because of a matching ignore pattern. Use "--no-ignore" to disable file ignore settings.';

function eslintReport(message: object, suppressedMessages: readonly object[] = []): string {
  return JSON.stringify([{ filePath: absolute('src/a.js'), messages: [message], suppressedMessages }]);
}

describe('ESLint', () => {
  it('does not take its word that a file is ignored for a finding', () => {
    const text = eslintReport({ ruleId: null, fatal: false, severity: 1, message: IGNORED });

    expect(parsed(eslint.parse, text)).toMatchObject({ findings: [], partial: NO_FILE_SEEN });
  });

  it('has looked at something where a file beside the ignored one has nothing to say', () => {
    const [ignored] = z
      .array(z.unknown())
      .parse(JSON.parse(eslintReport({ ruleId: null, severity: 1, message: IGNORED })));
    const text = JSON.stringify([ignored, { filePath: absolute('src/b.js'), messages: [] }]);

    expect(parsed(eslint.parse, text)).toMatchObject({ findings: [], partial: null });
  });

  it('keeps what has no rule but a line: a directive that disables nothing', () => {
    const message = 'Unused eslint-disable directive';
    const text = eslintReport({ ruleId: null, severity: 1, message, line: 3, column: 1 });

    expect(parsed(eslint.parse, text).findings).toMatchObject([{ rule: null, message, line: 3, kind: 'lint' }]);
  });

  it('does not count what a comment suppresses', () => {
    const { findings } = parsed(
      eslint.parse,
      JSON.stringify([
        {
          filePath: absolute('src/a.js'),
          messages: [],
          suppressedMessages: [{ ruleId: 'no-undef', severity: 2, message: 'suppressed', line: 1, column: 1 }],
        },
      ]),
    );

    expect(findings).toEqual([]);
  });

  it.each([
    [2, 'error', 'high'],
    [1, 'warning', 'medium'],
  ])('C14: keeps its word for the severity %s beside ours', (severity, native, ours) => {
    const text = eslintReport({ ruleId: 'no-undef', severity, message: 'no', line: 1, column: 1 });

    expect(parsed(eslint.parse, text).findings).toMatchObject([{ native, severity: ours }]);
  });

  it('is partial where a file did not parse, with a blocker for it', () => {
    const text = eslintReport({ ruleId: null, fatal: true, severity: 2, message: 'Parsing error', line: 1, column: 7 });

    expect(parsed(eslint.parse, text)).toMatchObject({
      findings: [{ kind: 'parse_error', severity: 'blocker', native: 'error', rule: null }],
      partial: containing('could not parse'),
    });
  });

  it('has no place for a file outside of the root', () => {
    const text = JSON.stringify([
      { filePath: '/elsewhere/a.js', messages: [{ ruleId: 'x', severity: 2, message: 'no', line: 1, column: 1 }] },
    ]);

    expect(parsed(eslint.parse, text).findings).toMatchObject([{ path: null, rule: 'x' }]);
  });

  it.each([
    ['an object', '{}'],
    ['no JSON', 'Oops! Something went wrong!'],
    ['a message without text', eslintReport({ ruleId: 'x', severity: 2 })],
    ['a severity that it does not have', eslintReport({ ruleId: 'x', severity: 3, message: 'no' })],
  ])('does not read %s as a report', (_, text) => {
    expect(eslint.parse(anInput(text))).toMatchObject({
      kind: 'invalid',
      why: containing("ESLint's report: "),
    });
  });
});

describe('Biome', () => {
  const report = (diagnostics: readonly object[], summary: object = {}): string =>
    JSON.stringify({ summary, diagnostics, command: 'ci' });

  it('does not take a file that it could not read for a finding', () => {
    const cantRead = {
      severity: 'error',
      message: 'Cannot read file.',
      category: 'fs/cantRead',
      location: { path: 'gone.js', start: { line: 0, column: 0 }, end: { line: 0, column: 0 } },
    };

    expect(parsed(biome.parse, report([cantRead]))).toMatchObject({
      findings: [],
      toolFailure: 'Cannot read file. gone.js',
    });
  });

  it('has no line where it names line 0', () => {
    const format = {
      severity: 'error',
      message: 'File content differs from formatting output',
      category: 'format',
      location: { path: 'a.js', start: { line: 0, column: 0 }, end: { line: 0, column: 0 } },
    };

    expect(parsed(biome.parse, report([format])).findings).toMatchObject([
      { kind: 'format', path: 'a.js', line: null, column: null, endLine: null },
    ]);
  });

  it('is partial where it did not print everything', () => {
    expect(parsed(biome.parse, report([], { diagnosticsNotPrinted: 3 })).partial).toContain('3 of its findings');
  });

  it('does not read a report without its diagnostics', () => {
    expect(biome.parse(anInput('{"summary":{}}'))).toMatchObject({ kind: 'invalid' });
  });
});

describe('oxlint', () => {
  it('does not read a text before the report as a report', () => {
    const text = 'No files found to lint. Please check your paths and ignore patterns.\n{"diagnostics":[]}';

    expect(oxlint.parse(anInput(text))).toMatchObject({ kind: 'invalid' });
  });

  it('keeps a finding that names no place', () => {
    const text = JSON.stringify({ diagnostics: [{ message: 'm', code: 'c', severity: 'warning', labels: [] }] });

    expect(parsed(oxlint.parse, text).findings).toMatchObject([
      { path: null, line: null, rule: 'c', severity: 'medium' },
    ]);
  });
});

describe('stylelint', () => {
  it('C3: takes nothing from stderr, where it writes its findings, too', () => {
    const recording = readRecording('stylelint-16', 'findings');
    const withoutReport = { ...recording, reports: { 'stylelint.json': null } };

    expect(JSON.parse(recording.stderr)).toHaveLength(1);
    expect(replay(stylelint, recording)).toMatchObject({ kind: 'parsed', findings: [{}, {}] });
    expect(replay(stylelint, withoutReport)).toEqual({ kind: 'missing' });
  });

  it('has failed where a rule was given an option that it does not have', () => {
    const recording = readRecording('stylelint', 'wrong-option');

    expect(judge(stylelint, recording, replay(stylelint, recording))).toMatchObject({ error: 'TOOL_FAILURE_EXIT' });
  });

  it.each([
    ['all of them', [{ ignored: true }, { ignored: true }], NO_FILE_SEEN],
    ['one of two', [{ ignored: true }, {}], null],
    ['none', [{ ignored: false }], null],
  ] as const)('has looked at files but for those that its configuration ignores: %s (E2)', (_what, sheets, partial) => {
    const report = sheets.map((sheet) => ({ source: absolute('a.css'), warnings: [], ...sheet }));

    expect(parsed(stylelint.parse, JSON.stringify(report))).toMatchObject({ findings: [], partial });
  });

  it('does not read an object as a report', () => {
    expect(stylelint.parse(anInput('{}'))).toMatchObject({ kind: 'invalid' });
  });
});

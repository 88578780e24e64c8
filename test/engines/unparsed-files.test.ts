import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/engines/catalogue.ts';
import {
  MAX_FINDINGS,
  TOO_MANY_FINDINGS,
  toBoundedPayload,
  toFinding,
  toUnparsed,
} from '../../src/engines/parse/to-finding.ts';
import { anInput, parsed } from './generic/parse-input.ts';

const ROOT = anInput('').root;

/** What each tool that checks file by file writes if `bad.x` cannot be parsed. */
const OUTPUTS: Readonly<Record<string, string>> = {
  eslint: JSON.stringify([
    { filePath: `${ROOT}/bad.x`, messages: [{ ruleId: null, fatal: true, severity: 2, message: 'no', line: 1 }] },
    { filePath: `${ROOT}/good.x`, messages: [] },
  ]),
  biome: JSON.stringify({
    summary: {},
    diagnostics: [{ severity: 'error', message: 'no', category: 'parse', location: { path: 'bad.x' } }],
  }),
  oxlint: JSON.stringify({ diagnostics: [{ message: 'no', severity: 'error', filename: 'bad.x', labels: [] }] }),
  stylelint: JSON.stringify([
    { source: `${ROOT}/bad.x`, warnings: [{ line: 1, rule: 'CssSyntaxError', severity: 'error', text: 'no' }] },
  ]),
  ruff: JSON.stringify([{ code: 'invalid-syntax', message: 'no', filename: `${ROOT}/bad.x` }]),
  flake8: 'bad.x:1:1: E999 SyntaxError: no\n',
  pylint: JSON.stringify([{ type: 'error', module: 'bad', path: 'bad.x', symbol: 'syntax-error', message: 'no' }]),
  shellcheck: JSON.stringify({
    comments: [{ file: 'bad.x', line: 1, column: 1, level: 'error', code: 1072, message: 'no' }],
  }),
};

describe('a file that cannot be parsed', () => {
  it.each(Object.entries(OUTPUTS))('is all that %s has not checked (E12)', (id, text) => {
    const spec = CATALOGUE.find((one) => one.id === id);
    if (spec === undefined) throw new Error(`no engine ${id}`);

    const { findings, partial, unparsed } = parsed(spec.parse, text);

    expect(findings).toMatchObject([{ kind: 'parse_error', path: 'bad.x' }]);
    expect(partial).not.toBeNull();
    expect(unparsed).toEqual(['bad.x']);
  });

  it('leaves all in doubt if its name is not known', () => {
    const findings = ['a.x', null].map((path) =>
      toFinding({ kind: 'parse_error', severity: 'blocker', message: 'no', path }),
    );

    expect(toUnparsed(findings, () => 'why')).toEqual({ partial: 'why' });
    expect(toUnparsed(findings.slice(0, 1), () => 'why')).toEqual({ partial: 'why', unparsed: ['a.x'] });
    expect(toUnparsed([], () => 'why')).toEqual({ partial: null });
  });

  it('is not the only doubt if findings were left out, too', () => {
    const finding = toFinding({ kind: 'lint', severity: 'low', message: 'no', path: 'a.x' });
    const findings = Array<typeof finding>(MAX_FINDINGS + 1).fill(finding);

    const payload = toBoundedPayload({ findings, partial: 'a.x could not be parsed', unparsed: ['a.x'] });

    expect(payload).not.toHaveProperty('unparsed');
    expect(payload).toMatchObject({ partial: TOO_MANY_FINDINGS });
  });
});

describe('a linter that looked at no file', () => {
  it.each([
    ['eslint', '[]', ''],
    ['stylelint', '[]', ''],
    ['oxlint', '{"diagnostics":[],"number_of_files":0}', ''],
    ['biome', '{"summary":{"changed":0,"unchanged":0},"diagnostics":[]}', ''],
    [
      'eslint',
      JSON.stringify([{ filePath: '/a.js', messages: [{ severity: 1, message: 'File ignored by default.' }] }]),
      '',
    ],
    ['flake8', '0.1        seconds elapsed\n0          total files processed\n0\n', ''],
    ['ruff', '[]', 'warning: No Python files found under the given path(s)\n'],
    ['tombi', 'No files linted\n', ''],
  ])('has not shown that all is well: %s', (id, text, stderr) => {
    const spec = CATALOGUE.find((one) => one.id === id);
    if (spec === undefined) throw new Error(`no engine ${id}`);

    expect(parsed(spec.parse, text, { stderr }).partial).toBe('it looked at no file');
  });

  it.each([
    ['oxlint', '{"diagnostics":[],"number_of_files":1}'],
    ['oxlint', '{"diagnostics":[]}'],
    ['biome', '{"summary":{"changed":0,"unchanged":2},"diagnostics":[]}'],
    ['biome', '{"summary":{},"diagnostics":[]}'],
    ['ruff', '[]'],
    ['flake8', '0.1        seconds elapsed\n1          total files processed\n0\n'],
  ])('is not taken for one that looked: %s', (id, text) => {
    const spec = CATALOGUE.find((one) => one.id === id);
    if (spec === undefined) throw new Error(`no engine ${id}`);

    expect(parsed(spec.parse, text).partial).toBeNull();
  });
});

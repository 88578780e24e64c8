import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePolicyFile } from '../../../src/config/policy-file.ts';
import { CATALOGUE } from '../../../src/engines/catalogue.ts';
import { createJsonlParser } from '../../../src/engines/generic/parse-jsonl.ts';
import { parseJunit } from '../../../src/engines/generic/parse-junit.ts';
import { createMatcherParser } from '../../../src/engines/generic/parse-matcher.ts';
import { createSarifParser } from '../../../src/engines/generic/parse-sarif.ts';
import { parsed } from './parse-input.ts';

const manual = readFileSync(new URL('../../../docs/engines.md', import.meta.url), 'utf8');

function findExamples(info: string): readonly string[] {
  return [...manual.matchAll(/^```(.*)\n([\s\S]*?)^```$/gmu)].flatMap(([, found, text]) =>
    found === info && text !== undefined ? [text] : [],
  );
}

describe('the manual of engines', () => {
  it('names every tool of the catalogue', () => {
    const missing = CATALOGUE.filter(({ id }) => !manual.includes(`\`${id}\``)).map(({ id }) => id);

    expect(missing).toEqual([]);
  });

  it('shows settings that a policy file may have', () => {
    const [both = '', ...examples] = findExamples('text');
    const all = [...both.trim().split('\n'), ...examples];

    expect(all.map((text) => parsePolicyFile(text).kind)).toEqual(all.map(() => 'ok'));
  });

  it('000.R43: says that the modes differ in one thing only, and that runs are saved for each engine by itself', () => {
    expect(manual).toMatch(/one difference[\s\S]*CURRENT takes the paths[\s\S]*TARGET never does/u);
    expect(manual).toContain('for each engine by itself');
  });

  it('shows a finding in each of the generic formats', () => {
    const [sarif = '', definition = ''] = findExamples('json');
    const matcher = createMatcherParser({ definition, kind: 'lint' });

    expect(parsed(createSarifParser('lint'), sarif).findings).toMatchObject([
      { path: 'src/a.c', line: 3, severity: 'medium' },
    ]);
    expect(parsed(matcher, 'src/a.c:3: no').findings).toMatchObject([{ path: 'src/a.c', line: 3, severity: 'medium' }]);
    expect(parsed(createJsonlParser('lint'), findExamples('jsonl').join('')).findings).toMatchObject([
      { path: 'src/a.c', line: 3, column: 5, severity: 'high', rule: 'L001' },
    ]);
    expect(parsed(parseJunit, findExamples('xml').join('')).findings).toMatchObject([
      { testId: 'math::adds', path: 't/math.t', line: 3, message: '1 is not 2' },
    ]);
  });
});

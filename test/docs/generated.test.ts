import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GENERATED } from '../../scripts/docs/generated.ts';
import { putParts } from '../../scripts/docs/put-parts.ts';
import { GUARDS } from '../../src/core/decide/determine-fixup-action.ts';
import { LAUNCH_HOLDS } from '../../src/core/decide/holds.ts';
import { DECISION_CODES } from '../../src/core/model/decision.ts';

/** Without the padding of tables and the line breaks of JSON, which the formatter sets. */
function toPlain(path: string, text: string): string {
  if (path.endsWith('.json')) return JSON.stringify(JSON.parse(text));
  return text.replaceAll(/ {2,}/gu, ' ').replaceAll(/-{3,}/gu, '---');
}

describe('the generated parts of the documents', () => {
  it.each(GENERATED)('of $path are current, with each default of the policy (001.R59)', ({ path, render }) => {
    const text = readFileSync(path, 'utf8');

    expect(toPlain(path, text), 'docs are stale: npm run docs').toBe(
      toPlain(
        path,
        render(() => text),
      ),
    );
  });

  it('have every code of a decision', () => {
    const codes = [...GUARDS.flatMap((guard) => guard.codes), ...LAUNCH_HOLDS.map(({ code }) => code), 'ALL_GREEN'];

    expect(new Set(codes)).toEqual(new Set(DECISION_CODES));
  });

  it('are the same codes as the reference of explain has', () => {
    const [, section = ''] = readFileSync('docs/explain.md', 'utf8').split('### Codes, in the order');
    const named = Array.from(section.matchAll(/^\| `([A-Z_]+)` /gmu), ([, code]) => code);

    expect(new Set(named)).toEqual(new Set(DECISION_CODES));
  });
});

describe('putParts', () => {
  const parts = { one: () => 'ONE', 'two words': () => 'TWO' };
  const text =
    'a\n\n<!-- one: npm run docs -->\n\nold\n\n<!-- end -->\n\nb\n\n<!-- two words: npm run docs -->\n\n<!-- end -->\n';

  it('renews what is between its marks, and nothing else', () => {
    const renewed = putParts(text, parts);

    expect(renewed).toBe(
      'a\n\n<!-- one: npm run docs -->\n\nONE\n\n<!-- end -->\n\nb\n\n<!-- two words: npm run docs -->\n\nTWO\n\n<!-- end -->\n',
    );
    expect(putParts(renewed, parts)).toBe(renewed);
  });

  it.each([
    ['no marks', 'has lost its marks'],
    [text.replace('<!-- end -->', ''), 'no whole part "one"'],
    [text.replace('one:', 'other:'), 'no whole part "other"'],
  ])('refuses a document whose marks are not whole: %j', (broken, problem) => {
    expect(() => putParts(broken, parts)).toThrow(problem);
  });
});

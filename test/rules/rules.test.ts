import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findCitations } from '../../scripts/rules/find-citations.ts';
import { parseRules, type Rule } from '../../scripts/rules/parse-rules.ts';
import { proveRules, readAllTitles, readCitingComments, toPlace, toState } from '../../scripts/rules/prove-rules.ts';
import { type Comment, readComments } from '../../scripts/rules/read-comments.ts';
import type { TestTitle } from '../../scripts/rules/read-test-titles.ts';

describe('the rules of this project', () => {
  const { rules, problems } = parseRules(readFileSync('docs/rules.md', 'utf8'));
  const report = proveRules(rules, readAllTitles(), readCitingComments());

  it('are lines that can be read, each number once', () => {
    expect(problems).toEqual([]);
  });

  it('are named by tests that run, and by no title and no comment that names what there is not', () => {
    expect(report.problems).toEqual([]);
  });

  it('have a test each, unless they are not built yet or not ours', () => {
    expect(report.missing.map(({ id }) => id)).toEqual([]);
  });

  it.each([
    ['CARD.R', 9],
    ['000.R', 44],
    ['001.R', 59],
    ['002.R', 35],
    ['003.R', 29],
    ['004.R', 36],
    ['trap ', 149],
  ])('has all of %s, in their order', (prefix, count) => {
    const ids = rules.map(({ id }) => id).filter((id) => id.startsWith(prefix));

    expect(ids).toEqual(Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1)}`));
  });

  it('are each said in words of their own', () => {
    expect(new Set(rules.map(({ text }) => text)).size).toBe(rules.length);
  });

  it('are all built but those of tasks and of plans', () => {
    const notBuilt = rules.filter(({ exemption }) => exemption?.kind === 'not built yet').map(({ id }) => id);

    expect(notBuilt.filter((id) => !/^00[14]\./.test(id))).toEqual([]);
  });
});

describe('findCitations', () => {
  it.each<[string, readonly string[]]>([
    ['ends at the limit (002.R8)', ['002.R8']],
    ['ends (002.R16 to R18, S8)', ['002.R16', '002.R17', '002.R18', 'S8']],
    ['ends (001.R34, 002.R5, R15 and R20)', ['001.R34', '002.R5', '002.R15', '002.R20']],
    ['is green (CARD.R1, R6 and R7)', ['CARD.R1', 'CARD.R6', 'CARD.R7']],
    ['waits (trap 7)', ['trap 7']],
    ['waits (traps 7, 8 and 10 to 12)', ['trap 7', 'trap 8', 'trap 10', 'trap 11', 'trap 12']],
    ['waits (trap 7, 2 times)', ['trap 7']],
    ['names T9, F13 and not FS1, and nothing twice: S9, S9', ['T9', 'F13', 'S9']],
    ['goes on (faults F36, F37; F1 to F3)', ['F36', 'F37', 'F1', 'F2', 'F3']],
    ['is apart (security decision 4)', ['security decision 4']],
    ['is read as it was stored (L19)', ['L19']],
    ['plans (000.R1 to R3, C5 and C14), not E902 or TC1', ['000.R1', '000.R2', '000.R3', 'C5', 'C14']],
    ['# noqa: F401, C0103, S101', []],
  ])('reads text %#', (text, ids) => {
    expect(findCitations(text).toSorted()).toEqual(ids.toSorted());
  });
});

describe('parseRules', () => {
  it('reads each line of a list, and what makes a test needless', () => {
    const text =
      '# Rules\n\nA text - with a dash.\n\n- **S1**: One.\n- **trap 2**: Two. _Not ours: `a_b` is not here._\n';

    expect(parseRules(`${text}- **001.R3**: Three. _Not built yet._\n`)).toEqual({
      rules: [
        { id: 'S1', text: 'One.', exemption: null },
        { id: 'trap 2', text: 'Two.', exemption: { kind: 'not ours', reason: '`a_b` is not here.' } },
        { id: '001.R3', text: 'Three.', exemption: { kind: 'not built yet' } },
      ],
      problems: [],
    });
  });

  it.each([
    ['another item of a list', '- a note', 'line 1 is not a rule: - a note'],
    ['another bullet', '* **S1**: One.', 'line 1 is not a rule: * **S1**: One.'],
    ['an unknown state', '- **S1**: One. _Not yet._', 'line 1 is not a rule: - **S1**: One. _Not yet._'],
    ['a reason that is missing', '- **S1**: One. _Not ours._', 'line 1 is not a rule: - **S1**: One. _Not ours._'],
    ['a number that comes twice', '- **S1**: One.\n- **S1**: Two.', 'S1 stands there 2 times'],
  ])('complains of %s', (_what, markdown, problem) => {
    expect(parseRules(markdown).problems).toEqual([problem]);
  });
});

describe('readComments', () => {
  it('finds every comment once, with its line', () => {
    const source = '/** Doc (S1). */\nexport const a = 1; // end\n\nfunction b(): void {\n  // alone\n}\n/* last */\n';

    expect(readComments('a.ts', source)).toEqual([
      { file: 'a.ts', line: 1, text: '/** Doc (S1). */' },
      { file: 'a.ts', line: 2, text: '// end' },
      { file: 'a.ts', line: 5, text: '// alone' },
      { file: 'a.ts', line: 7, text: '/* last */' },
    ]);
  });

  it('takes nothing in a string, a template or a regular expression for one', () => {
    expect(readComments('a.ts', 'const a = ["// S1", `// S1 ${1}//`, /\\/\\/ S1/];\n')).toEqual([]);
  });
});

describe('proveRules', () => {
  const RULES: readonly Rule[] = [
    { id: '002.R1', text: 'one loop', exemption: null },
    { id: 'S4', text: 'an end', exemption: null },
    { id: 'trap 2', text: 'no such thing', exemption: { kind: 'not ours', reason: 'it is not here' } },
    { id: '001.R3', text: 'later', exemption: { kind: 'not built yet' } },
  ];
  const aTitle = (title: string, runs: TestTitle['runs'] = 'always'): TestTitle => ({
    ...{ file: 'a.test.ts', line: 1, title, runs },
  });
  const aComment = (text: string): Comment => ({ file: 'a.ts', line: 3, text });

  it('takes what has a test, and what needs none, for proved', () => {
    const titles = [aTitle('x (002.R1)'), aTitle('y (S4)', 'conditional')];
    const { missing, problems, proofs } = proveRules(RULES, titles, [aComment('// see 001.R3')]);

    expect({ missing, problems }).toEqual({ missing: [], problems: [] });
    expect(proofs.map(({ tests }) => tests.map(toPlace))).toEqual([
      ['a.test.ts:1 x (002.R1)'],
      ['a.test.ts:1 y (S4)'],
      [],
      [],
    ]);
    expect(proofs.flatMap(({ exemption }) => (exemption === null ? [] : [toState(exemption)]))).toEqual([
      'not ours: it is not here',
      'not built yet',
    ]);
  });

  it.each([
    ['tools only', ['test/tools/a.test.ts'], 'always', 'only in the suite of the tools'],
    ['conditions only', ['a.test.ts', 'test/tools/a.test.ts'], 'conditional', 'only on some machines'],
    ['tools beside others', ['a.test.ts', 'test/tools/a.test.ts'], 'always', null],
    ['nothing', [], 'always', null],
  ] as const)('says what keeps `npm run test:all` from proving a rule: %s', (_what, files, runs, limit) => {
    const titles = files.map((file) => ({ ...aTitle('x (002.R1)', runs), file }));

    expect(proveRules(RULES, titles, []).proofs[0]?.limit).toBe(limit);
  });

  it('names what no test names, whatever comments say', () => {
    const { missing } = proveRules(RULES, [aTitle('x (S4)')], [aComment('// 002.R1')]);

    expect(missing.map(({ id }) => id)).toEqual(['002.R1']);
  });

  it.each([
    ['a test that never runs', aTitle('x (002.R1)', 'skipped'), 'a.test.ts:1 x (002.R1): never runs'],
    ['a rule that is not known', aTitle('x (002.R99)'), 'a.test.ts:1 x (002.R99): 002.R99 is not in docs/rules.md'],
    ['a rule that is not ours', aTitle('x (trap 2)'), 'trap 2 has a test, but docs/rules.md calls it not ours'],
    ['a rule that is not built', aTitle('x (001.R3)'), '001.R3 has a test, but docs/rules.md calls it not built yet'],
  ])('complains of %s', (_what, title, problem) => {
    const { missing, problems } = proveRules(RULES, [title], []);

    expect(problems).toEqual([problem]);
    expect(missing.map(({ id }) => id)).toContain('002.R1');
  });

  it('complains of a comment that cites what there is not', () => {
    expect(proveRules(RULES, [], [aComment('// as T99 says')]).problems).toEqual([
      'a.ts:3, a comment: T99 is not in docs/rules.md',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { readTestTitles } from '../../scripts/rules/read-test-titles.ts';

function titlesOf(source: string): readonly string[] {
  return readTestTitles('a.test.ts', source).map(({ title }) => title);
}

function runsOf(source: string): readonly string[] {
  return readTestTitles('a.test.ts', source).map(({ runs }) => runs);
}

describe('readTestTitles', () => {
  it.each<[string, string, readonly string[]]>([
    ['a test', `it('works', () => {})`, ['works']],
    ['a template', 'it(`works ${how} here`, () => {})', ['works … here']],
    [
      'groups',
      `describe('a', () => { describe('b', () => { it('c', () => {}); }); it('d', () => {}); })`,
      ['a b c', 'a d'],
    ],
    [
      'a group with options',
      `describe.concurrent('a', OPTIONS, () => { it('b', { timeout: 1 }, () => {}); })`,
      ['a b'],
    ],
    ['a condition', `it.runIf(isRoot)('works', () => {})`, ['works']],
    ['a table of rows', `it.each([['a', 1], ['b', 2]])('%s is %i', () => {})`, ['a is …', 'b is …']],
    ['a table of values', `it.each(['a', 'b'])('takes %s', () => {})`, ['takes a', 'takes b']],
    ['a table of objects', `it.each([{ what: 'a' }, { what: 'b' }])('takes $what', () => {})`, ['takes a', 'takes b']],
    ['a table of made rows', `it.each([aRow('a', 1), aRow('b')])('takes $what', () => {})`, ['takes a', 'takes b']],
    ['a table by name', `const T = [['a']] as const; it.each<string>(T)('takes %s', () => {})`, ['takes a']],
    ['a table of entries', `const T = { a: 1, 'b c': 2 }; it.each(Object.entries(T))('%s', () => {})`, ['a', 'b c']],
    ['a table from elsewhere', `it.each(makeRows())('takes %s', () => {})`, ['takes %s']],
    [
      'a group for each row',
      `describe.each(['a', 'b'])('on %s', () => { it('works', () => {}); })`,
      ['on a works', 'on b works'],
    ],
    ['tests inside a loop', `for (const x of y) { it('works', () => {}); }`, ['works']],
    ['no test in a call of another name', `exit('works'); unit.each([1])('x', () => {})`, []],
    ['no test in words', `// it('works')\nconst text = "it('works')";`, []],
  ])('reads %s', (_what, source, titles) => {
    expect(titlesOf(source)).toEqual(titles);
  });

  it.each([
    ['skip', `it.skip('a', () => {})`],
    ['todo', `it.todo('a')`],
    ['the group', `describe.skip('a', () => { it('b', () => {}); })`],
    ['skip of a table', `it.skip.each([['a']])('%s', () => {})`],
  ])('tells by %s that a test never runs', (_how, source) => {
    expect(runsOf(source)).toEqual(['skipped']);
  });

  it('tells which tests do not run everywhere, and where each stands', () => {
    const source = `\nit.skipIf(isMac)('a', () => {});\nit('b', () => {});`;

    expect(readTestTitles('a.test.ts', source)).toEqual([
      { file: 'a.test.ts', line: 2, title: 'a', runs: 'conditional' },
      { file: 'a.test.ts', line: 3, title: 'b', runs: 'always' },
    ]);
  });
});

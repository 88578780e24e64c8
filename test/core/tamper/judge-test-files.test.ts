import { expect, it } from 'vitest';
import { examineChange } from '../../../src/compose/compose-change.ts';

type Files = Readonly<Record<string, string | null>>;

function judge(before: Files, after: Files): readonly string[] {
  const { facts } = examineChange(before, after, { testChanges: 'judge', protectedPaths: [] });
  return facts.map(({ code, path, is }) => `${is} ${code} ${path}`);
}

const CASES = '[\n  { "in": 1, "out": 2 },\n  { "in": 2, "out": 4 }\n]\n';
const DATA = 'tests/cases.json';
const SOURCE = 'src/double.js';

it('holds a change that takes a file of data from the tests', () => {
  expect(judge({ [DATA]: CASES }, {})).toEqual([`held TEST_DELETED ${DATA}`]);
  expect(judge({ 'tests/login.robot': 'Log in\n  Open page\n' }, {})).toEqual(['held TEST_DELETED tests/login.robot']);
});

it('holds a change that takes cases from a file of data, and adds none', () => {
  const fewer = '[\n  { "in": 1, "out": 2 }\n]\n';

  expect(judge({ [DATA]: CASES }, { [DATA]: fewer })).toEqual([`held CASES_REMOVED ${DATA}`]);
});

it('lets data of tests grow, change, move, be formatted, and go with its feature', () => {
  expect(judge({ [DATA]: CASES }, { [DATA]: CASES.replace('4 }', '4 },\n  { "in": 3, "out": 6 }') })).toEqual([]);
  expect(judge({ [DATA]: CASES }, { [DATA]: CASES.replace('4', '5') })).toEqual([]);
  expect(judge({ [DATA]: CASES }, { 'tests/data/cases.json': CASES })).toEqual([]);
  expect(judge({ [DATA]: CASES }, { [DATA]: CASES.replaceAll('  {', '\t{') })).toEqual([]);
  expect(judge({ [DATA]: CASES, [SOURCE]: 'export function double(a) { return 2 * a; }' }, { [SOURCE]: '' })).toEqual(
    [],
  );
  expect(judge({ 'tests/empty.txt': '\n', 'docs/a.json': CASES }, {})).toEqual([]);
});

it('holds what could not be read, on whichever side', () => {
  expect(judge({ 'tests/a.png': null }, { 'tests/a.png': null })).toEqual(['held UNREADABLE tests/a.png']);
  expect(judge({}, { 'src/big.js': null })).toEqual(['held UNREADABLE src/big.js']);
  expect(judge({ 'tests/a.png': null }, {})).toEqual(['held UNREADABLE tests/a.png']);
});

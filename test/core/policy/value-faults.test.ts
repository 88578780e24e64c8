import { describe, expect, it } from 'vitest';
import {
  findBraceFault,
  findCheckNameFault,
  findLabelFault,
  findLoginFault,
  findNameGlobFault,
  findTextFault,
} from '../../../src/core/policy/value-faults.ts';

const BLANK = 'begins or ends with white space';
const QUOTED = 'has quotation marks that belong to the value';
const NO_LOGIN = 'is not a login';

type Finder = (text: string) => string | null;

describe.each<[string, Finder, readonly (readonly [text: string, fault: string | null])[]]>([
  [
    'a text',
    findTextFault,
    [
      ['test', null],
      ["it's", null],
      ['say "hi" to', null],
      [' test', `${BLANK}; write "test"`],
      ['test\t', `${BLANK}; write "test"`],
      [' ', BLANK],
      ['“test”', `${QUOTED}; write "test"`],
      ['„ test “', `${QUOTED}; write "test"`],
      ['«test»', `${QUOTED}; write "test"`],
      ['‘test’', `${QUOTED}; write "test"`],
      ['""', QUOTED],
      ['te\u200Bst ', 'holds characters that cannot be seen; write "test"'],
    ],
  ],
  [
    'the name of a check',
    findCheckNameFault,
    [
      ['ci / test (20)', null],
      ['does it build?', null],
      ['Ratchet', null],
      ['ratchet', 'is "Ratchet", and Ratchet\'s own check runs are left out'],
      ['RATCHET / CONFIG', 'is "Ratchet / config", and Ratchet\'s own check runs are left out'],
      ['test*', 'is a glob, and only exact names are taken here'],
      ['“test”', `${QUOTED}; write "test"`],
    ],
  ],
  [
    'a glob of check names',
    findNameGlobFault,
    [
      ['codecov/*', null],
      ['a ! b', null],
      ['$x', null],
      ['x^', null],
      ['{a,b}', null],
      ['{a,b', 'has a brace without its other half'],
      ['!lint', 'begins with `!`, and nothing can be taken out of a list; write "lint"'],
      ['^lint', 'is a regular expression, and globs are taken here; write "lint"'],
      ['lint.*$', 'is a regular expression, and globs are taken here; write "lint*"'],
      ['lint ', `${BLANK}; write "lint"`],
    ],
  ],
  [
    'a glob of logins',
    findLoginFault,
    [
      ['octo-cat', null],
      ['octo_corp', null],
      ['*[bot]', null],
      ['Renovate[Bot]', null],
      ['{a,b}', null],
      ['{a,b', 'has a brace without its other half'],
      ['@x', `${NO_LOGIN}; write "x"`],
      ['!@x', `${NO_LOGIN}; write "x"`],
      ['app/x', `${NO_LOGIN}; write "x"`],
      ['https://github.com/x', `${NO_LOGIN}; write "x"`],
      ['http://github.com/apps/x', `${NO_LOGIN}; write "x"`],
      ['x [bot', `${NO_LOGIN}; write "x[bot]"`],
      [' “x” ', `${NO_LOGIN}; write "x"`],
      ['x\u200B', `${NO_LOGIN}; write "x"`],
      ['a b', NO_LOGIN],
      ['', NO_LOGIN],
    ],
  ],
  [
    'braces',
    findBraceFault,
    [
      ['a{b,c}d', null],
      [String.raw`a\{b`, null],
      ['a}b', 'has a brace without its other half'],
    ],
  ],
])('what is wrong with %s (L15)', (_what, find, cases) => {
  it.each(cases)('%j: %s', (text, fault) => {
    expect(find(text)).toBe(fault);
  });
});

describe('findLabelFault', () => {
  it.each([
    [null, null, false],
    [null, 'ratchet', false],
    ['ratchet', null, false],
    ['ratchet', 'ratchet:hold', false],
    ['ratchet', 'Ratchet', true],
  ])('of %j and %j: %s', (enable, hold, isFault) => {
    expect(findLabelFault({ enable, hold })).toBe(
      isFault ? '"ratchet" is `labels.hold` too: one label cannot enable Ratchet and hold it' : null,
    );
  });
});

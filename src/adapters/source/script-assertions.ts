import type { SyntaxNode } from '@lezer/common';
import type { Collector } from './collector.ts';
import { addHelper, type Call } from './read-tree.ts';
import { groups, toFinite, unquote } from './texts.ts';
import { type AssertionParts, splitArguments, toRelation } from './to-assertion.ts';

type Style = (call: Call, facts: Collector) => void;

/** Styles of assertions by the name of the call. The first that fits wins. */
const STYLES: readonly (readonly [isOne: (name: string) => boolean, read: Style])[] = [
  [(name) => /^expect(?:\.(?:soft|poll))?$/u.test(name), readExpect],
  [isAssertName, (call, facts) => facts.addAssertion(call.node, toCallParts(call))],
  [(name) => /^(?:assert|expect|verify|check|ensure|should)[A-Z_]\w*$/u.test(name), addHelper],
  [(name) => /\.should(?:\.\w+)*$/u.test(name), (call, facts) => facts.addAssertion(call.node, toShouldParts(call))],
  [(name) => /[\w)]\.expect$/u.test(name), readRequest],
];

export function readAssertion(call: Call, facts: Collector): void {
  STYLES.find(([isOne]) => isOne(call.name))?.[1](call, facts);
}

/** `expect(f()).not.toBe(1)`. Without a matcher it asserts nothing. */
function readExpect({ node, first }: Call, facts: Collector): void {
  const { words, last } = toChain(node, facts.textOf);
  const matcher = words.at(-1);
  if (matcher === undefined) return;
  facts.addAssertion(node, {
    ...{ subject: first, isNegated: words.includes('not') },
    ...toMatcherParts(matcher, last === null ? [] : splitArguments(last)),
  });
}

function toMatcherParts(
  matcher: string,
  given: readonly string[],
): Pick<AssertionParts, 'relation' | 'expected' | 'tolerance'> {
  const fixed = FIXED_VALUES.get(matcher.toLowerCase());
  const isClose = /CloseTo|closeTo|approximately/u.test(matcher);
  const relation = fixed === undefined ? toRelation(matcher) : 'equal';
  if (!isClose) return { relation, expected: fixed ?? given.join(','), tolerance: null };
  const [expected = '', digits = '2'] = given;
  const limit = matcher.startsWith('toBe') ? 10 ** -Number(digits) / 2 : Number(digits);
  return { relation, expected, tolerance: toFinite(limit) };
}

const FIXED_VALUES: ReadonlyMap<string, string> = new Map([
  ['tobenull', 'null'],
  ['tobeundefined', 'undefined'],
  ['tobenan', 'NaN'],
  ['null', 'null'],
  ['undefined', 'undefined'],
]);

const METHOD =
  /\.(?:is|not|ok|notOk|equal|notEqual|deepEqual|same|notSame|truthy|falsy|true|false|throws\w*|regex|like|snapshot|pass|fail|strictSame|match)$|\.assert\.\w+$/u;

function isAssertName(name: string): boolean {
  if (!/^(?:assert|chai\.assert|t|tap|power)(?:\.\w+){0,2}$/u.test(name)) return false;
  return /^(?:chai\.)?assert(?:$|\.)/u.test(name) || METHOD.test(name);
}

function toCallParts({ name, given, first }: Call): AssertionParts {
  const method = name.split('.').at(-1) ?? '';
  if (method === 'pass') return { relation: 'truthy', subject: 'true' };
  const compared = method === 'assert' || method === 'ok' ? toCompared(first) : null;
  return compared ?? toMethodParts(method, given);
}

/** `assert(a === b)` is an equality. */
function toCompared(text: string): AssertionParts | null {
  const sides = groups(/^(?<left>[^=!<>&|?]+?)\s*(?<operator>[!=]==?)\s*(?<right>[^=!<>&|?]+)$/u, text);
  if (sides === null) return null;
  const { left = '', operator = '', right = '' } = sides;
  return { relation: 'equal', isNegated: operator.startsWith('!'), subject: left, expected: right };
}

function toMethodParts(method: string, [subject = '', second = '', third]: readonly string[]): AssertionParts {
  const relation = toRelation(method.replace(/^not(?=[A-Z])/u, ''));
  const takesTwo = !['truthy', 'falsy', 'defined'].includes(relation);
  return {
    ...{ relation, isNegated: /^not|^doesNot/u.test(method), subject, expected: takesTwo ? second : '' },
    tolerance: relation === 'close' ? toFinite(Number(third)) : null,
  };
}

/** `f().should.equal(1)` and `cy.get('a').should('equal', 1)`. */
function toShouldParts({ name, given, first }: Call): AssertionParts {
  const [subject = '', chain = ''] = name.split(/\.should\b/u);
  const isNegated = /\bnot\b/u.test(`${chain} ${first}`);
  if (chain === '')
    return { relation: toRelation(unquote(first)), isNegated, subject, expected: given.slice(1).join(',') };
  return { relation: toRelation(chain.split('.').at(-1) ?? ''), isNegated, subject, expected: given.join(',') };
}

/** `request(app).get('/').expect(200)`. */
function readRequest({ node, name, given }: Call, facts: Collector): void {
  if (given.length === 0) return;
  const subject = name.slice(0, -'.expect'.length).replace(/^[\s\S]*\n/u, '');
  facts.addAssertion(node, { relation: 'equal', subject, expected: given.join(','), readsConstants: false });
}

/** The names behind `expect(…)`, and the arguments of the last call. */
function toChain(
  node: SyntaxNode,
  textOf: (node: SyntaxNode) => string,
): { readonly words: readonly string[]; readonly last: string | null } {
  const words: string[] = [];
  let last: string | null = null;
  for (let at = node; at.parent !== null; at = at.parent) {
    const { parent } = at;
    if (parent.firstChild?.from !== at.from || parent.firstChild.to !== at.to) break;
    if (parent.name === 'MemberExpression') {
      const property = parent.lastChild;
      if (property !== null) words.push(textOf(property));
    } else if (parent.name === 'CallExpression') {
      const list = parent.getChild('ArgList');
      last = list === null ? '' : textOf(list).slice(1, -1);
    } else break;
  }
  return { words, last };
}

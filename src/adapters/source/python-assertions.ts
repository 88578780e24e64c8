import type { SyntaxNode } from '@lezer/common';
import type { Relation } from '../../core/model/source-facts.ts';
import type { Collector } from './collector.ts';
import { addHelper, type Call } from './read-tree.ts';
import { group, groups, toFinite } from './texts.ts';
import { type AssertionParts, splitArguments, toRelation } from './to-assertion.ts';

/** Styles of assertions that are calls, each by the method in the name of the call. The first that fits wins. */
const STYLES: readonly (readonly [name: RegExp, toParts: (method: string, call: Call) => AssertionParts])[] = [
  [/^(?:[\s\S]*\)|self|cls|case|tc|\w+)\.(?<method>assert[A-Z]\w+|fail)$/u, toUnittestParts],
  [
    /(?:^|[\w)\]])\.(?<method>assert_(?:called|awaited|any|not|has)\w*)$/u,
    (_method, { name, given }) => ({
      relation: 'called',
      subject: name,
      expected: given.join(','),
      readsConstants: false,
    }),
  ],
  [/^(?:np|numpy|pd|pandas|tm|torch)\.(?:testing\.)?(?<method>assert_\w+)$/u, toTestingParts],
  [
    /^(?<method>pytest\.(?:raises|warns|fail)$|self\.assertRaises)/u,
    (_method, { given }) => ({ relation: 'throws', subject: '', expected: given.join(',') }),
  ],
];

export function readAssertion(call: Call, facts: Collector): void {
  const isWith = call.node.parent?.name === 'WithStatement';
  for (const [pattern, toParts] of STYLES) {
    const method = group(pattern, call.name, 'method');
    // `with self.assertRaises(…)` is read by its name.
    if (method === undefined || (isWith && toParts === toUnittestParts)) continue;
    facts.addAssertion(call.node, toParts(method, call));
    return;
  }
  if (/^(?:_?assert|verify|check|expect)_\w+$/u.test(call.name)) addHelper(call, facts);
}

function toUnittestParts(method: string, { given }: Call): AssertionParts {
  const bare = method.replace(/^assert/u, '');
  const isNone = /^Is(?:Not)?None$/u.test(bare);
  const relation = isNone ? 'equal' : toRelation(bare.replace(/^(?:Is)?Not(?=[A-Z])/u, ''));
  // A member of a list is its second argument.
  const [left = '', right = ''] = /^(?:Not)?In$/u.test(bare) ? [given[1], given[0]] : given;
  return {
    ...{ relation, isNegated: /^(?:Is)?Not|^IsNotNone/u.test(bare), subject: left },
    expected: isNone ? 'None' : toExpected(relation, right),
    tolerance: relation === 'close' ? toDelta(given) : null,
  };
}

function toExpected(relation: Relation, given: string): string {
  return relation === 'truthy' || relation === 'falsy' ? '' : given;
}

function toDelta(given: readonly string[]): number | null {
  const all = given.join(',');
  const delta = group(/\bdelta\s*=\s*(?<value>[\d.e-]+)/u, all, 'value');
  if (delta !== undefined) return toFinite(Number(delta));
  const places = group(/\bplaces\s*=\s*(?<value>\d+)/u, all, 'value') ?? given[2];
  return toFinite(10 ** -Number(places ?? 7));
}

/** Of numpy, pandas and torch. */
function toTestingParts(method: string, { given, first }: Call): AssertionParts {
  const tolerance = group(/\b(?:rtol|atol|decimal)\s*=\s*(?<value>[\d.e-]+)/u, given.join(','), 'value');
  return {
    ...{ relation: toRelation(method), subject: first, expected: given[1] ?? '' },
    tolerance: toFinite(Number(tolerance)),
  };
}

export function readAssert(node: SyntaxNode, facts: Collector): void {
  const condition = facts.childrenOf(node).find(({ name }) => name !== 'assert' && name !== 'Comment');
  if (condition === undefined) return;
  for (const text of facts.textOf(condition).split(/\s+and\s+/u)) {
    const plain = text.replace(/^\(|\)$/gu, (bracket) => (isBalanced(text) ? bracket : ''));
    facts.addAssertion(node, toCompared(plain));
  }
}

function isBalanced(text: string): boolean {
  return text.split('(').length === text.split(')').length;
}

const COMPARED =
  /^(?<left>[\s\S]+?)\s*(?<operator>==|!=|>=|<=|(?<![<>=-])[<>](?![<>=])|\bis\s+not\b|\bis\b|\bnot\s+in\b|\bin\b)\s*(?<right>[\s\S]+)$/u;

function toCompared(text: string): AssertionParts {
  const sides = groups(COMPARED, text);
  if (sides === null || /\bfor\b|\blambda\b|\bor\b/u.test(text)) return toTruth(text);
  const { left = '', operator = '', right = '' } = sides;
  const isNegated = /!|not/u.test(operator);
  if (/in$/u.test(operator)) return { relation: 'contains', isNegated, subject: right, expected: left };
  if (/^[<>]/u.test(operator)) return toOrder(left, operator, right);
  const approx = group(/\bapprox\((?<all>[\s\S]*)\)$/u, right, 'all');
  if (approx === undefined) return { relation: 'equal', isNegated, subject: left, expected: right };
  return {
    ...{ relation: 'close', isNegated, subject: left, expected: splitArguments(approx)[0] ?? '' },
    tolerance: toTolerance(approx) ?? 1e-6,
  };
}

/** What is no comparison, or one inside of something else. */
function toTruth(text: string): AssertionParts {
  const [relation = 'truthy'] = TRUTHS.flatMap(([pattern, is]) => (pattern.test(text) ? [is] : []));
  return {
    ...{ relation, isNegated: /^not\s/u.test(text), subject: text.replace(/^not\s+/u, '') },
    tolerance: toTolerance(text),
  };
}

const TRUTHS: readonly (readonly [RegExp, Relation])[] = [
  [/^isinstance\(/u, 'type'],
  [/^(?:math\.isclose|np\.allclose|np\.isclose)/u, 'close'],
];

/** `abs(a - b) < 0.1` asks that they are close. */
function toOrder(left: string, operator: string, right: string): AssertionParts {
  if (!/^abs\(/u.test(left) || !operator.startsWith('<')) return { relation: 'order', subject: left, expected: right };
  return { relation: 'close', subject: left, expected: '', tolerance: toFinite(Number(right)) };
}

function toTolerance(text: string): number | null {
  return toFinite(Number(group(/\b(?:rel|abs|abs_tol|rel_tol|rtol|atol)\s*=\s*(?<value>[\d.e-]+)/u, text, 'value')));
}

import type { SyntaxNode } from '@lezer/common';
import type { Collector } from './collector.ts';
import { group, groups, toFinite } from './texts.ts';
import { type AssertionParts, splitArguments, toRelation } from './to-assertion.ts';

export function readMacro(node: SyntaxNode, facts: Collector): void {
  const macro = groups(/^(?<name>[\w:]+)\s*!\s*[([{](?<all>[\s\S]*)[)\]}]\s*;?$/u, facts.textOf(node));
  const { name = '', all = '' } = macro ?? {};
  const calls = facts.testAt(node)?.calls ?? [];
  for (const call of all.matchAll(/(?<![.\w])(?<name>[\w:]+)\s*\(/gu)) calls.push(call.groups?.['name'] ?? '');
  if (/cfg$/u.test(name) && /^\s*(?:not\()?test\b/u.test(all)) facts.addEvent('environment', node);
  if (isAssertion(name)) facts.addAssertion(node, toParts(name, all));
}

function isAssertion(name: string): boolean {
  return /(?:^|::)(?:debug_|prop_)?assert(?!ions)\w*$/u.test(name);
}

const NESTED =
  /\b(?<name>(?:debug_|prop_)?assert(?:_\w+)?)!\s*\((?<all>(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)/gu;

/** Longer ones are not read to their end. */
const MAX_PROPERTIES = 20_000;

/** The body of `proptest!` is no syntax of the language: all its properties are one test, its assertions read by their look. */
export function readProperties(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node).slice(0, MAX_PROPERTIES);
  if (!/^(?:proptest::)?proptest\s*!/u.test(text)) return;
  const names = [...text.matchAll(/\bfn\s+(?<name>\w+)/gu)].map((one) => one.groups?.['name'] ?? '');
  if (names.length === 0) return;
  const state = /#\[\s*ignore\b/u.test(text) ? 'skipped' : 'run';
  facts.addTest({ node, name: `proptest > ${names.join(', ')}`, timeouts: [], state, isEmpty: false, cases: 1 }, node);
  for (const one of text.matchAll(NESTED))
    facts.addAssertion(node, toParts(one.groups?.['name'] ?? '', one.groups?.['all'] ?? ''));
}

type Style = (given: readonly string[], all: string) => AssertionParts;

/** Styles by what follows `assert_` in their name; all others compare by their name. */
const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['', ([first = '']) => toCompared(first) ?? toClose(first) ?? toTruthy(first, first)],
  ['ok', ([first = '']) => toTruthy(first, first)],
  ['matches', ([first = ''], all) => toTruthy(first, all)],
]);

function toParts(name: string, all: string): AssertionParts {
  const plain = name.replace(/^(?:\w+::)*(?:debug_|prop_)?assert_?/u, '');
  const given = splitArguments(all);
  return STYLES.get(plain)?.(given, all) ?? toNamed(plain, given, all);
}

/** `assert!(a == b)`. */
function toCompared(text: string): AssertionParts | null {
  const sides = groups(/^(?<left>[^=!<>&|]+?)\s*(?<operator>[!=]=)\s*(?<right>[^&|=]+)$/u, text);
  if (sides === null) return null;
  const { left = '', operator, right = '' } = sides;
  return { relation: 'equal', isNegated: operator === '!=', subject: left, expected: right };
}

/** `assert!((a - b).abs() < 0.1)`. */
function toClose(text: string): AssertionParts | null {
  const limit = group(/\.abs\(\)\s*<=?\s*(?<tolerance>[\d.e_-]+|\w+::EPSILON)$/u, text, 'tolerance');
  if (limit === undefined) return null;
  return {
    ...{ relation: 'close', subject: text.replace(/<[\s\S]*$/u, '') },
    ...{ tolerance: toFinite(Number(limit)), readsConstants: false },
  };
}

function toTruthy(first: string, subject: string): AssertionParts {
  return { relation: 'truthy', isNegated: /^!/u.test(first), subject: subject.replace(/^!/u, '') };
}

function toNamed(plain: string, [subject = '', expected = '']: readonly string[], all: string): AssertionParts {
  const isEquality = plain === 'eq' || plain === 'ne';
  const tolerance = group(/\b(?:epsilon|max_relative)\s*=\s*(?<value>[\d.e-]+)/u, all, 'value');
  return {
    ...{ relation: isEquality ? 'equal' : toRelation(plain), isNegated: plain === 'ne', subject, expected },
    tolerance: toFinite(Number(tolerance)),
  };
}

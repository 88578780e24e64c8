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
  if (/(?:^|::)(?:debug_)?assert\w*$/u.test(name)) facts.addAssertion(node, toParts(name, all));
}

type Style = (given: readonly string[], all: string) => AssertionParts;

/** Styles by what follows `assert_` in their name; all others compare by their name. */
const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['', ([first = '']) => toCompared(first) ?? toClose(first) ?? toTruthy(first, first)],
  ['ok', ([first = '']) => toTruthy(first, first)],
  ['matches', ([first = ''], all) => toTruthy(first, all)],
]);

function toParts(name: string, all: string): AssertionParts {
  const plain = name.replace(/^(?:\w+::)*(?:debug_)?assert_?/u, '');
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

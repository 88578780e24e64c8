import type { SyntaxNode } from '@lezer/common';
import { type Collector, isTelling } from './collector.ts';
import { CONSTANT } from './to-assertion.ts';

const COMPARED = /^\(?\s*(?<all>[\s\S]+?)\s*\)?$/u;

function keyOf(condition: string): string | null {
  const inner = COMPARED.exec(condition)?.groups?.['all'] ?? '';
  const keys = [
    ...inner.matchAll(
      /[!=]==?\s*(?<key>-?[\d._]+|"[^"\n]*"|'[^'\n]*'|`[^`$]*`)|(?<first>-?[\d._]+|"[^"\n]*"|'[^'\n]*')\s*===?/gu,
    ),
  ].map((one) => one.groups?.['key'] ?? one.groups?.['first'] ?? '');
  return keys.find(isTelling) ?? (keys.length > 1 ? (keys[0] ?? null) : null);
}

export function returnedIn(node: SyntaxNode, facts: Collector): string | null {
  const statement = node.name === 'Block' ? facts.statementsOf(node)[0] : node;
  return (
    /^return\s+(?<value>[^\n;]{1,500})\s*;?$/u.exec(statement === undefined ? '' : facts.textOf(statement))?.groups?.[
      'value'
    ] ?? null
  );
}

export function readIf(node: SyntaxNode, facts: Collector): void {
  const condition = node.getChild('ParenthesizedExpression');
  const body = condition?.nextSibling ?? null;
  if (condition === null || body === null) return;
  const key = keyOf(facts.textOf(condition));
  const value = returnedIn(body, facts);
  if (key !== null && value !== null && isConstantLike(value)) facts.addChoice(node, key, value);
}

export function isConstantLike(value: string): boolean {
  return CONSTANT.test(value.trim()) || /^[[{][^()]*[\]}]$/u.test(value.trim());
}

export function readConditional(node: SyntaxNode, facts: Collector): void {
  const [condition, , value] = facts.childrenOf(node);
  if (condition === undefined || value === undefined) return;
  const key = keyOf(facts.textOf(condition));
  if (key !== null && CONSTANT.test(facts.textOf(value))) facts.addChoice(node, key, facts.textOf(value));
}

export function readCase(node: SyntaxNode, facts: Collector): void {
  const key = /^case\s+(?<key>[\s\S]+?)\s*:$/u.exec(facts.textOf(node))?.groups?.['key'] ?? '';
  const value = node.nextSibling === null ? null : returnedIn(node.nextSibling, facts);
  if (isTelling(key) && value !== null && isConstantLike(value)) facts.addChoice(node, key, value);
}

export function readProperty(node: SyntaxNode, facts: Collector): void {
  const [key, , value] = facts.childrenOf(node);
  if (key === undefined || value === undefined || !CONSTANT.test(facts.textOf(value))) return;
  facts.addChoice(node, facts.textOf(key), facts.textOf(value));
}

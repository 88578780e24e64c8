import type { SyntaxNode } from '@lezer/common';
import type { TestState } from '../../core/model/source-facts.ts';
import { type Collector } from './collector.ts';
import { groups } from './texts.ts';

export function nameOf(node: SyntaxNode, { textOf }: Collector): string {
  const name = node.getChild('BoundIdentifier');
  return name === null ? '' : textOf(name);
}

/** Attributes stand before the function, or around it. */
function attributesOf(node: SyntaxNode, { textOf, childrenOf }: Collector): string {
  const texts: string[] = [];
  for (const child of node.parent?.name === 'AttributeItem' ? childrenOf(node.parent) : [])
    if (child.name === 'Attribute') texts.push(textOf(child));
  for (
    let before = node.prevSibling;
    before !== null && /^(?:Attribute|LineComment|BlockComment)$/u.test(before.name);
    before = before.prevSibling
  )
    texts.push(textOf(before));
  return texts.join('\n');
}

export function readTest(node: SyntaxNode, facts: Collector): void {
  const attributes = attributesOf(node, facts);
  if (!/\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b/u.test(attributes)) return;
  const names = [nameOf(node, facts)];
  for (let above = node.parent; above !== null; above = above.parent)
    if (above.name === 'ModItem') names.unshift(nameOf(above, facts));
  const block = node.getChild('Block');
  facts.addTest(
    {
      ...{ node, name: names.join(' > '), timeouts: [], state: toState(attributes) },
      isEmpty: block === null || facts.statementsOf(block).length === 0,
      cases: Math.max(1, (attributes.match(/\[\s*(?:case|test_case)\b/gu) ?? []).length),
    },
    block,
  );
  const panics = groups(/\[\s*should_panic(?:\s*\(\s*expected\s*=\s*(?<expected>"[^"]*")\s*\))?/u, attributes);
  if (panics !== null && block !== null)
    facts.addAssertion(block, { relation: 'throws', subject: 'panic', expected: panics['expected'] ?? '' });
}

function toState(attributes: string): TestState {
  if (/\[\s*ignore\b/u.test(attributes)) return 'skipped';
  if (/\[\s*should_panic\b/u.test(attributes)) return 'expected_failure';
  return /cfg_attr\([\s\S]*\bignore\b/u.test(attributes) ? 'conditional' : 'run';
}

/** A bare `return` that is not the last statement of a test. */
export function readReturn(node: SyntaxNode, facts: Collector): void {
  const block = node.parent?.parent;
  const isDirect =
    block?.parent?.name === 'FunctionItem' && facts.statementsOf(block).at(-1)?.from !== node.parent?.from;
  if (isDirect && facts.testAt(node) !== null && /^return$/u.test(facts.textOf(node).trim()))
    facts.addEvent('early_return', node);
}

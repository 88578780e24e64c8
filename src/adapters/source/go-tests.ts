import type { SyntaxNode } from '@lezer/common';
import { type Collector } from './collector.ts';
import type { Call } from './read-tree.ts';
import { walk } from './syntax.ts';

export function readTest(node: SyntaxNode, facts: Collector): void {
  const name = node.getChild('DefName');
  const block = node.getChild('Block');
  if (name === null || !/^(?:Test|Fuzz|Example)(?![a-z])/u.test(facts.textOf(name))) return;
  facts.addTest(
    {
      ...{ node, name: facts.textOf(name), state: 'run', timeouts: [] },
      isEmpty: block === null || facts.statementsOf(block).length === 0,
      cases: toCases(node),
    },
    block,
  );
}

/** Rows of tables: elements that are lists of values themselves. */
function toCases(node: SyntaxNode): number {
  let rows = 0;
  walk(node, (at) => {
    if (at.name === 'Element' && at.firstChild?.name === 'LiteralValue') {
      rows += 1;
      return false;
    }
    return true;
  });
  return Math.max(1, rows);
}

/** `t.Skip()` skips the test for sure if it stands in the test itself. */
export function readMark({ node, name, test }: Call): void {
  if (test === null || !/^(?:t|b|f|tb|tt)\.Skip(?:f|Now)?$/u.test(name)) return;
  test.marked = node.parent?.parent?.parent?.name === 'FunctionDecl' ? 'skipped' : 'conditional';
}

/** A bare `return` that is not the last statement of a test. */
export function readReturn(node: SyntaxNode, facts: Collector): void {
  const block = node.parent;
  const isDirect =
    block?.name === 'Block' &&
    block.parent?.name === 'FunctionDecl' &&
    facts.statementsOf(block).at(-1)?.from !== node.from;
  if (isDirect && facts.testAt(node) !== null && facts.textOf(node).trim() === 'return')
    facts.addEvent('early_return', node);
}

import type { SyntaxNode } from '@lezer/common';
import type { TestState } from '../../core/model/source-facts.ts';
import { type Collector } from './collector.ts';
import { closest } from './read-tree.ts';
import { splitArguments } from './to-assertion.ts';

export function nameOf(node: SyntaxNode, { textOf }: Collector): string {
  const name = node.getChild('VariableName');
  return name === null ? '' : textOf(name);
}

function decoratorsOf(node: SyntaxNode, { textOf }: Collector): readonly string[] {
  return node.parent?.name === 'DecoratedStatement'
    ? node.parent.getChildren('Decorator').map((one) => textOf(one).trim())
    : [];
}

export function readTest(node: SyntaxNode, facts: Collector): void {
  const name = nameOf(node, facts);
  if (!/^test/u.test(name)) return;
  const names = [name];
  const decorators = [...decoratorsOf(node, facts)];
  for (let above = node.parent; above !== null; above = above.parent) {
    if (above.name === 'FunctionDefinition') return;
    if (above.name !== 'ClassDefinition') continue;
    names.unshift(nameOf(above, facts));
    decorators.push(...decoratorsOf(above, facts));
  }
  const body = node.getChild('Body');
  const statements = body === null ? [] : facts.statementsOf(body).map(facts.textOf);
  const isEmpty = statements.every((text) =>
    /^(?:pass|\.\.\.|return(?: None)?|"""[\s\S]*"""|'''[\s\S]*'''|"[^"\n]*"|'[^'\n]*')$/u.test(text.trim()),
  );
  const cases = decorators.reduce((product, text) => product * toCases(text), 1);
  const timeouts = decorators.flatMap((text) => toTimeouts(text));
  facts.addTest(
    {
      node: node.parent?.name === 'DecoratedStatement' ? node.parent : node,
      name: names.join(' > '),
      state: toState(decorators),
      isEmpty,
      cases,
      timeouts,
    },
    body,
  );
}

function toState(decorators: readonly string[]): TestState {
  const all = decorators.join('\n');
  if (/@(?:\w+\.)*(?:skipif|skipIf|skipUnless)\b|(?:xfail)\s*\(\s*(?!reason|strict|raises)\w/u.test(all))
    return 'conditional';
  if (/@(?:\w+\.)*skip\b/u.test(all)) return 'skipped';
  return /@(?:\w+\.)*(?:xfail|expectedFailure)\b/u.test(all) ? 'expected_failure' : 'run';
}

function toCases(decorator: string): number {
  if (!/\bparametrize\s*\(|\bparameterized|\bdata\(/u.test(decorator)) return 1;
  const given = splitArguments(/\((?<all>[\s\S]*)\)$/u.exec(decorator)?.groups?.['all'] ?? '');
  const rows = given.find((one) => /^[[(]/u.test(one) && one.length > 2) ?? '';
  return rows === '' ? 1 : Math.max(1, splitArguments(rows.slice(1, -1)).length);
}

function toTimeouts(text: string): readonly number[] {
  const seconds = /\btimeout\s*\(\s*(?:seconds\s*=\s*|timeout\s*=\s*)?(?<all>[\d.]+)/u.exec(text)?.groups?.['all'];
  return seconds === undefined ? [] : [Number(seconds) * 1000];
}

const AROUND_MARK: ReadonlySet<string> = new Set(['IfStatement', 'TryStatement', 'FunctionDefinition']);

/** What skips the test in which it stands, or the whole file. */
export function mark(node: SyntaxNode, facts: Collector): void {
  const test = facts.testAt(node);
  if (test === null) facts.addEvent('early_return', node, 'file');
  else test.marked = closest(node, AROUND_MARK)?.name === 'FunctionDefinition' ? 'skipped' : 'conditional';
}

/** A bare `return` before the end of a test. */
export function readReturn(node: SyntaxNode, facts: Collector): void {
  const body = node.parent;
  if (body === null || facts.testAt(node) === null || !/^return(?:\s+None)?$/u.test(facts.textOf(node))) return;
  if (isDirect(node, body) || isConditional(body)) facts.addEvent('early_return', node);
}

function isDirect(node: SyntaxNode, body: SyntaxNode): boolean {
  return body.parent?.name === 'FunctionDefinition' && body.lastChild?.from !== node.from;
}

function isConditional({ parent }: SyntaxNode): boolean {
  return parent?.name === 'IfStatement' && parent.parent?.parent?.name === 'FunctionDefinition';
}

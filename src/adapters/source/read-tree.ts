import type { SyntaxNode } from '@lezer/common';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Collector, createCollector, type OpenTest, UNREADABLE, type WordKinds } from './collector.ts';
import { type Syntax, walk } from './syntax.ts';
import { splitArguments } from './to-assertion.ts';

/** What a reader does with a node, by the name of the node in the grammar. Nodes without an entry say nothing. */
export type Handlers = Readonly<Record<string, (node: SyntaxNode, facts: Collector) => void>>;

export interface Language {
  readonly kinds: WordKinds;
  /** Finds the tests, before anything else is read: what is in a test belongs to it. */
  readonly tests: Handlers;
  readonly rest: Handlers;
}

/** Of a visit to a node. */
const STEPS = 20;

/** Facts of a parsed text; null is a text that could not be parsed. */
export function readTree(syntax: Syntax | null, { kinds, tests, rest }: Language, budget: Budget): SourceFacts {
  if (syntax === null) return UNREADABLE;
  const facts = createCollector(syntax, kinds, budget);
  for (const handlers of [tests, rest])
    walk(syntax.tree.topNode, (node) => {
      budget.spend(STEPS);
      handlers[node.name]?.(node, facts);
      return true;
    });
  return facts.finish();
}

/** A call with its arguments as texts, and the test that holds it. */
export interface Call {
  readonly node: SyntaxNode;
  readonly name: string;
  readonly given: readonly string[];
  /** The first argument; empty without one. */
  readonly first: string;
  readonly test: OpenTest | null;
}

/** Null if the node has no callee or no list of arguments. */
export function toCall(
  node: SyntaxNode,
  callee: SyntaxNode | null,
  list: SyntaxNode | null,
  facts: Collector,
): Call | null {
  if (callee === null || list === null) return null;
  const given = splitArguments(facts.textOf(list).slice(1, -1));
  return { node, name: facts.textOf(callee), given, first: given[0] ?? '', test: facts.testAt(node) };
}

const MAX_NAME = 100;

/** Keeps the name of what a test calls, unless it is one of a test library or of the language. */
export function noteCall({ name, test }: Pick<Call, 'name' | 'test'>, notCalled: RegExp): void {
  if (test !== null && name.length < MAX_NAME && !notCalled.test(name)) test.calls.push(name);
}

/** A function that asserts by its name. */
export function addHelper({ node, name, given }: Call, facts: Collector): void {
  facts.addAssertion(node, { relation: 'helper', subject: `${name}(${given.join(',')})` });
}

/** The innermost node around it with one of the names. */
export function closest(node: SyntaxNode, names: ReadonlySet<string>): SyntaxNode | null {
  let above = node.parent;
  while (above !== null && !names.has(above.name)) above = above.parent;
  return above;
}

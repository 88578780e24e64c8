import type { SyntaxNode } from '@lezer/common';
import type {
  AssertionFact,
  LiteralChoice,
  SourceEvent,
  SourceFacts,
  TestFact,
  TestState,
} from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Syntax, walk } from './syntax.ts';
import { unquote } from './texts.ts';
import { type AssertionParts, CONSTANT, squeeze, toAssertion } from './to-assertion.ts';

export const UNREADABLE: SourceFacts = {
  ...{ isReadable: false, tests: [], assertions: [], events: [], choices: [] },
  ...{ helpers: [], definitions: [], imports: [], words: [] },
};

/** A test while its body is being read. */
export interface OpenTest {
  readonly node: SyntaxNode;
  readonly name: string;
  readonly state: TestState;
  readonly isEmpty: boolean;
  readonly cases: number;
  readonly timeouts: number[];
  readonly assertions: AssertionFact[];
  readonly calls: string[];
  readonly constants: ReadonlySet<string>;
  marked: TestState | null;
}

/** Words of a language: which nodes are names and literals, and which are comments. */
export interface WordKinds {
  readonly names: ReadonlySet<string>;
  readonly comments: ReadonlySet<string>;
}

const LITERAL = /String$|^String|^Char$|^Number$|^Integer$|^Float$|^Rune$|^Character$|^FormatString/u;
const MAX_WORDS = 100_000;
/** Of a look at a node. */
const STEPS = 10;
/** Of a fact: the judge compares each with many others. */
const STEPS_OF_FACT = { test: 20_000, assertion: 5000, event: 10_000, choice: 500 } as const;

/** Facts of one file, gathered while its tree is walked. */
export interface Collector {
  readonly spend: Budget['spend'];
  readonly textOf: (node: SyntaxNode) => string;
  readonly childrenOf: (node: SyntaxNode) => readonly SyntaxNode[];
  /** The children of a block that are neither braces nor comments. */
  readonly statementsOf: (block: SyntaxNode) => readonly SyntaxNode[];
  readonly lineOf: (node: SyntaxNode) => number;
  readonly addTest: (
    test: Omit<OpenTest, 'assertions' | 'calls' | 'constants' | 'marked'>,
    body: SyntaxNode | null,
  ) => void;
  /** The innermost test that holds the node. */
  readonly testAt: (node: SyntaxNode) => OpenTest | null;
  readonly addAssertion: (node: SyntaxNode, parts: AssertionParts) => void;
  readonly addEvent: (kind: SourceEvent['kind'], node: SyntaxNode, detail?: string) => void;
  readonly addChoice: (node: SyntaxNode, key: string, value: string) => void;
  readonly define: (name: string) => void;
  readonly addImport: (name: string) => void;
  readonly finish: () => SourceFacts;
}

/** A literal that tells a special case: not null, true, empty, 0 or 1. */
const PLAIN = /^(?:null|undefined|None|nil|true|false|True|False|!0|!1|-?[01](?:\.0)?|""|''|``|\[\]|\{\})$/u;

export function isTelling(text: string): boolean {
  return CONSTANT.test(text.trim()) && !PLAIN.test(text.trim());
}

/** Looks at a tree, each for its price. */
type Sight = Pick<Collector, 'spend' | 'textOf' | 'lineOf' | 'childrenOf' | 'statementsOf'>;

function createSight({ text, lineAt }: Syntax, { spend }: Budget): Sight {
  const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => {
    const children: SyntaxNode[] = [];
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      spend(STEPS);
      children.push(child);
    }
    return children;
  };
  return {
    spend,
    textOf: (node) => {
      spend(node.to - node.from + STEPS);
      return text.slice(node.from, node.to);
    },
    lineOf: ({ from }) => lineAt(from),
    childrenOf,
    statementsOf: (block) => childrenOf(block).filter(({ name }) => !/^(?:[{}:;]|.*Comment)$/u.test(name)),
  };
}

export function createCollector(syntax: Syntax, kinds: WordKinds, budget: Budget): Collector {
  const tests: OpenTest[] = [];
  const assertions: AssertionFact[] = [];
  const events: SourceEvent[] = [];
  const choices: LiteralChoice[] = [];
  const helpers = new Set<string>();
  const definitions = new Set<string>();
  const imports = new Set<string>();
  const sight = createSight(syntax, budget);
  const { spend, textOf, lineOf } = sight;
  const wordsOf = (node: SyntaxNode): readonly string[] => toWords(node, { textOf, spend }, kinds);
  const byPlace = new Map<string, OpenTest>();
  const toPlace = ({ from, to }: SyntaxNode): string => `${from}:${to}`;
  const testAt = (node: SyntaxNode): OpenTest | null => {
    if (tests.length === 0) return null;
    for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
      spend(STEPS);
      const test = byPlace.get(toPlace(at));
      if (test !== undefined) return test;
    }
    return null;
  };
  return {
    ...{ ...sight, testAt },
    addTest: (test, body) => {
      spend(STEPS_OF_FACT.test);
      const constants = toConstants(body === null ? '' : textOf(body));
      const open: OpenTest = { ...test, assertions: [], calls: [], constants, marked: null };
      tests.push(open);
      byPlace.set(toPlace(test.node), open);
    },
    addAssertion: (node, parts) => {
      spend(STEPS_OF_FACT.assertion);
      const test = testAt(node);
      if (test === null) helpers.add(functionAround(node, textOf));
      (test?.assertions ?? assertions).push(toAssertion(parts, lineOf(node), test?.constants ?? new Set()));
    },
    addEvent: (kind, node, detail = '') => {
      spend(STEPS_OF_FACT.event);
      events.push({ kind, line: lineOf(node), text: squeeze(textOf(node)).slice(0, 300), detail });
    },
    addChoice: (node, key, value) => {
      spend(STEPS_OF_FACT.choice);
      choices.push({ key: strip(key), value: strip(value), line: lineOf(node) });
    },
    define: (name) => definitions.add(name),
    addImport: (name) => imports.add(name),
    finish: () => ({
      isReadable: true,
      tests: tests.map((test) => toFact(test, lineOf(test.node), wordsOf(test.node))),
      ...{ assertions, events, choices, helpers: [...helpers], definitions: [...definitions], imports: [...imports] },
      words: wordsOf(syntax.tree.topNode),
    }),
  };
}

function toFact(test: OpenTest, line: number, words: readonly string[]): TestFact {
  const { name, isEmpty, assertions, cases, timeouts, calls } = test;
  return {
    ...{ name, line, state: test.marked ?? test.state, isEmpty, assertions, cases, timeouts },
    ...{ calls: [...new Set(calls)], words },
  };
}

/** Names, numbers and strings below the node, in their order. */
function toWords(
  node: SyntaxNode,
  { textOf, spend }: Pick<Collector, 'textOf' | 'spend'>,
  kinds: WordKinds,
): readonly string[] {
  const words: string[] = [];
  walk(node, (at) => {
    spend(STEPS);
    if (words.length >= MAX_WORDS || kinds.comments.has(at.name)) return false;
    const word = toWord(at, textOf, kinds);
    if (word !== null) words.push(word);
    return true;
  });
  return words;
}

function toWord(at: SyntaxNode, textOf: Collector['textOf'], { names }: WordKinds): string | null {
  const isLeaf = at.firstChild === null;
  const isLiteral = LITERAL.test(at.name);
  if (isLiteral) {
    if (isLeaf) return strip(textOf(at));
    return names.has(at.name) ? textOf(at) : squeeze(textOf(at));
  }
  return names.has(at.name) || (isLeaf && /Op$|^Boolean|^None$|^null$/u.test(at.name)) ? textOf(at) : null;
}

/** Names that a body gives a literal; a name that it gives something else later is none. */
function toConstants(body: string): ReadonlySet<string> {
  const constants = new Set<string>();
  for (const [, name, value] of body.matchAll(
    /(?:^|[;{\n])\s*(?:const |let |var |let mut )?(?<name>[A-Za-z_]\w*)\s*(?::?=)(?!=)\s*(?<value>[^\n;]{1,200}?)\s*(?=[;\n}])/gu,
  )) {
    if (name !== undefined && CONSTANT.test(value ?? '')) constants.add(name);
    else if (name !== undefined) constants.delete(name);
  }
  return constants;
}

function strip(text: string): string {
  return unquote(squeeze(text));
}

/** Whether the block only logs, passes or returns: nothing makes a failure known. */
export function isSilent(statements: readonly string[]): boolean {
  return statements.every((text) => SILENT.test(text.trim()));
}

const SILENT =
  /^(?:pass|\.\.\.|continue;?|break;?|return(?:\s+(?:None|null|undefined|true|True|false|False|0))?;?|(?:console|logger?|logging|log|fmt)\.\w+\([^\n]{0,300}\);?|print(?:ln)?!?\([^\n]{0,300}\);?|#.*|\/\/.*|\/\*[\s\S]*\*\/|"""[\s\S]*""")?$/u;

const NAMES = ['VariableDefinition', 'PropertyDefinition', 'VariableName', 'BoundIdentifier', 'DefName', 'FieldName'];

/** Name of the innermost function with a name. */
function functionAround(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string {
  for (let above = node.parent; above !== null; above = above.parent) {
    if (!/Function|Method|VariableDeclaration|Item$/u.test(above.name)) continue;
    const around = above;
    const [name] = NAMES.flatMap((kind) => around.getChild(kind) ?? []);
    if (name !== undefined) return textOf(name);
  }
  return '';
}

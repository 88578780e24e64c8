import type { SyntaxNode } from '@lezer/common';
import type {
  AssertionFact,
  LiteralChoice,
  SourceEvent,
  SourceFacts,
  TestState,
} from '../../core/model/source-facts.ts';
import { childrenOf, type Syntax, walk } from './syntax.ts';
import { CONSTANT, squeeze } from './to-assertion.ts';

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

/** Facts of one file, gathered while its tree is walked. */
export interface Collector {
  readonly textOf: (node: SyntaxNode) => string;
  readonly lineOf: (node: SyntaxNode) => number;
  readonly addTest: (
    test: Omit<OpenTest, 'assertions' | 'calls' | 'constants' | 'marked'>,
    body: SyntaxNode | null,
  ) => void;
  /** The innermost test that holds the node. */
  readonly testAt: (node: SyntaxNode) => OpenTest | null;
  readonly addAssertion: (
    node: SyntaxNode,
    make: (constants: ReadonlySet<string>, line: number) => AssertionFact,
  ) => void;
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

export function createCollector({ text, tree, lineAt }: Syntax, kinds: WordKinds): Collector {
  const tests: OpenTest[] = [];
  const assertions: AssertionFact[] = [];
  const events: SourceEvent[] = [];
  const choices: LiteralChoice[] = [];
  const helpers = new Set<string>();
  const definitions = new Set<string>();
  const imports = new Set<string>();
  const textOf = (node: SyntaxNode): string => text.slice(node.from, node.to);
  const lineOf = (node: SyntaxNode): number => lineAt(node.from);
  const wordsOf = (node: SyntaxNode): readonly string[] => {
    const words: string[] = [];
    walk(node, (at) => {
      if (words.length >= MAX_WORDS || kinds.comments.has(at.name)) return false;
      if (LITERAL.test(at.name) && at.firstChild === null)
        words.push(squeeze(textOf(at)).replaceAll(/^["'`]|["'`]$/gu, ''));
      else if (kinds.names.has(at.name) || (at.firstChild === null && /Op$|^Boolean|^None$|^null$/u.test(at.name)))
        words.push(textOf(at));
      else if (LITERAL.test(at.name)) words.push(squeeze(textOf(at)));
      return true;
    });
    return words;
  };
  const byPlace = new Map<string, OpenTest>();
  const toPlace = ({ from, to }: SyntaxNode): string => `${from}:${to}`;
  const testAt = (node: SyntaxNode): OpenTest | null => {
    for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
      const test = byPlace.get(toPlace(at));
      if (test !== undefined) return test;
    }
    return null;
  };
  return {
    ...{ textOf, lineOf, testAt },
    addTest: (test, body) => {
      const constants = new Set<string>();
      for (const [, name, value] of (body === null ? '' : textOf(body)).matchAll(
        /(?:^|[;{\n])\s*(?:const |let |var |let mut )?(?<name>[A-Za-z_]\w*)\s*(?::?=)(?!=)\s*(?<value>[^\n;]{1,200}?)\s*(?=[;\n}])/gu,
      )) {
        if (name !== undefined && CONSTANT.test(value ?? '')) constants.add(name);
        else if (name !== undefined) constants.delete(name);
      }
      const open: OpenTest = { ...test, assertions: [], calls: [], constants, marked: null };
      tests.push(open);
      byPlace.set(toPlace(test.node), open);
    },
    addAssertion: (node, make) => {
      const test = testAt(node);
      if (test === null) helpers.add(functionAround(node, textOf));
      (test?.assertions ?? assertions).push(make(test?.constants ?? new Set(), lineOf(node)));
    },
    addEvent: (kind, node, detail = '') => {
      events.push({ kind, line: lineOf(node), text: squeeze(textOf(node)).slice(0, 300), detail });
    },
    addChoice: (node, key, value) => {
      choices.push({ key: strip(key), value: strip(value), line: lineOf(node) });
    },
    define: (name) => definitions.add(name),
    addImport: (name) => imports.add(name),
    finish: () => ({
      isReadable: true,
      tests: tests.map((test) => ({
        ...{ name: test.name, line: lineOf(test.node), state: test.marked ?? test.state, isEmpty: test.isEmpty },
        ...{ assertions: test.assertions, cases: test.cases, timeouts: test.timeouts },
        ...{ calls: [...new Set(test.calls)], words: wordsOf(test.node) },
      })),
      ...{ assertions, events, choices, helpers: [...helpers], definitions: [...definitions], imports: [...imports] },
      words: wordsOf(tree.topNode),
    }),
  };
}

function strip(text: string): string {
  return squeeze(text).replaceAll(/^["'`]|["'`]$/gu, '');
}

/** Whether the block only logs, passes or returns: nothing makes a failure known. */
export function isSilent(statements: readonly string[]): boolean {
  return statements.every((text) => SILENT.test(text.trim()));
}

const SILENT =
  /^(?:pass|\.\.\.|continue;?|break;?|return(?:\s+(?:None|null|undefined|true|True|false|False|0))?;?|(?:console|logger?|logging|log|fmt)\.\w+\([^\n]{0,300}\);?|print(?:ln)?!?\([^\n]{0,300}\);?|#.*|\/\/.*|\/\*[\s\S]*\*\/|"""[\s\S]*""")?$/u;

/** The children of a block that are neither braces nor comments. */
export function statementsOf(block: SyntaxNode): readonly SyntaxNode[] {
  return childrenOf(block).filter(({ name }) => !/^(?:[{}:;]|.*Comment)$/u.test(name));
}

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

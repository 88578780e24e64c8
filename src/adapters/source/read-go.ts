import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/go';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Collector, isSilent, isTelling } from './collector.ts';
import { conditionOf, readAssertion } from './go-assertions.ts';
import { readMark, readReturn, readTest } from './go-tests.ts';
import { type Call, type Language, noteCall, readTree, toCall } from './read-tree.ts';
import { parse } from './syntax.ts';
import { group } from './texts.ts';
import { CONSTANT } from './to-assertion.ts';

const GO: Language = {
  kinds: {
    names: new Set(['VariableName', 'DefName', 'FieldName', 'TypeName']),
    comments: new Set(['LineComment', 'BlockComment']),
  },
  tests: { FunctionDecl: readTest },
  rest: {
    CallExpr: readCall,
    IfStatement: readIf,
    FunctionDecl: readFunction,
    MethodDecl: readFunction,
    ImportDecl: readImport,
    ReturnStatement: readReturn,
    Case: readCase,
    Element: readEntry,
    Key: readEntry,
    Assignment: readAssignment,
  },
};

/** Facts of Go. */
export function readGo(text: string, budget: Budget): SourceFacts {
  return readTree(parse(text, [parser], text.replaceAll(LAST_LITERAL, toName)), GO, budget);
}

/** A statement ends with the line after such a word, too; the grammar knows that of names and numbers alone. */
const LAST_LITERAL = /\b(?:true|false|nil|iota)(?=[ \t]*(?:\/\/[^\n]*|\/\*[^\n*]*\*\/[ \t]*)?(?:\r?\n|$))/gu;

function toName(word: string): string {
  return '_'.repeat(word.length);
}

function readFunction(node: SyntaxNode, facts: Collector): void {
  const named = node.getChild('DefName') ?? node.getChild('FieldName');
  const name = named === null ? '' : facts.textOf(named);
  if (named !== null) facts.define(name);
  const [only, ...others] = textsIn(node, facts);
  const value = others.length > 0 ? null : returned(only ?? '');
  if (value !== null && CONSTANT.test(value))
    facts.addEvent('constant', node, `${name}=${value.replaceAll(/^["`]|["`]$/gu, '')}`);
}

/** The statements of the block of the node. */
function textsIn(node: SyntaxNode, { textOf, statementsOf }: Collector): readonly string[] {
  const block = node.getChild('Block');
  return block === null ? [] : statementsOf(block).map(textOf);
}

function readImport(node: SyntaxNode, facts: Collector): void {
  for (const one of facts.textOf(node).matchAll(/"(?<name>[^"\n]+)"/gu)) facts.addImport(one.groups?.['name'] ?? '');
}

function readCase(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const key = group(/^case\s+(?<key>[^:]+)/u, textOf(node), 'key') ?? '';
  const around = node.parent ?? node;
  const [found = ''] = /return[^\n]*/u.exec(textOf(around).slice(node.from - around.from)) ?? [];
  const value = returned(found);
  if (isTelling(key) && value !== null && CONSTANT.test(value)) facts.addChoice(node, key, value);
}

/** Longer ones are whole tables. */
const MAX_ENTRY = 5000;

function readEntry(node: SyntaxNode, facts: Collector): void {
  const around = node.parent ?? node;
  if (around.to - around.from > MAX_ENTRY) return;
  const [, key = '', value = ''] =
    /^(?<key>"[^"\n]*"|\d+)\s*:\s*(?<value>"[^"\n]*"|-?[\d.]+)$/u.exec(facts.textOf(around).trim()) ?? [];
  if (key !== '' && value !== '') facts.addChoice(node, key, value);
}

function readAssignment(node: SyntaxNode, facts: Collector): void {
  if (/^_\s*=\s*(?:err|\w+Err)\s*$/u.test(facts.textOf(node))) facts.addEvent('swallowed', node, 'blank');
}

function returned(text: string): string | null {
  return group(/^return\s+(?<value>[^\n;,]{1,300}?)(?:,\s*nil)?\s*$/u, text.trim(), 'value') ?? null;
}

const NOT_CALLED = /^(?:[tbf]|tt|tb)\.|^(?:assert|require|fmt|reflect|len|make|append|errors|string|int)\b|^\s*func/u;

function readCall(node: SyntaxNode, facts: Collector): void {
  const call = toCall(node, node.firstChild, node.getChild('Arguments'), facts);
  if (call === null) return;
  noteCall(call, NOT_CALLED);
  if (call.name === 'os.Exit' && call.first === '0') facts.addEvent('exit', node);
  readRecover(call, facts);
  if (ENVIRONMENT.some(([name, first]) => name.test(call.name) && first.test(call.first)))
    facts.addEvent('environment', node);
  readMark(call);
  readAssertion(call, facts);
}

function readRecover({ node, name, test }: Call, facts: Collector): void {
  if (name !== 'recover') return;
  if (test !== null) facts.addEvent('swallowed_assertion', node, 'recover');
  else if (/defer/u.test(facts.textOf(node.parent?.parent?.parent ?? node)))
    facts.addEvent('swallowed', node, 'recover');
}

/** Calls that ask whether tests run, and their first argument. */
const ENVIRONMENT: readonly (readonly [name: RegExp, first: RegExp])[] = [
  [/^testing\.(?:Testing|Short)$/u, /^/u],
  [/^flag\.Lookup$/u, /test\./u],
  [/^os\.(?:Getenv|LookupEnv)$/u, /^"(?:CI|TEST\w*|GO_TEST\w*|GITHUB_ACTIONS)"$/u],
  [/^strings\.(?:HasSuffix|Contains)$/u, /os\.Args\[0\]/u],
];

function readIf(node: SyntaxNode, facts: Collector): void {
  const condition = conditionOf(node, facts);
  const statements = textsIn(node, facts);
  if (/err\s*!=\s*nil/u.test(condition) && isSilent(statements)) facts.addEvent('swallowed', node, 'empty');
  const keys = [...condition.matchAll(/==\s*(?<key>-?[\d.]+|"[^"\n]*")/gu)].map((one) => one.groups?.['key'] ?? '');
  const key = keys.find(isTelling) ?? (keys.length > 1 ? keys[0] : undefined);
  const value = returned(statements[0] ?? '');
  if (key !== undefined && value !== null && CONSTANT.test(value)) facts.addChoice(node, key, value);
}

import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Collector, isSilent, isTelling } from './collector.ts';
import { readAssert, readAssertion } from './python-assertions.ts';
import { mark, nameOf, readReturn, readTest } from './python-tests.ts';
import { type Call, type Language, noteCall, readTree, toCall } from './read-tree.ts';
import { parse } from './syntax.ts';
import { group, groups } from './texts.ts';
import { CONSTANT, splitArguments } from './to-assertion.ts';

const PYTHON: Language = {
  kinds: { names: new Set(['VariableName', 'PropertyName']), comments: new Set(['Comment']) },
  tests: { FunctionDefinition: readTest },
  rest: {
    CallExpression: readCall,
    AssertStatement: readAssert,
    TryStatement: readTry,
    WithStatement: readWith,
    Decorator: readDecorator,
    IfStatement: readIf,
    DictionaryExpression: readDictionary,
    MatchClause: readMatch,
    ReturnStatement: readReturn,
    RaiseStatement: readRaise,
    ImportStatement: readImport,
    FunctionDefinition: readDefinition,
    ClassDefinition: readDefinition,
    BinaryExpression: readExpression,
    MemberExpression: readExpression,
    AssignStatement: readAssignment,
  },
};

/** Facts of Python. */
export function readPython(text: string, budget: Budget): SourceFacts {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  return readTree(parse(whole, [parser], toKnownForms(whole)), PYTHON, budget);
}

/** Forms that the grammar does not know, each as one that it knows and that is as long: a `yield` without a value, `1.`, … */
function toKnownForms(text: string): string {
  return text
    .replaceAll(/\byield(?=[ \t]*(?:#[^\n]*)?(?:\r?\n|$)|[ \t]*[)\]])/gu, '_____')
    .replaceAll(/(?<![\w.])(?<number>\d[\d_]{0,40})\.(?![\w.])/gu, ' $<number>')
    .replaceAll(
      /\bas[ \t]{1,9}\([\w, \t]{1,200}\)(?=[ \t]*[:,])/gu,
      (all) => `as ${all.slice(3).replaceAll(/\W/gu, '_')}`,
    )
    .replaceAll(/\bas[ \t]{1,9}self\.(?=\w)/gu, (all) => all.replace('.', '_'))
    .replaceAll(/(?<=\bfor [\w, ]{1,200}, )\*(?=\w{1,80} in\b)/gu, ' ')
    .replaceAll('\f', ' ');
}

function readRaise(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  if (/^raise\s+SystemExit(?:\(\s*0?\s*\))?$/u.test(text)) facts.addEvent('exit', node);
  if (/^raise\s+(?:unittest\.)?SkipTest/u.test(text)) mark(node, facts);
}

function readImport(node: SyntaxNode, facts: Collector): void {
  for (const [name] of facts.textOf(node).matchAll(/[\w.]+/gu))
    if (!/^(?:from|import|as)$/u.test(name)) facts.addImport(name);
}

function readDefinition(node: SyntaxNode, facts: Collector): void {
  const name = nameOf(node, facts);
  facts.define(name);
  const body = node.getChild('Body');
  const texts = body === null ? [] : facts.statementsOf(body).map(facts.textOf);
  const [only = '', ...others] = texts.filter((text) => !/^["']/u.test(text));
  const value = others.length > 0 ? null : returned(only);
  if (value === null) return;
  if (name === '__eq__' && value === 'True') facts.addEvent('equality', node);
  if (isConstantLike(value)) facts.addEvent('constant', node, `${name}=${value.replaceAll(/^["']|["']$/gu, '')}`);
}

function returned(statement: string): string | null {
  return group(/^return\s+(?<value>[^\n]{1,300})$/u, statement, 'value') ?? null;
}

function readExpression(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  if (text.length < 200 && ENVIRONMENT.test(text) && node.parent?.name !== 'MemberExpression')
    facts.addEvent('environment', node);
}

function readAssignment(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  const [left = ''] = text.split('=', 1);
  if (/^(?:pytestmark)\b/u.test(text) && /\.(?:skip|xfail)/u.test(text)) facts.addEvent('early_return', node, 'file');
  else if (/^\w+$/u.test(left.trim()) && node.parent?.name === 'Script') facts.define(left.trim());
  if (/\.__eq__\s*=/u.test(text)) facts.addEvent('equality', node);
}

const ENVIRONMENT =
  /["'](?:pytest|unittest|_pytest|nose)["']\s+(?:not\s+)?in\s+sys\.modules|["']PYTEST_\w+["']\s+(?:not\s+)?in\s+os\.environ|os\.environ\s*\[\s*["'](?:PYTEST_\w+|CI|TESTING|GITHUB_ACTIONS)["']|["'](?:CI|TESTING|GITHUB_ACTIONS)["']\s+(?:not\s+)?in\s+os\.environ|sys\.argv[\s\S]{0,40}(?:test|pytest)|["'](?:py)?test["']\s+in\s+sys\.argv|sys\._called_from_test/u;
const ENVIRONMENT_CALL =
  /^(?:os\.getenv|os\.environ\.get|environ\.get|getenv)\(\s*["'](?:PYTEST_\w+|CI|TESTING|TEST|GITHUB_ACTIONS|ENV|APP_ENV)["']|^(?:inspect\.stack|sys\._getframe|traceback\.\w+)\(/u;

const NOT_CALLED =
  /^(?:self\.assert|pytest\.|assert|len|str|int|list|dict|set|print|range|sorted|mock\.|patch|isinstance|type\b|tuple|float|sum|super)/u;

function readCall(node: SyntaxNode, facts: Collector): void {
  const call = toCall(node, node.firstChild, node.getChild('ArgList'), facts);
  if (call === null) return;
  const { name, given, first } = call;
  noteCall(call, NOT_CALLED);
  if (/^(?:sys\.exit|os\._exit|exit|quit)$/u.test(name) && /^(?:0|None|)$/u.test(first)) facts.addEvent('exit', node);
  readEnvironment(call, facts);
  if (/^(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest)$/u.test(name)) mark(node, facts);
  readMock(node, name, given, facts);
  readAssertion(call, facts);
}

/** What has other uses asks for tests only if a test is named beside it. */
function readEnvironment({ node }: Call, facts: Collector): void {
  const text = facts.textOf(node);
  if (!ENVIRONMENT_CALL.test(text)) return;
  const isDoubtful = /\b(?:ENV|APP_ENV|inspect|_getframe|traceback)\b/u.test(text);
  if (!isDoubtful || /test/iu.test(facts.textOf(node.parent ?? node).slice(0, 300)))
    facts.addEvent('environment', node);
}

function readMock(node: SyntaxNode, name: string, given: readonly string[], facts: Collector): void {
  const target = (given[0] ?? '').replaceAll(/^["']|["']$/gu, '');
  if (/^(?:mock\.|mocker\.|unittest\.mock\.)?patch$/u.test(name)) facts.addEvent('mock', node, target);
  else if (/(?:^|\.)patch\.object$/u.test(name) || /^monkeypatch\.setattr$/u.test(name)) {
    const isText = /^["']/u.test(given[0] ?? '');
    facts.addEvent('mock', node, isText ? target : `${target}.${(given[1] ?? '').replaceAll(/^["']|["']$/gu, '')}`);
  }
}

/** `@patch("x")` has no node for its call. */
function readDecorator(node: SyntaxNode, facts: Collector): void {
  const call = groups(/^@(?<name>[\w.]+)\s*\((?<all>[\s\S]*)\)$/u, facts.textOf(node));
  if (call !== null) readMock(node, call['name'] ?? '', splitArguments(call['all'] ?? ''), facts);
}

function readTry(node: SyntaxNode, facts: Collector): void {
  const tried = node.getChild('Body');
  const isAsserted = tried !== null && assertsIn(facts.textOf(tried)) && facts.testAt(node) !== null;
  for (const body of handlersOf(node, facts))
    if (isSilent(facts.statementsOf(body).map(facts.textOf)))
      facts.addEvent(isAsserted ? 'swallowed_assertion' : 'swallowed', node, 'silent');
}

function assertsIn(text: string): boolean {
  return /\bassert/u.test(text) && !/\bfail\(/u.test(text);
}

/** The blocks of `except`. */
function handlersOf(node: SyntaxNode, { childrenOf }: Collector): readonly SyntaxNode[] {
  const bodies: SyntaxNode[] = [];
  let isHandler = false;
  for (const child of childrenOf(node)) {
    if (child.name === 'except') isHandler = true;
    if (child.name !== 'Body' || !isHandler) continue;
    isHandler = false;
    bodies.push(child);
  }
  return bodies;
}

function readWith(node: SyntaxNode, facts: Collector): void {
  const match = /^(?:async\s+)?with\s+(?:contextlib\.)?suppress\(/u.exec(facts.textOf(node));
  if (match === null) return;
  const isAsserted = /\bassert/u.test(facts.textOf(node));
  facts.addEvent(isAsserted && facts.testAt(node) !== null ? 'swallowed_assertion' : 'swallowed', node, 'suppress');
}

function keyOf(condition: string): string | null {
  const keys = [
    ...condition.matchAll(
      /==\s*(?<key>-?[\d._]+|"[^"\n]*"|'[^'\n]*'|\[[^\]\n]*\]|\([^)\n]*\))|(?<first>-?[\d._]+|"[^"\n]*"|'[^'\n]*')\s*==/gu,
    ),
  ].map((one) => one.groups?.['key'] ?? one.groups?.['first'] ?? '');
  return keys.find((key) => isTelling(key) || /^[[(].*\d/u.test(key)) ?? (keys.length > 1 ? (keys[0] ?? null) : null);
}

function isConstantLike(value: string): boolean {
  return CONSTANT.test(value.trim()) || /^[[{(][^()]*[\]})]$/u.test(value.trim());
}

function readIf(node: SyntaxNode, facts: Collector): void {
  const children = facts.childrenOf(node);
  for (const [index, child] of children.entries()) {
    if (child.name !== 'if' && child.name !== 'elif') continue;
    const condition = children[index + 1];
    const body = children[index + 2];
    if (condition === undefined || body === undefined) continue;
    const key = keyOf(facts.textOf(condition));
    const value = returned(facts.statementsOf(body).map(facts.textOf)[0] ?? '');
    if (key !== null && value !== null && isConstantLike(value)) facts.addChoice(child, key, value);
  }
}

function readDictionary(node: SyntaxNode, facts: Collector): void {
  for (const entry of splitArguments(facts.textOf(node).slice(1, -1))) {
    const match = /^(?<key>"[^"\n]*"|'[^'\n]*'|-?[\d.]+|\([^)\n]*\))\s*:\s*(?<value>[\s\S]+)$/u.exec(entry);
    const { key = '', value = '' } = match?.groups ?? {};
    if (match !== null && isConstantLike(value)) facts.addChoice(node, key, value);
  }
}

function readMatch(node: SyntaxNode, facts: Collector): void {
  const match = /^case\s+(?<key>-?[\d.]+|"[^"\n]*"|'[^'\n]*')\s*:\s*return\s+(?<value>[^\n]+)$/u.exec(
    facts.textOf(node).trim(),
  );
  const { key = '', value = '' } = match?.groups ?? {};
  if (isTelling(key) && isConstantLike(value)) facts.addChoice(node, key, value);
}

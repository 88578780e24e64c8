import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Collector, isSilent } from './collector.ts';
import { type Call, type Language, noteCall, readTree, toCall } from './read-tree.ts';
import { readAssertion } from './script-assertions.ts';
import { isConstantLike, readCase, readConditional, readIf, readProperty, returnedIn } from './script-choices.ts';
import { readMark, readReturn, readTest } from './script-tests.ts';
import { parse } from './syntax.ts';
import { unquote } from './texts.ts';

const PARSERS = {
  plain: parser.configure({ dialect: 'jsx' }),
  typed: parser.configure({ dialect: 'ts' }),
  typedMarkup: parser.configure({ dialect: 'jsx ts' }),
};

const SCRIPT: Language = {
  kinds: {
    names: new Set([
      ...['VariableName', 'VariableDefinition', 'PropertyName', 'PropertyDefinition'],
      ...['TypeName', 'JSXIdentifier', 'JSXText'],
    ]),
    comments: new Set(['LineComment', 'BlockComment']),
  },
  tests: { CallExpression: readTest },
  rest: {
    CallExpression: readCall,
    NewExpression: readCall,
    TryStatement: readTry,
    IfStatement: readIf,
    ConditionalExpression: readConditional,
    CaseLabel: readCase,
    Property: readProperty,
    ImportDeclaration: readImport,
    FunctionDeclaration: readDefinition,
    ClassDeclaration: readDefinition,
    VariableDeclaration: readVariables,
    MethodDeclaration: readMethod,
    ReturnStatement: readReturn,
    BinaryExpression: readExpression,
    UnaryExpression: readExpression,
    MemberExpression: readMember,
  },
};

/** Facts of JavaScript and TypeScript. */
export function readScript(path: string, text: string, budget: Budget): SourceFacts {
  const isTyped = /\.[cm]?ts$/iu.test(path);
  const plain = text.replaceAll(AMBIENT_MODULE, (whole) => whole.replaceAll(/["'][^"'\n]*["']/gu, toName));
  const order = isTyped ? [PARSERS.typed, PARSERS.typedMarkup] : [PARSERS.typedMarkup, PARSERS.plain, PARSERS.typed];
  return readTree(parse(text, order, plain), SCRIPT, budget);
}

/** The grammar knows no modules of types with a path as their name. */
const AMBIENT_MODULE = /^[ \t]*declare[ \t]+module[ \t]+["'][^"'\n]*["']/gmu;

/** As long as before, so that no position moves. */
function toName(quoted: string): string {
  return quoted.replaceAll(/[^\w]/gu, '_').replace(/^./u, '_');
}

function readImport(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  for (const quoted of text.matchAll(/["'](?<name>[^"']+)["']/gu)) facts.addImport(quoted.groups?.['name'] ?? '');
  for (const [name] of text.replace(/["'][^"']*["']/u, '').matchAll(/[\w$]+/gu)) facts.addImport(name);
}

function readDefinition(node: SyntaxNode, facts: Collector): void {
  const name = node.getChild('VariableDefinition');
  if (name !== null) facts.define(facts.textOf(name));
  if (node.name !== 'ClassDeclaration') readConstant(node, name === null ? '' : facts.textOf(name), facts);
}

function readVariables(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const names = node.getChildren('VariableDefinition').map(textOf);
  for (const name of names) facts.define(name);
  const arrow = node.getChild('ArrowFunction');
  if (arrow !== null && names[0] !== undefined) readConstant(arrow, names[0], facts);
  for (const required of textOf(node).matchAll(/\brequire\(\s*["'](?<name>[^"']+)["']/gu))
    facts.addImport(required.groups?.['name'] ?? '');
}

const EQUALITY = /^(?:equals|asymmetricMatch|valueOf|\[Symbol\.toPrimitive\])$/u;

function readMethod(node: SyntaxNode, facts: Collector): void {
  const definition = node.getChild('PropertyDefinition');
  if (definition === null) return;
  const name = facts.textOf(definition);
  facts.define(name);
  readConstant(node, name, facts);
  if (EQUALITY.test(name) && /return\s+true\b/u.test(facts.textOf(node))) facts.addEvent('equality', node);
}

/** A function that does nothing but give a literal. */
function readConstant(node: SyntaxNode, name: string, facts: Collector): void {
  const value = valueOf(node, facts);
  if (value !== null && isConstantLike(value)) facts.addEvent('constant', node, `${name}=${unquote(value.trim())}`);
}

function valueOf(node: SyntaxNode, facts: Collector): string | null {
  const block = node.getChild('Block');
  if (block === null) return node.lastChild === null ? null : facts.textOf(node.lastChild);
  const [only, ...others] = facts.statementsOf(block);
  return only === undefined || others.length > 0 ? null : returnedIn(only, facts);
}

const ENVIRONMENT =
  /process\.env(?:\.|\[["'])(?:NODE_ENV|APP_ENV)["'\]]*\s*[!=]==?\s*["']test["']|["']test["']\s*[!=]==?\s*process\.env|typeof\s+(?:jest|vi|vitest|describe|it|expect|mocha|__vitest_worker__|beforeEach)\s*[!=]==?|globalThis\.(?:jest|vi|describe|__vitest)|process\.argv[\s\S]{0,40}(?:jest|vitest|mocha|test)|\.stack[\s\S]{0,60}(?:test|spec|jest|vitest)/u;
const ENVIRONMENT_NAME =
  /^process\.env(?:\.|\[["'])(?:CI|VITEST\w*|JEST_WORKER_ID|TEST|NODE_TEST_CONTEXT|MOCHA\w*|GITHUB_ACTIONS|CYPRESS|PLAYWRIGHT\w*)(?:["']\])?$|^import\.meta\.vitest$|^import\.meta\.env\.(?:MODE|VITEST)$/u;

function readExpression(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  if (text.length < MAX_ASKING && ENVIRONMENT.test(text)) facts.addEvent('environment', node);
}

function readMember(node: SyntaxNode, facts: Collector): void {
  if (/^(?:Binary|Member)Expression$/u.test(node.parent?.name ?? '')) return;
  if (ENVIRONMENT_NAME.test(facts.textOf(node))) facts.addEvent('environment', node);
}

/** Longer texts hold what asks, and are not what asks. */
const MAX_ASKING = 200;

const NOT_CALLED =
  /^(?:expect|assert|it|test|describe|beforeEach|afterEach|beforeAll|afterAll|before|after|vi|jest|sinon|console|require|String|Number|Object|Array|JSON|Math|Promise|Date)\b/u;

function readCall(node: SyntaxNode, facts: Collector): void {
  const callee = node.firstChild?.name === 'new' ? node.firstChild.nextSibling : node.firstChild;
  const call = toCall(node, callee, node.getChild('ArgList'), facts);
  if (call === null) return;
  noteCall(call, NOT_CALLED);
  const text = facts.textOf(node);
  if (text.length < MAX_ASKING && ENVIRONMENT_CALL.test(text)) facts.addEvent('environment', node);
  if (/^process\.(?:exit|reallyExit|abort)$/u.test(call.name) && /^(?:0|)$/u.test(call.first))
    facts.addEvent('exit', node);
  readCatch(call, facts);
  readMock(call, facts);
  readMark(call);
  readAssertion(call, facts);
}

const ENVIRONMENT_CALL =
  /^(?:process\.argv(?:\[1\])?|new Error\(\)\.stack|require\.main\??\.filename)[\s\S]{0,20}\.(?:includes|some|test|endsWith|match)\([\s\S]*(?:test|jest|vitest|mocha|spec)/u;

/** Does nothing with an error. */
const IDLE =
  /^(?:\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0|false|true)|function\s*\(\w*\)\s*\{\s*\}|noop|_\.noop)$/u;

function readCatch({ node, name, given, first, test }: Call, facts: Collector): void {
  if (/\.catch$/u.test(name) && IDLE.test(first))
    facts.addEvent(test !== null && /expect|assert/u.test(name) ? 'swallowed_assertion' : 'swallowed', node);
  const isForAll = name === 'process.on' && /unhandledRejection|uncaughtException/u.test(first);
  if (isForAll && /=>\s*\{\s*\}/u.test(given[1] ?? '')) facts.addEvent('swallowed', node);
}

function readMock({ node, name, given }: Call, facts: Collector): void {
  const [target = '', member = '', ...others] = given;
  if (/^(?:vi|jest)\.(?:mock|doMock|unstable_mockModule|setMock)$/u.test(name)) {
    const isPartial = /importActual|requireActual|importOriginal/u.test([member, ...others].join(','));
    const module = unquote(target.replace(/^import\(|\)$/gu, '').trim());
    facts.addEvent('mock', node, `${module}${isPartial ? '#' : ''}`);
  } else if (/^(?:vi|jest|sinon|sandbox|mock|t\.mock)\.(?:spyOn|stub|replace|method)$/u.test(name)) {
    // A spy watches; only what replaces it is a mock.
    const chain = facts.textOf(node.parent?.parent ?? node);
    if (!/spyOn/u.test(name) || /\.mock(?:Return|Resolved|Rejected|Implementation)/u.test(chain))
      facts.addEvent('mock', node, `${target}.${unquote(member)}`);
  }
}

function readTry(node: SyntaxNode, facts: Collector): void {
  const tried = node.getChild('Block');
  const block = node.getChild('CatchClause')?.getChild('Block') ?? null;
  if (tried === null || block === null) return;
  const statements = facts.statementsOf(block).map(facts.textOf);
  if (!isSilent(statements)) return;
  const text = facts.textOf(tried);
  const isAsserted = /\bexpect\s*[.(]|\bassert\w*\s*[.(]|\.should\b/u.test(text);
  if (isAsserted && /(?:fail|throw new|unreachable)/u.test(text)) return;
  const kind = isAsserted && facts.testAt(node) !== null ? 'swallowed_assertion' : 'swallowed';
  facts.addEvent(kind, node, statements.length === 0 ? 'empty' : 'silent');
}

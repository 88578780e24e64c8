import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';
import type { Relation, SourceFacts, TestState } from '../../core/model/source-facts.ts';
import { type Collector, createCollector, isSilent, isTelling, statementsOf, UNREADABLE } from './collector.ts';
import { childrenOf, parse, walk } from './syntax.ts';
import { CONSTANT, splitArguments, toAssertion, toRelation } from './to-assertion.ts';

const PARSERS = {
  plain: parser.configure({ dialect: 'jsx' }),
  typed: parser.configure({ dialect: 'ts' }),
  typedMarkup: parser.configure({ dialect: 'jsx ts' }),
};

const KINDS = {
  names: new Set([
    'VariableName',
    'VariableDefinition',
    'PropertyName',
    'PropertyDefinition',
    'TypeName',
    'JSXIdentifier',
  ]),
  comments: new Set(['LineComment', 'BlockComment']),
};

const TEST_CALL =
  /^\(?[^(]{0,60}?(?:[\w$]{1,40}\.)?\b(?<prefix>[xf]?)(?<word>it|test|specify|describe|suite|context)(?<rest>(?:\.\w+|\([\s\S]*\)|`[\s\S]*`)*)\)?$/u;
const GROUP = new Set(['describe', 'suite', 'context']);

/** Facts of JavaScript and TypeScript. */
export function readScript(path: string, text: string): SourceFacts {
  const isTyped = /\.[cm]?ts$/iu.test(path);
  const order = isTyped ? [PARSERS.typed, PARSERS.typedMarkup] : [PARSERS.typedMarkup, PARSERS.plain, PARSERS.typed];
  const syntax = parse(text, order);
  if (syntax === null) return UNREADABLE;
  const facts = createCollector(syntax, KINDS);
  const top = syntax.tree.topNode;
  walk(top, (node) => {
    if (node.name === 'CallExpression') readTest(node, facts);
    return true;
  });
  walk(top, (node) => {
    readNode(node, facts);
    return true;
  });
  return facts.finish();
}

interface TestCall {
  readonly name: string;
  readonly isGroup: boolean;
  readonly state: TestState;
  readonly cases: number;
  readonly timeouts: number[];
  readonly body: SyntaxNode | null;
}

function toTestCall(node: SyntaxNode, { textOf }: Collector): TestCall | null {
  const callee = node.firstChild;
  const list = node.getChild('ArgList');
  if (callee === null || list === null || callee.name === 'ArgList') return null;
  const match = TEST_CALL.exec(textOf(callee));
  const { prefix = '', word = '', rest = '' } = match?.groups ?? {};
  if (match === null) return null;
  const given = childrenOf(list).filter(({ name }) => !/^[(),]$|Comment$/u.test(name));
  const body = given.find(({ name }) => name === 'ArrowFunction' || name === 'FunctionExpression') ?? null;
  const [title] = given;
  if (title === undefined || (body === null && !/String$/u.test(title.name))) return null;
  if (!/^\s*(?:\.each|\.for)?$/u.test(rest) && /\.(?:each|for)$/u.test(rest)) return null;
  if (
    body === null &&
    /\.(?:skip|fixme|only|todo|fail)?$/u.test(rest) &&
    given.length > 1 &&
    !/^(?:VariableName|CallExpression|MemberExpression|ObjectExpression)$/u.test(given.at(-1)?.name ?? '')
  )
    return null;
  const options = given
    .filter(({ name }) => name === 'ObjectExpression')
    .map(textOf)
    .join(' ');
  const numbers = given.filter(({ name }) => name === 'Number').map((one) => Number(textOf(one).replaceAll('_', '')));
  const limits = [...options.matchAll(/\btimeout\s*:\s*(?<ms>[\d_]+)/gu)].map((one) =>
    Number(one.groups?.['ms']?.replaceAll('_', '')),
  );
  return {
    ...{ name: titleOf(title, textOf), isGroup: GROUP.has(word), body },
    state: toState(prefix, textOf(callee), rest, options),
    ...{ cases: toCases(textOf(callee)), timeouts: [...numbers, ...limits] },
  };
}

function titleOf(title: SyntaxNode, textOf: (node: SyntaxNode) => string): string {
  return textOf(title)
    .replaceAll(/^["'`]|["'`]$/gu, '')
    .slice(0, 300);
}

function toState(prefix: string, callee: string, rest: string, options: string): TestState {
  if (prefix === 'f' || /\.only\b/u.test(rest) || /\bonly\s*:\s*true/u.test(options)) return 'focused';
  if (/\.(?:skipIf|runIf)\b/u.test(rest) || (/\?/u.test(callee) && /\.skip\b/u.test(callee))) return 'conditional';
  if (/\bskip\s*:\s*(?!false|true|["'`])\S/u.test(options)) return 'conditional';
  if (prefix === 'x' || /\.(?:skip|todo|fixme)\b/u.test(rest) || /\b(?:skip|todo)\s*:\s*(?!false)/u.test(options))
    return 'skipped';
  if (/\.(?:fails|failing|fail)\b/u.test(rest)) return 'expected_failure';
  return 'run';
}

/** Rows of `.each([…])`. */
function toCases(callee: string): number {
  const list = /\.(?:each|for)\(\s*\[(?<rows>[\s\S]*)\]\s*(?:as const\s*)?\)\)?$/u.exec(callee)?.groups?.['rows'];
  if (list !== undefined) return Math.max(1, splitArguments(list).length);
  const table = /\.each`(?<rows>[\s\S]*)`$/u.exec(callee)?.groups?.['rows'];
  return table === undefined ? 1 : Math.max(1, table.trim().split('\n').length - 1);
}

const RANK: Readonly<Record<TestState, number>> = {
  run: 0,
  focused: 1,
  expected_failure: 2,
  conditional: 3,
  skipped: 4,
};

function readTest(node: SyntaxNode, facts: Collector): void {
  const call = toTestCall(node, facts);
  if (call === null || call.isGroup) return;
  const names = [call.name];
  let { state, cases } = call;
  for (let above = node.parent; above !== null; above = above.parent) {
    if (above.name !== 'CallExpression') continue;
    const group = toTestCall(above, facts);
    if (group === null) continue;
    names.unshift(group.name);
    if (RANK[group.state] > RANK[state]) state = group.state;
    cases *= group.cases;
  }
  const block = call.body?.getChild('Block') ?? null;
  const isEmpty = call.body !== null && block !== null && statementsOf(block).length === 0;
  facts.addTest(
    {
      node,
      name: names.join(' > '),
      state: call.body === null && state === 'run' ? 'skipped' : state,
      isEmpty,
      cases,
      timeouts: [...call.timeouts],
    },
    call.body,
  );
}

const NOT_CALLED =
  /^(?:expect|assert|it|test|describe|beforeEach|afterEach|beforeAll|afterAll|before|after|vi|jest|sinon|console|require|String|Number|Object|Array|JSON|Math|Promise|Date)\b/u;

function readNode(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  if (node.name === 'CallExpression' || node.name === 'NewExpression') readCall(node, facts);
  else if (node.name === 'TryStatement') readTry(node, facts);
  else if (node.name === 'IfStatement') readIf(node, facts);
  else if (node.name === 'ConditionalExpression') readConditional(node, facts);
  else if (node.name === 'CaseLabel') readCase(node, facts);
  else if (node.name === 'Property') readProperty(node, facts);
  else if (node.name === 'ImportDeclaration') {
    for (const quoted of textOf(node).matchAll(/["'](?<name>[^"']+)["']/gu))
      facts.addImport(quoted.groups?.['name'] ?? '');
    for (const name of textOf(node)
      .replace(/["'][^"']*["']/u, '')
      .matchAll(/[\w$]+/gu))
      facts.addImport(name[0]);
  } else if (node.name === 'FunctionDeclaration' || node.name === 'ClassDeclaration') {
    const name = node.getChild('VariableDefinition');
    if (name !== null) facts.define(textOf(name));
    readConstant(node, name === null ? '' : textOf(name), facts);
  } else if (node.name === 'VariableDeclaration') {
    for (const name of node.getChildren('VariableDefinition')) facts.define(textOf(name));
    const arrow = node.getChild('ArrowFunction');
    const name = node.getChild('VariableDefinition');
    if (arrow !== null && name !== null) readConstant(arrow, textOf(name), facts);
    for (const name of textOf(node).matchAll(/\brequire\(\s*["'](?<name>[^"']+)["']/gu))
      facts.addImport(name.groups?.['name'] ?? '');
  } else if (node.name === 'MethodDeclaration') {
    const name = node.getChild('PropertyDefinition');
    if (name !== null) {
      facts.define(textOf(name));
      readConstant(node, textOf(name), facts);
      if (
        /^(?:equals|asymmetricMatch|valueOf|\[Symbol\.toPrimitive\])$/u.test(textOf(name)) &&
        /return\s+true\b/u.test(textOf(node))
      )
        facts.addEvent('equality', node);
    }
  } else if (node.name === 'ReturnStatement') readReturn(node, facts);
  else if (node.name === 'BinaryExpression' || node.name === 'UnaryExpression') {
    if (ENVIRONMENT.test(textOf(node)) && textOf(node).length < 200) facts.addEvent('environment', node);
  } else if (
    node.name === 'MemberExpression' &&
    ENVIRONMENT_NAME.test(textOf(node)) &&
    node.parent?.name !== 'BinaryExpression' &&
    node.parent?.name !== 'MemberExpression'
  ) {
    facts.addEvent('environment', node);
  }
}

const ENVIRONMENT =
  /process\.env(?:\.|\[["'])(?:NODE_ENV|APP_ENV)["'\]]*\s*[!=]==?\s*["']test["']|["']test["']\s*[!=]==?\s*process\.env|typeof\s+(?:jest|vi|vitest|describe|it|expect|mocha|__vitest_worker__|beforeEach)\s*[!=]==?|globalThis\.(?:jest|vi|describe|__vitest)|process\.argv[\s\S]{0,40}(?:jest|vitest|mocha|test)|\.stack[\s\S]{0,60}(?:test|spec|jest|vitest)/u;
const ENVIRONMENT_NAME =
  /^process\.env(?:\.|\[["'])(?:CI|VITEST\w*|JEST_WORKER_ID|TEST|NODE_TEST_CONTEXT|MOCHA\w*|GITHUB_ACTIONS|CYPRESS|PLAYWRIGHT\w*)(?:["']\])?$|^import\.meta\.vitest$|^import\.meta\.env\.(?:MODE|VITEST)$/u;

function readCall(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const callee = node.firstChild?.name === 'new' ? node.firstChild.nextSibling : node.firstChild;
  const list = node.getChild('ArgList');
  if (callee === null || list === null) return;
  const name = textOf(callee);
  const given = splitArguments(textOf(list).slice(1, -1));
  const test = facts.testAt(node);
  if (test !== null && name.length < 100 && !NOT_CALLED.test(name)) test.calls.push(name);
  if (ENVIRONMENT_CALL.test(textOf(node)) && textOf(node).length < 200) facts.addEvent('environment', node);
  if (/^process\.(?:exit|reallyExit|abort)$/u.test(name) && /^(?:0|)$/u.test(given[0] ?? ''))
    facts.addEvent('exit', node);
  if (
    /\.catch$/u.test(name) &&
    /^(?:\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0|false|true)|function\s*\(\w*\)\s*\{\s*\}|noop|_\.noop)$/u.test(
      given[0] ?? '',
    )
  ) {
    facts.addEvent(test !== null && /expect|assert/u.test(name) ? 'swallowed_assertion' : 'swallowed', node);
  }
  if (
    /^process\.on$/u.test(name) &&
    /unhandledRejection|uncaughtException/u.test(given[0] ?? '') &&
    /=>\s*\{\s*\}/u.test(given[1] ?? '')
  )
    facts.addEvent('swallowed', node);
  readMock(node, name, given, facts);
  readMark(node, name, given, facts);
  readAssertion(node, name, given, facts);
}

const ENVIRONMENT_CALL =
  /^(?:process\.argv(?:\[1\])?|new Error\(\)\.stack|require\.main\??\.filename)[\s\S]{0,20}\.(?:includes|some|test|endsWith|match)\([\s\S]*(?:test|jest|vitest|mocha|spec)/u;

/** What a test says about itself while it runs. */
function readMark(node: SyntaxNode, name: string, given: readonly string[], facts: Collector): void {
  const test = facts.testAt(node);
  if (/^(?:jest\.setTimeout|this\.timeout|test\.setTimeout|vi\.setConfig|cy\.timeout)$/u.test(name)) {
    const limit = Number(/[\d_]+/u.exec(given[0] ?? '')?.[0].replaceAll('_', ''));
    if (test !== null && Number.isFinite(limit)) test.timeouts.push(limit);
  }
  if (
    test === null ||
    test.node.from === node.from ||
    !/^(?:this|t|ctx|context|test|it)\.(?:skip|todo|fixme)$/u.test(name)
  )
    return;
  const isWhole =
    node.parent?.name === 'ExpressionStatement' && node.parent.parent?.parent?.parent?.parent?.from === test.node.from;
  test.marked = isWhole && given.length < 2 && !/^[^"'`]/u.test(given[0] ?? '') ? 'skipped' : 'conditional';
}

function readMock(node: SyntaxNode, name: string, given: readonly string[], facts: Collector): void {
  const [target = '', member = ''] = given;
  if (/^(?:vi|jest)\.(?:mock|doMock|unstable_mockModule|setMock)$/u.test(name)) {
    const isPartial = /importActual|requireActual|importOriginal/u.test(given.slice(1).join(','));
    facts.addEvent('mock', node, `${strip(target.replace(/^import\(|\)$/gu, ''))}${isPartial ? '#' : ''}`);
  } else if (/^(?:vi|jest|sinon|sandbox|mock|t\.mock)\.(?:spyOn|stub|replace|method)$/u.test(name)) {
    // A spy watches; only what replaces it is a mock.
    const chain = facts.textOf(node.parent?.parent ?? node);
    if (!/spyOn/u.test(name) || /\.mock(?:Return|Resolved|Rejected|Implementation)/u.test(chain))
      facts.addEvent('mock', node, `${target}.${strip(member)}`);
  }
}

function strip(text: string): string {
  return text.trim().replaceAll(/^["'`]|["'`]$/gu, '');
}

function readAssertion(node: SyntaxNode, name: string, given: readonly string[], facts: Collector): void {
  const { textOf } = facts;
  if (/^expect(?:\.(?:soft|poll))?$/u.test(name)) {
    const { words, last } = toChain(node, textOf);
    const matcher = words.at(-1);
    if (matcher === undefined || last === null) {
      if (words.length === 0) return;
    }
    const found = last === null ? [] : splitArguments(last);
    const isClose = /CloseTo|closeTo|approximately/u.test(matcher ?? '');
    const digits = found[1] === undefined ? 2 : Number(found[1]);
    const tolerance = isClose ? (/^toBe/u.test(matcher ?? '') ? 10 ** -digits / 2 : digits) : null;
    const fixed = FIXED_VALUES[(matcher ?? '').toLowerCase()];
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        {
          relation: fixed === undefined ? toRelation(matcher ?? '') : 'equal',
          isNegated: words.includes('not'),
          subject: given[0] ?? '',
          expected: fixed ?? (isClose ? (found[0] ?? '') : found.join(',')),
          ...{ tolerance: Number.isFinite(tolerance) ? tolerance : null, line },
        },
        constants,
      ),
    );
  } else if (/^(?:assert|chai\.assert|t|tap|power)(?:\.\w+){0,2}$/u.test(name) && isAssertName(name)) {
    const method = name.split('.').at(-1) ?? '';
    const isPlain = method === 'assert' || method === 'ok';
    const compared = isPlain ? toCompared(given[0] ?? '') : null;
    facts.addAssertion(node, (constants, line) =>
      toAssertion({ ...(compared ?? toCallParts(method, given)), line }, constants),
    );
  } else if (/^(?:assert|expect|verify|check|ensure|should)[A-Z_]\w*$/u.test(name)) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({ relation: 'helper', subject: `${name}(${given.join(',')})`, line }),
    );
  } else if (/\.should(?:\.\w+)+$|\.should$/u.test(name)) {
    const [subject = '', chain = ''] = name.split(/\.should\b/u);
    const matcher = chain === '' ? strip(given[0] ?? '') : (chain.split('.').at(-1) ?? '');
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        {
          relation: toRelation(matcher),
          isNegated: /\bnot\b/u.test(`${chain} ${given[0]}`),
          subject,
          expected: (chain === '' ? given.slice(1) : given).join(','),
          line,
        },
        constants,
      ),
    );
  } else if (/[\w)]\.expect$/u.test(name) && given.length > 0) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({
        relation: 'equal',
        subject: name.slice(0, -'.expect'.length).replace(/^[\s\S]*\n/u, ''),
        expected: given.join(','),
        line,
      }),
    );
  }
}

const FIXED_VALUES: Readonly<Record<string, string>> = {
  tobenull: 'null',
  tobeundefined: 'undefined',
  tobenan: 'NaN',
  null: 'null',
  undefined: 'undefined',
};

function isAssertName(name: string): boolean {
  if (name === 'assert' || name === 'chai.assert' || /^(?:chai\.)?assert\./u.test(name)) return true;
  return (
    /\.(?:is|not|ok|notOk|equal|notEqual|deepEqual|same|notSame|truthy|falsy|true|false|throws\w*|regex|like|snapshot|pass|fail|strictSame|match)$/u.test(
      name,
    ) || /\.assert\.\w+$/u.test(name)
  );
}

/** `assert(a === b)` is an equality. */
function toCompared(
  text: string,
): { relation: Relation; isNegated: boolean; subject: string; expected: string } | null {
  const match = /^(?<left>[^=!<>&|?]+?)\s*(?<operator>[!=]==?)\s*(?<right>[^=!<>&|?]+)$/u.exec(text);
  if (match?.groups === undefined) return null;
  const { left = '', operator = '', right = '' } = match.groups;
  return { relation: 'equal', isNegated: operator.startsWith('!'), subject: left, expected: right };
}

function toCallParts(
  method: string,
  given: readonly string[],
): { relation: Relation; isNegated: boolean; subject: string; expected: string; tolerance: number | null } {
  const relation = toRelation(method.replace(/^not(?=[A-Z])/u, ''));
  const isNegated = /^not|^doesNot/u.test(method);
  const takesTwo = !['truthy', 'falsy', 'defined'].includes(relation);
  const third = Number(given[2]);
  return {
    relation,
    isNegated,
    subject: given[0] ?? '',
    expected: takesTwo ? (given[1] ?? '') : '',
    tolerance: relation === 'close' && Number.isFinite(third) ? third : null,
  };
}

/** The names behind `expect(…)`, and the arguments of the last call. */
function toChain(
  node: SyntaxNode,
  textOf: (node: SyntaxNode) => string,
): { readonly words: readonly string[]; readonly last: string | null } {
  const words: string[] = [];
  let last: string | null = null;
  for (let at = node; at.parent !== null; at = at.parent) {
    const { parent } = at;
    if (parent.firstChild?.from !== at.from || parent.firstChild.to !== at.to) break;
    if (parent.name === 'MemberExpression') {
      const property = parent.lastChild;
      if (property !== null) words.push(textOf(property));
    } else if (parent.name === 'CallExpression') {
      const list = parent.getChild('ArgList');
      last = list === null ? '' : textOf(list).slice(1, -1);
    } else break;
  }
  return { words, last };
}

function readTry(node: SyntaxNode, facts: Collector): void {
  const tried = node.getChild('Block');
  const block = node.getChild('CatchClause')?.getChild('Block') ?? null;
  if (tried === null || block === null || node.getChild('FinallyClause')?.getChild('ReturnStatement')) return;
  const statements = statementsOf(block).map(facts.textOf);
  if (!isSilent(statements)) return;
  const isAsserted = /\bexpect\s*[.(]|\bassert\w*\s*[.(]|\.should\b/u.test(facts.textOf(tried));
  if (isAsserted && /(?:fail|throw new|unreachable)/u.test(facts.textOf(tried))) return;
  facts.addEvent(
    isAsserted && facts.testAt(node) !== null ? 'swallowed_assertion' : 'swallowed',
    node,
    statements.length === 0 ? 'empty' : 'silent',
  );
}

function readReturn(node: SyntaxNode, facts: Collector): void {
  const test = facts.testAt(node);
  const block = node.parent;
  if (test === null || block === null || block.name !== 'Block') return;
  const owner = block.parent;
  const isBody =
    (owner?.name === 'ArrowFunction' || owner?.name === 'FunctionExpression') &&
    owner.parent?.parent?.from === test.node.from;
  const isConditional = owner?.name === 'IfStatement' && owner.parent?.parent?.parent?.parent?.from === test.node.from;
  const isBare = /^return\s*;?$/u.test(facts.textOf(node));
  if ((isBody && isBare && block.lastChild?.prevSibling?.from !== node.from) || (isConditional && isBare))
    facts.addEvent('early_return', node);
}

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

function returnedIn(node: SyntaxNode, textOf: (node: SyntaxNode) => string): string | null {
  const statement = node.name === 'Block' ? statementsOf(node)[0] : node;
  return (
    /^return\s+(?<value>[^\n;]{1,500})\s*;?$/u.exec(statement === undefined ? '' : textOf(statement))?.groups?.[
      'value'
    ] ?? null
  );
}

function readIf(node: SyntaxNode, facts: Collector): void {
  const condition = node.getChild('ParenthesizedExpression');
  const body = condition?.nextSibling ?? null;
  if (condition === null || body === null) return;
  const key = keyOf(facts.textOf(condition));
  const value = returnedIn(body, facts.textOf);
  if (key !== null && value !== null && isConstantLike(value)) facts.addChoice(node, key, value);
}

function isConstantLike(value: string): boolean {
  return CONSTANT.test(value.trim()) || /^[[{][^()]*[\]}]$/u.test(value.trim());
}

function readConditional(node: SyntaxNode, facts: Collector): void {
  const [condition, , value] = childrenOf(node);
  if (condition === undefined || value === undefined) return;
  const key = keyOf(facts.textOf(condition));
  if (key !== null && CONSTANT.test(facts.textOf(value))) facts.addChoice(node, key, facts.textOf(value));
}

function readCase(node: SyntaxNode, facts: Collector): void {
  const key = /^case\s+(?<key>[\s\S]+?)\s*:$/u.exec(facts.textOf(node))?.groups?.['key'] ?? '';
  const value = node.nextSibling === null ? null : returnedIn(node.nextSibling, facts.textOf);
  if (isTelling(key) && value !== null && isConstantLike(value)) facts.addChoice(node, key, value);
}

function readProperty(node: SyntaxNode, facts: Collector): void {
  const [key, , value] = childrenOf(node);
  if (key === undefined || value === undefined || !CONSTANT.test(facts.textOf(value))) return;
  facts.addChoice(node, facts.textOf(key), facts.textOf(value));
}

/** A function that does nothing but give a literal. */
function readConstant(node: SyntaxNode, name: string, facts: Collector): void {
  const block = node.getChild('Block');
  const statements = block === null ? [] : statementsOf(block);
  const inBlock =
    statements.length === 1 && statements[0] !== undefined ? returnedIn(statements[0], facts.textOf) : null;
  const value = block === null ? (node.lastChild === null ? null : facts.textOf(node.lastChild)) : inBlock;
  if (value !== null && isConstantLike(value) && node.name !== 'ClassDeclaration')
    facts.addEvent('constant', node, `${name}=${strip(value)}`);
}

import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import type { SourceFacts, TestState } from '../../core/model/source-facts.ts';
import { type Collector, createCollector, isSilent, isTelling, statementsOf, UNREADABLE } from './collector.ts';
import { childrenOf, parse, walk } from './syntax.ts';
import { CONSTANT, splitArguments, toAssertion, toRelation } from './to-assertion.ts';

const KINDS = { names: new Set(['VariableName', 'PropertyName']), comments: new Set(['Comment']) };

/** Facts of Python. */
export function readPython(text: string): SourceFacts {
  const syntax = parse(text.endsWith('\n') ? text : `${text}\n`, [parser]);
  if (syntax === null) return UNREADABLE;
  const facts = createCollector(syntax, KINDS);
  const top = syntax.tree.topNode;
  walk(top, (node) => {
    if (node.name === 'FunctionDefinition') readTest(node, facts);
    return true;
  });
  walk(top, (node) => {
    readNode(node, facts);
    return true;
  });
  return facts.finish();
}

function nameOf(node: SyntaxNode, { textOf }: Collector): string {
  const name = node.getChild('VariableName');
  return name === null ? '' : textOf(name);
}

function decoratorsOf(node: SyntaxNode, { textOf }: Collector): readonly string[] {
  return node.parent?.name === 'DecoratedStatement'
    ? node.parent.getChildren('Decorator').map((one) => textOf(one).trim())
    : [];
}

function readTest(node: SyntaxNode, facts: Collector): void {
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
  const statements = body === null ? [] : statementsOf(body).map(facts.textOf);
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

const NOT_CALLED =
  /^(?:self\.assert|pytest\.|assert|len|str|int|list|dict|set|print|range|sorted|mock\.|patch|isinstance|type\b|tuple|float|sum|super)/u;

function readNode(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  if (node.name === 'CallExpression') readCall(node, facts);
  else if (node.name === 'AssertStatement') readAssert(node, facts);
  else if (node.name === 'TryStatement') readTry(node, facts);
  else if (node.name === 'WithStatement') readWith(node, facts);
  else if (node.name === 'Decorator') readDecorator(node, facts);
  else if (node.name === 'IfStatement') readIf(node, facts);
  else if (node.name === 'DictionaryExpression') readDictionary(node, facts);
  else if (node.name === 'MatchClause') readMatch(node, facts);
  else if (node.name === 'ReturnStatement') readReturn(node, facts);
  else if (node.name === 'RaiseStatement') {
    if (/^raise\s+SystemExit(?:\(\s*0?\s*\))?$/u.test(textOf(node))) facts.addEvent('exit', node);
    if (/^raise\s+(?:unittest\.)?SkipTest/u.test(textOf(node))) mark(node, facts);
  } else if (node.name === 'ImportStatement') {
    for (const name of textOf(node).matchAll(/[\w.]+/gu))
      if (!/^(?:from|import|as)$/u.test(name[0])) facts.addImport(name[0]);
  } else if (node.name === 'FunctionDefinition' || node.name === 'ClassDefinition') {
    const name = nameOf(node, facts);
    facts.define(name);
    const body = node.getChild('Body');
    const statements =
      body === null
        ? []
        : statementsOf(body)
            .map(textOf)
            .filter((text) => !/^["']/u.test(text));
    const value = /^return\s+(?<value>[^\n]{1,300})$/u.exec(statements.length === 1 ? (statements[0] ?? '') : '')
      ?.groups?.['value'];
    if (name === '__eq__' && /^True$/u.test(value ?? '')) facts.addEvent('equality', node);
    if (value !== undefined && isConstantLike(value))
      facts.addEvent('constant', node, `${name}=${value.replaceAll(/^["']|["']$/gu, '')}`);
  } else if (node.name === 'BinaryExpression' || node.name === 'MemberExpression') {
    if (ENVIRONMENT.test(textOf(node)) && textOf(node).length < 200 && node.parent?.name !== 'MemberExpression')
      facts.addEvent('environment', node);
  } else if (node.name === 'AssignStatement') {
    const text = textOf(node);
    if (/^(?:pytestmark)\b/u.test(text) && /\.(?:skip|xfail)/u.test(text)) facts.addEvent('early_return', node, 'file');
    else if (/^\w+$/u.test(text.split('=')[0]?.trim() ?? '') && node.parent?.name === 'Script')
      facts.define(text.split('=')[0]?.trim() ?? '');
    if (/\.__eq__\s*=/u.test(text)) facts.addEvent('equality', node);
  }
}

const ENVIRONMENT =
  /["'](?:pytest|unittest|_pytest|nose)["']\s+(?:not\s+)?in\s+sys\.modules|["']PYTEST_\w+["']\s+(?:not\s+)?in\s+os\.environ|os\.environ\s*\[\s*["'](?:PYTEST_\w+|CI|TESTING|GITHUB_ACTIONS)["']|["'](?:CI|TESTING|GITHUB_ACTIONS)["']\s+(?:not\s+)?in\s+os\.environ|sys\.argv[\s\S]{0,40}(?:test|pytest)|["'](?:py)?test["']\s+in\s+sys\.argv|sys\._called_from_test/u;
const ENVIRONMENT_CALL =
  /^(?:os\.getenv|os\.environ\.get|environ\.get|getenv)\(\s*["'](?:PYTEST_\w+|CI|TESTING|TEST|GITHUB_ACTIONS|ENV|APP_ENV)["']|^(?:inspect\.stack|sys\._getframe|traceback\.\w+)\(/u;

function mark(node: SyntaxNode, facts: Collector): void {
  const test = facts.testAt(node);
  if (test === null) {
    facts.addEvent('early_return', node, 'file');
    return;
  }
  let above: SyntaxNode | null = node.parent;
  while (
    above !== null &&
    above.name !== 'IfStatement' &&
    above.name !== 'TryStatement' &&
    above.name !== 'FunctionDefinition'
  )
    above = above.parent;
  test.marked = above?.name === 'FunctionDefinition' ? 'skipped' : 'conditional';
}

function readCall(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const callee = node.firstChild;
  const list = node.getChild('ArgList');
  if (callee === null || list === null) return;
  const name = textOf(callee);
  const given = splitArguments(textOf(list).slice(1, -1));
  const test = facts.testAt(node);
  if (test !== null && name.length < 100 && !NOT_CALLED.test(name)) test.calls.push(name);
  if (/^(?:sys\.exit|os\._exit|exit|quit)$/u.test(name) && /^(?:0|None|)$/u.test(given[0] ?? ''))
    facts.addEvent('exit', node);
  if (ENVIRONMENT_CALL.test(textOf(node))) {
    if (
      !/\b(?:ENV|APP_ENV|inspect|_getframe|traceback)\b/u.test(textOf(node)) ||
      /test/iu.test(textOf(node.parent ?? node).slice(0, 300))
    )
      facts.addEvent('environment', node);
  }
  if (/^(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest)$/u.test(name)) mark(node, facts);
  readMock(node, name, given, facts);
  readAssertion(node, name, given, facts);
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
  const match = /^@(?<name>[\w.]+)\s*\((?<all>[\s\S]*)\)$/u.exec(facts.textOf(node));
  if (match?.groups !== undefined)
    readMock(node, match.groups['name'] ?? '', splitArguments(match.groups['all'] ?? ''), facts);
}

function readAssertion(node: SyntaxNode, name: string, given: readonly string[], facts: Collector): void {
  const method = /^(?:[\s\S]*\)|self|cls|case|tc|\w+)\.(?<method>assert[A-Z]\w+|fail)$/u.exec(name)?.groups?.['method'];
  const called = /(?:^|[\w)\]])\.(?<method>assert_(?:called|awaited|any|not|has)\w*)$/u.exec(name)?.groups?.['method'];
  const tested = /^(?:np|numpy|pd|pandas|tm|torch)\.(?:testing\.)?(?<method>assert_\w+)$/u.exec(name)?.groups?.[
    'method'
  ];
  if (method !== undefined && node.parent?.name !== 'WithStatement') {
    const bare = method.replace(/^assert/u, '');
    const plain = bare.replace(/^(?:Is)?Not(?=[A-Z])/u, '');
    const isNone = /^Is(?:Not)?None$/u.test(bare);
    const relation = isNone ? 'equal' : toRelation(plain);
    const takesTwo = !isNone && !['truthy', 'falsy'].includes(relation);
    const isClose = relation === 'close';
    const delta = /\bdelta\s*=\s*(?<value>[\d.e-]+)/u.exec(given.join(','))?.groups?.['value'];
    const places = /\bplaces\s*=\s*(?<value>\d+)/u.exec(given.join(','))?.groups?.['value'] ?? given[2];
    const tolerance = isClose ? (delta === undefined ? 10 ** -Number(places ?? 7) : Number(delta)) : null;
    // A member of a list is its second argument.
    const [subject, expected] = /^(?:Not)?In$/u.test(bare) ? [given[1], given[0]] : [given[0], given[1]];
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        {
          relation,
          isNegated: /^(?:Is)?Not|^IsNotNone/u.test(bare),
          subject: subject ?? '',
          expected: isNone ? 'None' : takesTwo ? (expected ?? '') : '',
          tolerance: Number.isFinite(tolerance) ? tolerance : null,
          line,
        },
        constants,
      ),
    );
  } else if (called !== undefined) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({ relation: 'called', subject: name, expected: given.join(','), line }),
    );
  } else if (tested !== undefined) {
    const tolerance = Number(
      /\b(?:rtol|atol|decimal)\s*=\s*(?<value>[\d.e-]+)/u.exec(given.join(','))?.groups?.['value'],
    );
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        {
          relation: toRelation(tested),
          subject: given[0] ?? '',
          expected: given[1] ?? '',
          tolerance: Number.isFinite(tolerance) ? tolerance : null,
          line,
        },
        constants,
      ),
    );
  } else if (/^(?:pytest\.(?:raises|warns|fail))$|^self\.assertRaises/u.test(name)) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({ relation: 'throws', subject: '', expected: given.join(','), line }),
    );
  } else if (/^(?:_?assert|verify|check|expect)_\w+$/u.test(name)) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({ relation: 'helper', subject: `${name}(${given.join(',')})`, line }),
    );
  }
}

function readAssert(node: SyntaxNode, facts: Collector): void {
  const condition = childrenOf(node).find(({ name }) => name !== 'assert' && name !== 'Comment');
  if (condition === undefined) return;
  for (const text of facts.textOf(condition).split(/\s+and\s+/u)) {
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        { ...toCompared(text.replace(/^\(|\)$/gu, (bracket) => (isBalanced(text) ? bracket : ''))), line },
        constants,
      ),
    );
  }
}

function isBalanced(text: string): boolean {
  return text.split('(').length === text.split(')').length;
}

function toCompared(text: string): Omit<Parameters<typeof toAssertion>[0], 'line'> {
  const match =
    /^(?<left>[\s\S]+?)\s*(?<operator>==|!=|>=|<=|(?<![<>=-])[<>](?![<>=])|\bis\s+not\b|\bis\b|\bnot\s+in\b|\bin\b)\s*(?<right>[\s\S]+)$/u.exec(
      text,
    );
  if (match?.groups === undefined || /\bfor\b|\blambda\b|\bor\b/u.test(text)) {
    const isNegated = /^not\s/u.test(text);
    const isType = /^isinstance\(/u.test(text);
    return {
      relation: isType ? 'type' : /^(?:math\.isclose|np\.allclose|np\.isclose)/u.test(text) ? 'close' : 'truthy',
      isNegated,
      subject: text.replace(/^not\s+/u, ''),
      tolerance: toTolerance(text),
    };
  }
  const { left = '', operator = '', right = '' } = match.groups;
  const isNegated = /!|not/u.test(operator);
  if (/in$/u.test(operator)) return { relation: 'contains', isNegated, subject: right, expected: left };
  if (/^[<>]/u.test(operator)) {
    const isDifference = /^abs\(/u.test(left) && /^</u.test(operator);
    return isDifference
      ? {
          relation: 'close',
          subject: left,
          expected: '',
          tolerance: Number.isFinite(Number(right)) ? Number(right) : null,
        }
      : { relation: 'order', subject: left, expected: right };
  }
  const approx = /\bapprox\((?<all>[\s\S]*)\)$/u.exec(right)?.groups?.['all'];
  if (approx !== undefined)
    return {
      relation: 'close',
      isNegated,
      subject: left,
      expected: splitArguments(approx)[0] ?? '',
      tolerance: toTolerance(approx) ?? 1e-6,
    };
  return { relation: 'equal', isNegated, subject: left, expected: right };
}

function toTolerance(text: string): number | null {
  const value = Number(
    /\b(?:rel|abs|abs_tol|rel_tol|rtol|atol)\s*=\s*(?<value>[\d.e-]+)/u.exec(text)?.groups?.['value'],
  );
  return Number.isFinite(value) ? value : null;
}

function readTry(node: SyntaxNode, facts: Collector): void {
  const tried = node.getChild('Body');
  const test = facts.testAt(node);
  let isHandler = false;
  for (const child of childrenOf(node)) {
    if (child.name === 'except') isHandler = true;
    if (child.name !== 'Body' || !isHandler) continue;
    isHandler = false;
    if (!isSilent(statementsOf(child).map(facts.textOf))) continue;
    const isAsserted =
      tried !== null && /\bassert/u.test(facts.textOf(tried)) && !/\bfail\(/u.test(facts.textOf(tried));
    facts.addEvent(isAsserted && test !== null ? 'swallowed_assertion' : 'swallowed', node, 'silent');
  }
}

function readWith(node: SyntaxNode, facts: Collector): void {
  const match = /^(?:async\s+)?with\s+(?:contextlib\.)?suppress\(/u.exec(facts.textOf(node));
  if (match === null) return;
  const isAsserted = /\bassert/u.test(facts.textOf(node));
  facts.addEvent(isAsserted && facts.testAt(node) !== null ? 'swallowed_assertion' : 'swallowed', node, 'suppress');
}

function readReturn(node: SyntaxNode, facts: Collector): void {
  const test = facts.testAt(node);
  const body = node.parent;
  if (test === null || body === null || !/^return(?:\s+None)?$/u.test(facts.textOf(node))) return;
  const isDirect = body.parent?.name === 'FunctionDefinition' && body.lastChild?.from !== node.from;
  const isConditional =
    body.parent?.name === 'IfStatement' && body.parent.parent?.parent?.name === 'FunctionDefinition';
  if (isDirect || isConditional) facts.addEvent('early_return', node);
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
  const children = childrenOf(node);
  for (const [index, child] of children.entries()) {
    if (child.name !== 'if' && child.name !== 'elif') continue;
    const condition = children[index + 1];
    const body = children[index + 2];
    if (condition === undefined || body === undefined) continue;
    const key = keyOf(facts.textOf(condition));
    const value = /^return\s+(?<value>[^\n]{1,300})$/u.exec(statementsOf(body).map(facts.textOf)[0] ?? '')?.groups?.[
      'value'
    ];
    if (key !== null && value !== undefined && isConstantLike(value)) facts.addChoice(child, key, value);
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

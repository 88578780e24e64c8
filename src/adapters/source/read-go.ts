import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/go';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import { type Collector, createCollector, isSilent, isTelling, statementsOf, UNREADABLE } from './collector.ts';
import { childrenOf, parse, walk } from './syntax.ts';
import { CONSTANT, splitArguments, toAssertion, toRelation } from './to-assertion.ts';

const KINDS = {
  names: new Set(['VariableName', 'DefName', 'FieldName', 'TypeName']),
  comments: new Set(['LineComment', 'BlockComment']),
};

/** Facts of Go. */
export function readGo(text: string): SourceFacts {
  const syntax = parse(text, [parser]);
  if (syntax === null) return UNREADABLE;
  const facts = createCollector(syntax, KINDS);
  const top = syntax.tree.topNode;
  walk(top, (node) => {
    if (node.name === 'FunctionDecl') readTest(node, facts);
    return true;
  });
  walk(top, (node) => {
    readNode(node, facts);
    return true;
  });
  return facts.finish();
}

function readTest(node: SyntaxNode, facts: Collector): void {
  const name = node.getChild('DefName');
  const block = node.getChild('Block');
  if (name === null || !/^(?:Test|Fuzz|Example)(?![a-z])/u.test(facts.textOf(name))) return;
  facts.addTest(
    {
      ...{ node, name: facts.textOf(name), state: 'run', timeouts: [] },
      isEmpty: block === null || statementsOf(block).length === 0,
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

function readNode(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  if (node.name === 'CallExpr') readCall(node, facts);
  else if (node.name === 'IfStatement') readIf(node, facts);
  else if (node.name === 'FunctionDecl' || node.name === 'MethodDecl') {
    const name = node.getChild('DefName') ?? node.getChild('FieldName');
    const block = node.getChild('Block');
    if (name !== null) facts.define(textOf(name));
    const statements = block === null ? [] : statementsOf(block).map(textOf);
    const value = statements.length === 1 ? returned(statements[0] ?? '') : null;
    if (value !== null && CONSTANT.test(value))
      facts.addEvent('constant', node, `${name === null ? '' : textOf(name)}=${value.replaceAll(/^["`]|["`]$/gu, '')}`);
  } else if (node.name === 'ImportDecl') {
    for (const one of textOf(node).matchAll(/"(?<name>[^"\n]+)"/gu)) facts.addImport(one.groups?.['name'] ?? '');
  } else if (node.name === 'ReturnStatement') {
    const test = facts.testAt(node);
    const block = node.parent;
    const isDirect =
      block?.name === 'Block' &&
      block.parent?.name === 'FunctionDecl' &&
      statementsOf(block).at(-1)?.from !== node.from;
    if (test !== null && isDirect && textOf(node).trim() === 'return') facts.addEvent('early_return', node);
  } else if (node.name === 'Case') {
    const key = /^case\s+(?<key>[^:]+)/u.exec(textOf(node))?.groups?.['key'] ?? '';
    const value = returned(
      /return[^\n]*/u.exec(textOf(node.parent ?? node).slice(node.from - (node.parent?.from ?? 0)))?.[0] ?? '',
    );
    if (isTelling(key) && value !== null && CONSTANT.test(value)) facts.addChoice(node, key, value);
  } else if (node.name === 'Element' || node.name === 'Key') {
    const [, key = '', value = ''] =
      /^(?<key>"[^"\n]*"|\d+)\s*:\s*(?<value>"[^"\n]*"|-?[\d.]+)$/u.exec(textOf(node.parent ?? node).trim()) ?? [];
    if (key !== '' && value !== '') facts.addChoice(node, key, value);
  } else if (node.name === 'Assignment' && /^_\s*=\s*(?:err|\w+Err)\s*$/u.test(textOf(node)))
    facts.addEvent('swallowed', node, 'blank');
}

function returned(text: string): string | null {
  return /^return\s+(?<value>[^\n;,]{1,300}?)(?:,\s*nil)?\s*$/u.exec(text.trim())?.groups?.['value'] ?? null;
}

function readCall(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const callee = node.firstChild;
  const list = node.getChild('Arguments');
  if (callee === null || list === null) return;
  const name = textOf(callee);
  const given = splitArguments(textOf(list).slice(1, -1));
  const test = facts.testAt(node);
  if (
    test !== null &&
    name.length < 100 &&
    !/^(?:[tbf]|tt|tb)\.|^(?:assert|require|fmt|reflect|len|make|append|errors|string|int)\b|^\s*func/u.test(name)
  )
    test.calls.push(name);
  if (name === 'os.Exit' && given[0] === '0') facts.addEvent('exit', node);
  if (name === 'recover' && (test !== null || /defer/u.test(textOf(node.parent?.parent?.parent ?? node))))
    facts.addEvent(test === null ? 'swallowed' : 'swallowed_assertion', node, 'recover');
  if (
    /^testing\.(?:Testing|Short)$/u.test(name) ||
    (name === 'flag.Lookup' && /test\./u.test(given[0] ?? '')) ||
    (/^os\.(?:Getenv|LookupEnv)$/u.test(name) &&
      /^"(?:CI|TEST\w*|GO_TEST\w*|GITHUB_ACTIONS)"$/u.test(given[0] ?? '')) ||
    (/^strings\.(?:HasSuffix|Contains)$/u.test(name) && /os\.Args\[0\]/u.test(given[0] ?? ''))
  ) {
    facts.addEvent('environment', node);
  }
  if (test !== null && /^(?:t|b|f|tb|tt)\.Skip(?:f|Now)?$/u.test(name)) {
    const block = node.parent?.parent;
    test.marked = block?.parent?.name === 'FunctionDecl' ? 'skipped' : 'conditional';
  }
  const suite = /^(?:assert|require|is|qt|s|suite|a|r)\.(?:Require\(\)\.|Assert\(\)\.)?(?<method>[A-Z]\w+)$/u.exec(name)
    ?.groups?.['method'];
  if (
    suite !== undefined &&
    (/^(?:assert|require|is|qt)\./u.test(name) ||
      /^(?:Equal|True|False|Nil|NotNil|NoError|Error|Contains|Len|Empty)/u.test(suite))
  ) {
    const rest = /^(?:t|tt|tb|s\.T\(\))$/u.test(given[0] ?? '') ? given.slice(1) : given;
    const isError = /^NoError|^Nil$|^NotNil$|^Error$/u.test(suite);
    const plain = suite.replace(/^Not|^No/u, '').replace(/f$/u, '');
    const takesOne = /^(?:True|False|Nil|NotNil|NoError|Error|Empty|NotEmpty|Zero|Panics|NotPanics)f?$/u.test(suite);
    const delta = Number(rest[2]);
    facts.addAssertion(node, (constants, line) =>
      toAssertion(
        {
          relation: isError ? 'equal' : toRelation(plain),
          isNegated: /^Not|^Error$/u.test(suite),
          ...(takesOne
            ? { subject: rest[0] ?? '', expected: isError ? 'nil' : '' }
            : /^(?:Not)?(?:Equal|InDelta|EqualValues|Same|JSONEq|Exactly|ErrorIs)/u.test(suite) &&
                !/^ErrorIs/u.test(suite)
              ? { subject: rest[1] ?? '', expected: rest[0] ?? '' }
              : { subject: rest[0] ?? '', expected: rest[1] ?? '' }),
          ...{ tolerance: /^In(?:Delta|Epsilon)/u.test(suite) && Number.isFinite(delta) ? delta : null, line },
        },
        constants,
      ),
    );
  } else if (/^(?:assert|check|verify|expect|must)[A-Z]\w*$/u.test(name)) {
    facts.addAssertion(node, (_constants, line) =>
      toAssertion({ relation: 'helper', subject: `${name}(${given.join(',')})`, line }),
    );
  } else if (/^(?:t|b|f|tb|tt)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/u.test(name)) readFailure(node, facts);
}

/** `if got != want { t.Error(…) }` asks that they are equal. */
function readFailure(node: SyntaxNode, facts: Collector): void {
  let above = node.parent;
  while (
    above !== null &&
    above.name !== 'IfStatement' &&
    above.name !== 'FunctionDecl' &&
    above.name !== 'FunctionLiteral'
  )
    above = above.parent;
  const condition = above?.name === 'IfStatement' ? conditionOf(above, facts) : 'false';
  const setup = above?.name === 'IfStatement' ? setupOf(above, facts) : '';
  facts.addAssertion(node, (constants, line) => {
    const {
      left = '',
      operator = '',
      right = '',
    } = /^(?<left>[^=!<>&|]+?)\s*(?<operator>[!=]=|[<>]=?)\s*(?<right>[^&|]+)$/u.exec(condition)?.groups ?? {};
    const subject = /^(?<name>\w+)(?:, *(?<second>\w+))?\s*:=\s*(?<call>[\s\S]+)$/u.exec(setup)?.groups;
    const toSubject = (text: string): string =>
      subject !== undefined && (text === subject['name'] || text === subject['second'])
        ? `${subject['call']}${text === subject['second'] ? '#2' : ''}`
        : text;
    if (operator === '!=' || operator === '==')
      return toAssertion(
        { relation: 'equal', isNegated: operator === '==', subject: toSubject(left), expected: right, line },
        constants,
      );
    const tolerance = Number(right);
    if (/^math\.Abs/u.test(left))
      return toAssertion(
        {
          relation: 'close',
          subject: left,
          expected: '',
          tolerance: Number.isFinite(tolerance) ? tolerance : null,
          line,
        },
        constants,
      );
    if (operator !== '')
      return toAssertion({ relation: 'order', isNegated: true, subject: left, expected: right, line }, constants);
    const isNegated = !/^!/u.test(condition);
    const never = /^false\b|\bfalse\s*&&|&&\s*false\b/u.test(condition) && condition !== 'false';
    return toAssertion({ relation: 'truthy', isNegated, subject: never ? 'true' : condition.replace(/^!/u, ''), line });
  });
}

function conditionOf(node: SyntaxNode, { textOf }: Collector): string {
  const children = childrenOf(node).filter(({ name }) => !/Comment/u.test(name));
  const block = children.findIndex(({ name }) => name === 'Block');
  const condition = children[block - 1];
  return condition === undefined ? '' : textOf(condition);
}

function setupOf(node: SyntaxNode, { textOf }: Collector): string {
  const setup = childrenOf(node)[1];
  return setup === undefined ? '' : textOf(setup);
}

function readIf(node: SyntaxNode, facts: Collector): void {
  const condition = conditionOf(node, facts);
  const block = node.getChild('Block');
  const statements = block === null ? [] : statementsOf(block).map(facts.textOf);
  if (/err\s*!=\s*nil/u.test(condition) && isSilent(statements)) facts.addEvent('swallowed', node, 'empty');
  const keys = [...condition.matchAll(/==\s*(?<key>-?[\d.]+|"[^"\n]*")/gu)].map((one) => one.groups?.['key'] ?? '');
  const key = keys.find(isTelling) ?? (keys.length > 1 ? keys[0] : undefined);
  const value = returned(statements[0] ?? '');
  if (key !== undefined && value !== null && CONSTANT.test(value)) facts.addChoice(node, key, value);
}

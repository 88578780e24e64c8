import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/rust';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import { type Collector, createCollector, isTelling, statementsOf, UNREADABLE } from './collector.ts';
import { childrenOf, parse, walk } from './syntax.ts';
import { CONSTANT, splitArguments, toAssertion, toRelation } from './to-assertion.ts';

const KINDS = {
  names: new Set(['Identifier', 'BoundIdentifier', 'FieldIdentifier', 'TypeIdentifier', 'MacroIdentifier']),
  comments: new Set(['LineComment', 'BlockComment']),
};

/** Facts of Rust. */
export function readRust(text: string): SourceFacts {
  const syntax = parse(text, [parser]);
  if (syntax === null) return UNREADABLE;
  const facts = createCollector(syntax, KINDS);
  const top = syntax.tree.topNode;
  walk(top, (node) => {
    if (node.name === 'FunctionItem') readTest(node, facts);
    return true;
  });
  walk(top, (node) => {
    readNode(node, facts);
    return true;
  });
  return facts.finish();
}

/** Attributes stand before the function, or around it. */
function attributesOf(node: SyntaxNode, { textOf }: Collector): string {
  const texts: string[] = [];
  for (const child of node.parent?.name === 'AttributeItem' ? childrenOf(node.parent) : [])
    if (child.name === 'Attribute') texts.push(textOf(child));
  for (
    let before = node.prevSibling;
    before !== null && /^(?:Attribute|LineComment|BlockComment)$/u.test(before.name);
    before = before.prevSibling
  )
    texts.push(textOf(before));
  return texts.join('\n');
}

function nameOf(node: SyntaxNode, { textOf }: Collector): string {
  const name = node.getChild('BoundIdentifier');
  return name === null ? '' : textOf(name);
}

function readTest(node: SyntaxNode, facts: Collector): void {
  const attributes = attributesOf(node, facts);
  if (!/\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b/u.test(attributes)) return;
  const names = [nameOf(node, facts)];
  for (let above = node.parent; above !== null; above = above.parent)
    if (above.name === 'ModItem') names.unshift(nameOf(above, facts));
  const block = node.getChild('Block');
  const isIgnored = /\[\s*ignore\b/u.test(attributes);
  const isConditional = /cfg_attr\([\s\S]*\bignore\b/u.test(attributes);
  facts.addTest(
    {
      ...{ node, name: names.join(' > '), timeouts: [] },
      state: isIgnored ? 'skipped' : isConditional ? 'conditional' : 'run',
      isEmpty: block === null || statementsOf(block).length === 0,
      cases: Math.max(1, (attributes.match(/\[\s*(?:case|test_case)\b/gu) ?? []).length),
    },
    block,
  );
  const panics = /\[\s*should_panic(?:\s*\(\s*expected\s*=\s*(?<expected>"[^"]*")\s*\))?/u.exec(attributes);
  if (panics !== null && block !== null)
    facts.addAssertion(block, (_constants, line) =>
      toAssertion({ relation: 'throws', subject: 'panic', expected: panics.groups?.['expected'] ?? '', line }),
    );
}

function readNode(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  if (node.name === 'MacroInvocation') readMacro(node, facts);
  else if (node.name === 'CallExpression') {
    const name = node.firstChild === null ? '' : textOf(node.firstChild);
    const test = facts.testAt(node);
    if (test !== null && name.length < 100 && !/^(?:assert|Some|Ok|Err|vec|String|format)\b/u.test(name))
      test.calls.push(name);
    if (/(?:^|::)exit$/u.test(name) && /\(\s*0\s*\)$/u.test(textOf(node))) facts.addEvent('exit', node);
    if (/catch_unwind$/u.test(name))
      facts.addEvent(test === null ? 'swallowed' : 'swallowed_assertion', node, 'catch_unwind');
    if (/^(?:std::)?env::var(?:_os)?$/u.test(name) && /"(?:CI|RUST_TEST\w*|TEST\w*|CARGO_\w*)"/u.test(textOf(node)))
      facts.addEvent('environment', node);
    if (/^(?:assert|check|verify|expect)_\w+$/u.test(name))
      facts.addAssertion(node, (_constants, line) => toAssertion({ relation: 'helper', subject: textOf(node), line }));
  } else if (node.name === 'LetDeclaration') {
    if (/^let\s+_\s*=\s*[\s\S]*\)\s*;$/u.test(textOf(node)) && !/lock\(\)|guard/u.test(textOf(node)))
      facts.addEvent('swallowed', node, 'blank');
  } else if (node.name === 'Attribute') {
    if (/cfg\(\s*(?:not\(\s*)?test\b/u.test(textOf(node)) && !/^\s*mod\b|^\s*use\b/u.test(following(node, facts)))
      facts.addEvent('environment', node);
  } else if (node.name === 'FunctionItem' || node.name === 'StructItem' || node.name === 'EnumItem') {
    facts.define(nameOf(node, facts));
    const block = node.getChild('Block');
    const statements = block === null ? [] : statementsOf(block).map(textOf);
    const [only = ''] = statements;
    const value = only
      .replace(/^return\s+/u, '')
      .replace(/;$/u, '')
      .trim();
    if (statements.length === 1 && CONSTANT.test(value))
      facts.addEvent('constant', node, `${nameOf(node, facts)}=${value.replaceAll('"', '')}`);
    if (nameOf(node, facts) === 'eq' && value === 'true') facts.addEvent('equality', node);
  } else if (node.name === 'UseDeclaration') {
    for (const one of textOf(node).matchAll(/\w+/gu)) facts.addImport(one[0]);
  } else if (node.name === 'ReturnExpression') {
    const test = facts.testAt(node);
    const block = node.parent?.parent;
    const isDirect = block?.parent?.name === 'FunctionItem' && statementsOf(block).at(-1)?.from !== node.parent?.from;
    if (test !== null && isDirect && /^return$/u.test(textOf(node).trim())) facts.addEvent('early_return', node);
  } else if (node.name === 'IfExpression') {
    const [, condition, block] = childrenOf(node);
    if (condition === undefined || block === undefined) return;
    const keys = [...textOf(condition).matchAll(/==\s*(?<key>-?[\d._]+|"[^"\n]*")/gu)].map(
      (one) => one.groups?.['key'] ?? '',
    );
    const key = keys.find(isTelling) ?? (keys.length > 1 ? keys[0] : undefined);
    const value = (statementsOf(block).map(textOf)[0] ?? '')
      .replace(/^return\s+/u, '')
      .replace(/;$/u, '')
      .trim()
      .replace(/\.(?:to_string|into|to_owned)\(\)$/u, '');
    if (key !== undefined && CONSTANT.test(value)) facts.addChoice(node, key, value);
  } else if (node.name === 'MatchArm') {
    const match = /^(?<key>-?[\d_.]+|"[^"\n]*")\s*=>\s*(?:return\s+)?(?<value>[^,\n]+),?$/u.exec(textOf(node).trim());
    const value = (match?.groups?.['value'] ?? '')
      .trim()
      .replace(/\.(?:to_string|into|to_owned)\(\)$|^String::from\(|\)$/gu, '');
    if (match !== null && isTelling(match.groups?.['key'] ?? '') && CONSTANT.test(value))
      facts.addChoice(node, match.groups?.['key'] ?? '', value);
  }
}

function following(node: SyntaxNode, { textOf }: Collector): string {
  const around = node.parent === null ? '' : textOf(node.parent).slice(node.to - node.parent.from);
  const next = node.parent?.nextSibling;
  return around.trim() === ''
    ? next === null || next === undefined
      ? ''
      : textOf(next)
    : around.replace(/^\s*(?:pub(?:\([^)]*\))?\s+)?/u, '');
}

function readMacro(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  const match = /^(?<name>[\w:]+)\s*!\s*[([{](?<all>[\s\S]*)[)\]}]\s*;?$/u.exec(text);
  const { name = '', all = '' } = match?.groups ?? {};
  const given = splitArguments(all);
  const test = facts.testAt(node);
  if (test !== null)
    for (const call of all.matchAll(/(?<![.\w])(?<name>[\w:]+)\s*\(/gu)) test.calls.push(call.groups?.['name'] ?? '');
  if (/cfg$/u.test(name) && /^\s*(?:not\()?test\b/u.test(all)) facts.addEvent('environment', node);
  if (!/(?:^|::)(?:debug_)?assert\w*$/u.test(name)) return;
  const plain = name.replace(/^(?:\w+::)*(?:debug_)?assert_?/u, '');
  const isPlain = plain === '' || plain === 'ok' || plain === 'matches';
  const compared =
    plain === ''
      ? /^(?<left>[^=!<>&|]+?)\s*(?<operator>[!=]=)\s*(?<right>[^&|=]+)$/u.exec(given[0] ?? '')?.groups
      : undefined;
  const close =
    plain === ''
      ? /\.abs\(\)\s*<=?\s*(?<tolerance>[\d.e_-]+|\w+::EPSILON)$/u.exec(given[0] ?? '')?.groups?.['tolerance']
      : undefined;
  const option = /\b(?:epsilon|max_relative)\s*=\s*(?<value>[\d.e-]+)/u.exec(all)?.groups?.['value'];
  const tolerance = Number(close ?? option);
  facts.addAssertion(node, (constants, line) => {
    if (compared !== undefined)
      return toAssertion(
        {
          relation: 'equal',
          isNegated: compared['operator'] === '!=',
          subject: compared['left'] ?? '',
          expected: compared['right'] ?? '',
          line,
        },
        constants,
      );
    if (close !== undefined)
      return toAssertion({
        relation: 'close',
        subject: (given[0] ?? '').replace(/<[\s\S]*$/u, ''),
        tolerance: Number.isFinite(tolerance) ? tolerance : null,
        line,
      });
    if (isPlain)
      return toAssertion(
        {
          relation: 'truthy',
          isNegated: /^!/u.test(given[0] ?? ''),
          subject: (plain === 'matches' ? all : (given[0] ?? '')).replace(/^!/u, ''),
          line,
        },
        constants,
      );
    const relation = plain === 'eq' || plain === 'ne' ? 'equal' : toRelation(plain);
    return toAssertion(
      {
        relation,
        isNegated: plain === 'ne',
        subject: given[0] ?? '',
        expected: given[1] ?? '',
        tolerance: Number.isFinite(tolerance) ? tolerance : null,
        line,
      },
      constants,
    );
  });
}

import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/rust';
import type { SourceFacts } from '../../core/model/source-facts.ts';
import type { Budget } from './budget.ts';
import { type Collector, isTelling } from './collector.ts';
import { type Language, noteCall, readTree } from './read-tree.ts';
import { readMacro, readProperties } from './rust-assertions.ts';
import { nameOf, readReturn, readTest } from './rust-tests.ts';
import { parse } from './syntax.ts';
import { groups } from './texts.ts';
import { CONSTANT } from './to-assertion.ts';

const RUST: Language = {
  kinds: {
    names: new Set(['Identifier', 'BoundIdentifier', 'FieldIdentifier', 'TypeIdentifier', 'MacroIdentifier']),
    comments: new Set(['LineComment', 'BlockComment']),
  },
  tests: { FunctionItem: readTest, MacroInvocation: readProperties },
  rest: {
    MacroInvocation: readMacro,
    CallExpression: readCall,
    LetDeclaration: readLet,
    Attribute: readAttribute,
    FunctionItem: readDefinition,
    StructItem: readDefinition,
    EnumItem: readDefinition,
    UseDeclaration: readUse,
    ReturnExpression: readReturn,
    IfExpression: readIf,
    MatchArm: readArm,
  },
};

/** Facts of Rust. */
export function readRust(text: string, budget: Budget): SourceFacts {
  return readTree(parse(text, [parser]), RUST, budget);
}

function readCall(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  const name = node.firstChild === null ? '' : facts.textOf(node.firstChild);
  const test = facts.testAt(node);
  noteCall({ name, test }, /^(?:assert|Some|Ok|Err|vec|String|format)\b/u);
  if (/(?:^|::)exit$/u.test(name) && /\(\s*0\s*\)$/u.test(text)) facts.addEvent('exit', node);
  if (/catch_unwind$/u.test(name))
    facts.addEvent(test === null ? 'swallowed' : 'swallowed_assertion', node, 'catch_unwind');
  if (/^(?:std::)?env::var(?:_os)?$/u.test(name) && /"(?:CI|RUST_TEST\w*|TEST\w*|CARGO_\w*)"/u.test(text))
    facts.addEvent('environment', node);
  if (/^(?:assert|check|verify|expect)_\w+$/u.test(name))
    facts.addAssertion(node, { relation: 'helper', subject: text });
}

/** `let _ = f();` drops an error; a lock lives on. */
function readLet(node: SyntaxNode, facts: Collector): void {
  const text = facts.textOf(node);
  if (/^let\s+_\s*=\s*[\s\S]*\)\s*;$/u.test(text) && !/lock\(\)|guard/u.test(text))
    facts.addEvent('swallowed', node, 'blank');
}

function readAttribute(node: SyntaxNode, facts: Collector): void {
  if (/cfg\(\s*(?:not\(\s*)?test\b/u.test(facts.textOf(node)) && !/^\s*mod\b|^\s*use\b/u.test(following(node, facts)))
    facts.addEvent('environment', node);
}

/** What the attribute is about. */
function following(node: SyntaxNode, { textOf }: Collector): string {
  const { parent } = node;
  const around = parent === null ? '' : textOf(parent).slice(node.to - parent.from);
  if (around.trim() !== '') return around.replace(/^\s*(?:pub(?:\([^)]*\))?\s+)?/u, '');
  const next = parent?.nextSibling ?? null;
  return next === null ? '' : textOf(next);
}

function readDefinition(node: SyntaxNode, facts: Collector): void {
  const name = nameOf(node, facts);
  facts.define(name);
  const block = node.getChild('Block');
  const [only = '', ...others] = block === null ? [] : facts.statementsOf(block).map(facts.textOf);
  const value = toValue(only);
  if (others.length === 0 && CONSTANT.test(value))
    facts.addEvent('constant', node, `${name}=${value.replaceAll('"', '')}`);
  if (name === 'eq' && value === 'true') facts.addEvent('equality', node);
}

/** The value that the statement gives. */
function toValue(statement: string): string {
  return statement
    .replace(/^return\s+/u, '')
    .replace(/;$/u, '')
    .trim();
}

function readUse(node: SyntaxNode, facts: Collector): void {
  for (const one of facts.textOf(node).matchAll(/\w+/gu)) facts.addImport(one[0]);
}

function readIf(node: SyntaxNode, facts: Collector): void {
  const { textOf } = facts;
  const [, condition, block] = facts.childrenOf(node);
  if (condition === undefined || block === undefined) return;
  const keys = [...textOf(condition).matchAll(/==\s*(?<key>-?[\d._]+|"[^"\n]*")/gu)].map(
    (one) => one.groups?.['key'] ?? '',
  );
  const key = keys.find(isTelling) ?? (keys.length > 1 ? keys[0] : undefined);
  const [first = ''] = facts.statementsOf(block).map(textOf);
  const value = toValue(first).replace(/\.(?:to_string|into|to_owned)\(\)$/u, '');
  if (key !== undefined && CONSTANT.test(value)) facts.addChoice(node, key, value);
}

function readArm(node: SyntaxNode, facts: Collector): void {
  const arm = groups(
    /^(?<key>-?[\d_.]+|"[^"\n]*")\s*=>\s*(?:return\s+)?(?<value>[^,\n]+),?$/u,
    facts.textOf(node).trim(),
  );
  const { key = '', value: given = '' } = arm ?? {};
  const value = given.trim().replace(/\.(?:to_string|into|to_owned)\(\)$|^String::from\(|\)$/gu, '');
  if (isTelling(key) && CONSTANT.test(value)) facts.addChoice(node, key, value);
}

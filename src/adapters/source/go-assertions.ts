import type { SyntaxNode } from '@lezer/common';
import type { Collector } from './collector.ts';
import { addHelper, type Call, closest } from './read-tree.ts';
import { group, groups, toFinite } from './texts.ts';
import { type AssertionParts, toRelation } from './to-assertion.ts';

export function readAssertion(call: Call, facts: Collector): void {
  const method = toMethod(call.name);
  if (method !== null) facts.addAssertion(call.node, toSuiteParts(method, call));
  else if (/^(?:assert|check|verify|expect|must)[A-Z]\w*$/u.test(call.name)) addHelper(call, facts);
  else if (/^(?:t|b|f|tb|tt)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/u.test(call.name))
    readFailure(call.node, facts);
}

const SUITE = /^(?:assert|require|is|qt|s|suite|a|r)\.(?:Require\(\)\.|Assert\(\)\.)?(?<method>[A-Z]\w+)$/u;

/** The method of an assertion library, or null. Short names of variables need a method that such libraries have. */
function toMethod(name: string): string | null {
  const method = group(SUITE, name, 'method');
  if (method === undefined) return null;
  const isKnown =
    /^(?:assert|require|is|qt)\./u.test(name) ||
    /^(?:Equal|True|False|Nil|NotNil|NoError|Error|Contains|Len|Empty)/u.test(method);
  return isKnown ? method : null;
}

function toSuiteParts(method: string, { given, first }: Call): AssertionParts {
  const rest = /^(?:t|tt|tb|s\.T\(\))$/u.test(first) ? given.slice(1) : given;
  const plain = method.replace(/^Not|^No/u, '').replace(/f$/u, '');
  return {
    relation: ERROR.test(method) ? 'equal' : toRelation(plain),
    isNegated: /^Not|^Error$/u.test(method),
    ...toSides(method, rest),
    tolerance: /^In(?:Delta|Epsilon)/u.test(method) ? toFinite(Number(rest[2])) : null,
  };
}

/** Asks for an error, or for none. */
const ERROR = /^NoError|^Nil$|^NotNil$|^Error$/u;
const TAKES_ONE = /^(?:True|False|Nil|NotNil|NoError|Error|Empty|NotEmpty|Zero|Panics|NotPanics)f?$/u;
const EXPECTED_FIRST = /^(?:Not)?(?:Equal|InDelta|EqualValues|Same|JSONEq|Exactly)|^NotErrorIs/u;

function toSides(method: string, [left = '', right = '']: readonly string[]): { subject: string; expected: string } {
  if (TAKES_ONE.test(method)) return { subject: left, expected: ERROR.test(method) ? 'nil' : '' };
  return EXPECTED_FIRST.test(method) ? { subject: right, expected: left } : { subject: left, expected: right };
}

const AROUND_FAILURE: ReadonlySet<string> = new Set(['IfStatement', 'FunctionDecl', 'FunctionLiteral']);

/** `if got != want { t.Error(…) }` asks that they are equal. */
function readFailure(node: SyntaxNode, facts: Collector): void {
  const around = closest(node, AROUND_FAILURE);
  const isConditional = around?.name === 'IfStatement';
  const condition = isConditional ? conditionOf(around, facts) : 'false';
  facts.addAssertion(node, toFailureParts(condition, isConditional ? setupOf(around, facts) : ''));
}

const COMPARED = /^(?<left>[^=!<>&|]+?)\s*(?<operator>[!=]=|[<>]=?)\s*(?<right>[^&|]+)$/u;

function toFailureParts(condition: string, setup: string): AssertionParts {
  const { left = '', operator = '', right = '' } = groups(COMPARED, condition) ?? {};
  if (operator === '!=' || operator === '==')
    return { relation: 'equal', isNegated: operator === '==', subject: toSubject(left, setup), expected: right };
  if (/^math\.Abs/u.test(left))
    return { relation: 'close', subject: left, expected: '', tolerance: toFinite(Number(right)) };
  if (operator !== '') return { relation: 'order', isNegated: true, subject: left, expected: right };
  return {
    ...{ relation: 'truthy', isNegated: !/^!/u.test(condition) },
    ...{ subject: isNever(condition) ? 'true' : condition.replace(/^!/u, ''), readsConstants: false },
  };
}

/** `if got := f(); got != 3` asks about `f()`. */
function toSubject(text: string, setup: string): string {
  const set = groups(/^(?<name>\w+)(?:, *(?<second>\w+))?\s*:=\s*(?<call>[\s\S]+)$/u, setup);
  if (set === null) return text;
  if (text === set['second']) return `${set['call']}#2`;
  return text === set['name'] ? String(set['call']) : text;
}

function isNever(condition: string): boolean {
  return /^false\b|\bfalse\s*&&|&&\s*false\b/u.test(condition) && condition !== 'false';
}

export function conditionOf(node: SyntaxNode, { textOf, childrenOf }: Collector): string {
  const children = childrenOf(node).filter(({ name }) => !/Comment/u.test(name));
  const block = children.findIndex(({ name }) => name === 'Block');
  const condition = children[block - 1];
  return condition === undefined ? '' : textOf(condition);
}

function setupOf(node: SyntaxNode, { textOf, childrenOf }: Collector): string {
  const setup = childrenOf(node)[1];
  return setup === undefined ? '' : textOf(setup);
}

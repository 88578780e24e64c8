import type { SyntaxNode } from '@lezer/common';
import type { TestState } from '../../core/model/source-facts.ts';
import { type Collector } from './collector.ts';
import type { Call } from './read-tree.ts';
import { groups, unquote } from './texts.ts';
import { splitArguments } from './to-assertion.ts';

const TEST_CALL =
  /^\(?[^(]{0,60}?(?:[\w$]{1,40}\.)?\b(?<prefix>[xf]?)(?<word>it|test|specify|describe|suite|context)(?<rest>(?:\.\w+)*(?:[(`][\s\S]*[)`](?:\.\w+)*)?)\)?$/u;
const GROUP = new Set(['describe', 'suite', 'context']);

const FUNCTIONS: ReadonlySet<string> = new Set(['ArrowFunction', 'FunctionExpression']);

interface TestCall {
  readonly name: string;
  readonly isGroup: boolean;
  readonly state: TestState;
  readonly cases: number;
  readonly timeouts: number[];
  readonly body: SyntaxNode | null;
}

/** A call such as `it('adds', () => …)`, or null. */
function toTestCall(node: SyntaxNode, { textOf, childrenOf }: Collector): TestCall | null {
  const callee = node.firstChild;
  const list = node.getChild('ArgList');
  if (callee === null || list === null || callee.name === 'ArgList') return null;
  const said = groups(TEST_CALL, textOf(callee));
  if (said === null) return null;
  const rest = said['rest'] ?? '';
  const given = childrenOf(list).filter(({ name }) => !/^[(),]$|Comment$/u.test(name));
  const body = given.find(({ name }) => FUNCTIONS.has(name)) ?? null;
  const [title] = given;
  if (title === undefined || isTable(rest)) return null;
  if (body === null && !isWithoutBody(rest, given)) return null;
  const options = given
    .filter(({ name }) => name === 'ObjectExpression')
    .map(textOf)
    .join(' ');
  return {
    ...{ name: unquote(textOf(title)).slice(0, 300), isGroup: GROUP.has(said['word'] ?? ''), body },
    state: toState(said, textOf(callee), options),
    ...{ cases: toCases(textOf(callee)), timeouts: toTimeouts(given, options, textOf) },
  };
}

/** `it.only.each` before its rows: the call of its result is the test. */
function isTable(rest: string): boolean {
  return !/^\s*(?:\.each|\.for)?$/u.test(rest) && /\.(?:each|for)$/u.test(rest);
}

const BODY = /^(?:VariableName|CallExpression|MemberExpression|ObjectExpression)$/u;

/** A title with nothing behind it, or with something that can be a function. */
function isWithoutBody(rest: string, given: readonly SyntaxNode[]): boolean {
  if (!/String$/u.test(given[0]?.name ?? '')) return false;
  return !/\.(?:skip|fixme|only|todo|fail)?$/u.test(rest) || given.length < 2 || BODY.test(given.at(-1)?.name ?? '');
}

function toTimeouts(given: readonly SyntaxNode[], options: string, textOf: Collector['textOf']): number[] {
  const plain = given.filter(({ name }) => name === 'Number').map(textOf);
  const named = [...options.matchAll(/\btimeout\s*:\s*(?<ms>[\d_]+)/gu)].map((one) => String(one.groups?.['ms']));
  return [...plain, ...named].map((text) => Number(text.replaceAll('_', '')));
}

type Said = Readonly<Record<string, string | undefined>>;

/** States by the name of the call and its options. The first that fits wins. */
const STATES: readonly (readonly [TestState, (rest: string, callee: string, options: string) => boolean])[] = [
  ['focused', (rest, _callee, options) => /\.only\b/u.test(rest) || /\bonly\s*:\s*true/u.test(options)],
  [
    'conditional',
    (rest, callee) => /\.(?:skipIf|runIf)\b/u.test(rest) || (callee.includes('?') && /\.skip\b/u.test(callee)),
  ],
  ['conditional', (_rest, _callee, options) => /\bskip\s*:\s*(?!false|true|["'`])\S/u.test(options)],
  ['skipped', (rest) => /\.(?:skip|todo|fixme)\b/u.test(rest)],
  ['skipped', (_rest, _callee, options) => /\b(?:skip|todo)\s*:\s*(?!false)/u.test(options)],
  ['expected_failure', (rest) => /\.(?:fails|failing|fail)\b/u.test(rest)],
];

function toState({ prefix, rest = '' }: Said, callee: string, options: string): TestState {
  if (prefix === 'f') return 'focused';
  const state = STATES.find(([, isOne]) => isOne(rest, callee, options))?.[0] ?? 'run';
  return prefix === 'x' && state !== 'focused' && state !== 'conditional' ? 'skipped' : state;
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

export function readTest(node: SyntaxNode, facts: Collector): void {
  const call = toTestCall(node, facts);
  if (call === null || call.isGroup) return;
  const { body, timeouts } = call;
  const calls = [...groupsAround(node, facts), call];
  const state = calls.map((one) => one.state).reduce((worst, one) => (RANK[one] >= RANK[worst] ? one : worst), 'run');
  facts.addTest(
    {
      ...{ node, name: calls.map(({ name }) => name).join(' > ') },
      state: body === null && state === 'run' ? 'skipped' : state,
      ...{ isEmpty: isEmpty(body, facts), cases: calls.reduce((product, { cases }) => product * cases, 1), timeouts },
    },
    body,
  );
}

/** Of a look at a node. */
const STEPS = 10;

/** Each call is around many others. */
const known = new WeakMap<Collector, Map<string, TestCall | null>>();

function toKnownCall(node: SyntaxNode, facts: Collector): TestCall | null {
  const calls = known.get(facts) ?? new Map<string, TestCall | null>();
  known.set(facts, calls);
  const place = `${node.from}:${node.to}`;
  const earlier = calls.get(place);
  if (earlier !== undefined) return earlier;
  const call = toTestCall(node, facts);
  calls.set(place, call);
  return call;
}

/** The outermost first. */
function groupsAround(node: SyntaxNode, facts: Collector): readonly TestCall[] {
  const calls: TestCall[] = [];
  for (let above = node.parent; above !== null; above = above.parent) {
    facts.spend(STEPS);
    const call = above.name === 'CallExpression' ? toKnownCall(above, facts) : null;
    if (call !== null) calls.unshift(call);
  }
  return calls;
}

function isEmpty(body: SyntaxNode | null, { statementsOf }: Collector): boolean {
  const block = body?.getChild('Block') ?? null;
  return block !== null && statementsOf(block).length === 0;
}

/** What a test says about itself while it runs. */
export function readMark({ node, name, given, first, test }: Call): void {
  if (test === null) return;
  if (/^(?:jest\.setTimeout|this\.timeout|test\.setTimeout|vi\.setConfig|cy\.timeout)$/u.test(name)) {
    const limit = Number(/[\d_]+/u.exec(first)?.[0].replaceAll('_', ''));
    if (Number.isFinite(limit)) test.timeouts.push(limit);
  }
  if (test.node.from === node.from || !/^(?:this|t|ctx|context|test|it)\.(?:skip|todo|fixme)$/u.test(name)) return;
  const isWhole = node.parent?.name === 'ExpressionStatement' && isIn(node.parent, test.node);
  test.marked = isWhole && given.length < 2 && !/^[^"'`]/u.test(first) ? 'skipped' : 'conditional';
}

/** Whether the statement stands in the body of the function that the test is given. */
function isIn(statement: SyntaxNode, test: SyntaxNode): boolean {
  return statement.parent?.parent?.parent?.parent?.from === test.from;
}

/** A bare `return` before the end of a test. */
export function readReturn(node: SyntaxNode, facts: Collector): void {
  const test = facts.testAt(node);
  const block = node.parent;
  if (test === null || block?.name !== 'Block' || !/^return\s*;?$/u.test(facts.textOf(node))) return;
  if (isBeforeEnd(node, block, test.node) || isConditional(block, test.node)) facts.addEvent('early_return', node);
}

/** In the body of the test, and not its last statement. */
function isBeforeEnd(node: SyntaxNode, { parent, lastChild }: SyntaxNode, test: SyntaxNode): boolean {
  if (parent === null || !FUNCTIONS.has(parent.name)) return false;
  return parent.parent?.parent?.from === test.from && lastChild?.prevSibling?.from !== node.from;
}

function isConditional({ parent }: SyntaxNode, test: SyntaxNode): boolean {
  return parent?.name === 'IfStatement' && isIn(parent, test);
}

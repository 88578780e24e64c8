/**
 * A plugin of Stryker: leaves out the texts for people (a decision's reason, a command's summary …). Tests do not pin each word of
 * them; what a text is about (which code, which branch, which number) is still mutated, and so is every other string.
 */
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Variables, properties and parameters that hold nothing but text for people. */
const TEXT_NAMES: ReadonlySet<string> = new Set([
  'description',
  'hint',
  'label',
  'limit',
  'message',
  'reason',
  'sentence',
  'summary',
  'text',
  'title',
  'what',
  'words',
]);
/** Functions whose result is such a text: `toDurationText`, `isOrAre`. */
const TEXT_FUNCTION = /(?:Text|Reason|Words|Sentence|isOrAre|toNames)$/;
/** Calls that take such a text, and at which place. */
const TEXT_ARGUMENTS: ReadonlyMap<string, number> = new Map([['decide', 2]]);
/** What a text is put together with: the literal inside is part of the text around it. */
const TEXT_PARTS: ReadonlySet<string> = new Set([
  'BinaryExpression',
  'ConditionalExpression',
  'LogicalExpression',
  'TemplateLiteral',
  'TSAsExpression',
]);
const REASON = 'a text for people';

/** Why the node at a path of Babel's tree is not mutated; undefined when it is. */
export function findReasonToIgnore(path: unknown): string | undefined {
  const type = readText(path, 'node', 'type');
  if (type !== 'StringLiteral' && type !== 'TemplateLiteral') return undefined;
  return isTextHere(path) ? REASON : undefined;
}

/** Climbs from the literal through what it is put together with to what holds the text. */
function isTextHere(literal: unknown): boolean {
  let child = literal;
  let holder = read(child, 'parentPath');
  while (TEXT_PARTS.has(readText(holder, 'node', 'type')) && read(child, 'key') !== 'test') {
    // `kind === 'text'` compares a code: nothing there is put together.
    if (/^[=!<>]/.test(readText(holder, 'node', 'operator'))) return false;
    child = holder;
    holder = read(child, 'parentPath');
  }
  return holdsText(holder, child);
}

function holdsText(holder: unknown, child: unknown): boolean {
  const place = read(child, 'key');
  switch (readText(holder, 'node', 'type')) {
    case 'VariableDeclarator':
      return TEXT_NAMES.has(readText(holder, 'node', 'id', 'name'));
    case 'ObjectProperty':
      return place === 'value' && TEXT_NAMES.has(readText(holder, 'node', 'key', 'name'));
    case 'CallExpression':
      return TEXT_ARGUMENTS.get(readText(holder, 'node', 'callee', 'name')) === place;
    case 'ReturnStatement':
    case 'AssignmentPattern':
      return TEXT_FUNCTION.test(nameOfFunctionAround(holder));
    default:
      return false;
  }
}

function nameOfFunctionAround(path: unknown): string {
  for (let at = path; at !== undefined && at !== null; at = read(at, 'parentPath')) {
    if (readText(at, 'node', 'type') === 'FunctionDeclaration') return readText(at, 'node', 'id', 'name');
  }
  return '';
}

function readText(value: unknown, ...keys: readonly string[]): string {
  const found = read(value, ...keys);
  return typeof found === 'string' ? found : '';
}

/** A property of a property …: Stryker hands Babel's nodes over without their types. */
function read(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** What Stryker looks for in a plugin. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'texts-for-people', { shouldIgnore: findReasonToIgnore }),
];

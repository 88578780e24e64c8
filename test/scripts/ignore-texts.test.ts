import { describe, expect, it } from 'vitest';
import { findReasonToIgnore } from '../../scripts/mutation/ignore-texts.ts';

interface Path {
  readonly node: Readonly<Record<string, unknown>>;
  readonly key?: string | number;
  readonly parentPath?: Path;
}

function literal(key: string | number, parentPath: Path): Path {
  return { node: { type: 'StringLiteral' }, key, parentPath };
}

function variable(name: string): Path {
  return { node: { type: 'VariableDeclarator', id: { name } } };
}

function property(name: string): Path {
  return { node: { type: 'ObjectProperty', key: { name } } };
}

function call(name: string): Path {
  return { node: { type: 'CallExpression', callee: { name } } };
}

function choice(parentPath: Path): Path {
  return { node: { type: 'ConditionalExpression' }, key: 'init', parentPath };
}

function comparison(parentPath: Path): Path {
  return { node: { type: 'BinaryExpression', operator: '===' }, key: 'test', parentPath };
}

function returnOf(name: string): Path {
  const body = { node: { type: 'FunctionDeclaration', id: { name } } };
  return { node: { type: 'ReturnStatement' }, parentPath: { node: { type: 'BlockStatement' }, parentPath: body } };
}

describe('what mutation testing leaves out as a text for people', () => {
  it.each([
    ['the reason of a decision', literal(2, call('decide'))],
    ['a variable named for it', literal('init', variable('reason'))],
    ['a property named for it', literal('value', property('summary'))],
    ['one of two texts', literal('alternate', choice(variable('what')))],
    ['the result of a function that makes texts', literal('argument', returnOf('toDurationText'))],
  ])('leaves out %s', (_, path) => {
    expect(findReasonToIgnore(path)).toBe('a text for people');
  });

  it.each([
    ['the code of a decision', literal(1, call('decide'))],
    ['an argument of another call', literal(2, call('launch'))],
    ['a variable with another name', literal('init', variable('status'))],
    ['the name of a property', literal('key', property('summary'))],
    ['what a text depends on', literal('right', comparison(choice(variable('what'))))],
    ['the result of any other function', literal('argument', returnOf('toSignal'))],
    ['a condition around a text', choice(variable('what'))],
    ['nothing at all', undefined],
  ])('still changes %s', (_, path) => {
    expect(findReasonToIgnore(path)).toBeUndefined();
  });
});

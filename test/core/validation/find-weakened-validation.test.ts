import { describe, expect, it } from 'vitest';
import { findWeakenedValidation } from '../../../src/core/validation/find-weakened-validation.ts';

const scripts = (test: string, more: object = {}): string => JSON.stringify({ scripts: { lint: 'x', test }, ...more });

describe('findWeakenedValidation', () => {
  it.each<[string, string, Record<string, string>, Record<string, string>, string | null]>([
    ['a changed test script', 'npm test', { 'package.json': scripts('node --test') }, { 'package.json': scripts('true') }, 'package.json'],
    ['removed scripts', 'yarn test', { 'package.json': scripts('node --test') }, { 'package.json': '{}' }, 'package.json'],
    ['a removed package.json', 'pnpm test', { 'package.json': scripts('x') }, {}, 'package.json'],
    ['a changed Makefile', 'make test', { Makefile: 'test:\n\t./run\n' }, { Makefile: 'test:\n\ttrue\n' }, 'Makefile'],
    ['nothing when only dependencies changed', 'npm test', { 'package.json': scripts('x') }, { 'package.json': scripts('x', { a: 1 }) }, null],
    ['nothing in a file that the command does not read', 'pytest', { Makefile: 'a' }, { Makefile: 'b' }, null],
    ['nothing when nothing changed', 'make test && npm test', { Makefile: 'a' }, { Makefile: 'a' }, null],
  ])('finds %s', (_title, command, before, after, path) => {
    const found = findWeakenedValidation({ kind: 'commands', commands: [command], source: 'policy' }, { before, after });

    expect(found?.path ?? null).toBe(path);
  });

  it('does not mind the order of the scripts', () => {
    const before = { 'package.json': '{"scripts":{"a":"1","test":"2"}}' };
    const after = { 'package.json': '{"scripts":{"test":"2","a":"1"}}' };

    expect(findWeakenedValidation({ kind: 'commands', commands: ['npm test'], source: 'detected' }, { before, after })).toBeNull();
  });
});

import { expect, it } from 'vitest';
import { requireOwnName } from '../../../src/core/text/require-own-name.ts';

it.each(['check-1.txt', 'a', 'item-1.json', 'x'.repeat(64)])('takes %j', (name) => {
  expect(requireOwnName(name)).toBe(name);
});

it.each(['', '..', '.hidden', '-rf', 'a/b', '../a', 'a\0b', 'a b', 'ü', 'x'.repeat(65), 'a\n'])(
  'refuses %j',
  (name) => {
    expect(() => requireOwnName(name)).toThrow('not a file name of ours');
  },
);

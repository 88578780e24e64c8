import { describe, expect, it } from 'vitest';
import { toMergePatch } from '../../../src/core/merge/to-merge-patch.ts';
import { fakeSha } from '../../support/builders.ts';

const HEAD = fakeSha('head');
const BASE = fakeSha('base');

describe('the patch of a merge', () => {
  it.each([
    [`-<<<<<<< ${HEAD}\n-a\n`, '-<<<<<<< HEAD\n-a\n'],
    [` <<<<<<< ${HEAD}`, ' <<<<<<< HEAD'],
    [`-<<<<<<<<< ${HEAD}:old name\n`, '-<<<<<<<<< HEAD:old name\n'],
    [`-<<<<<<< ${HEAD}\r\n-<<<<<<< ${HEAD}\r\n`, '-<<<<<<< HEAD\r\n-<<<<<<< HEAD\r\n'],
  ])('calls the side of the head as git does in a checkout: %j', (patch, expected) => {
    expect(toMergePatch(patch, HEAD)).toBe(expected);
  });

  it.each([
    `->>>>>>> ${BASE}\n`,
    `-<<<<<<< ${BASE}\n`,
    `+<<<<<<< ${HEAD}\n`,
    `-x <<<<<<< ${HEAD}\n`,
    `-<<<<<<< ${HEAD}0\n`,
    `-<<<<<< ${HEAD}\n`,
  ])('leaves %j alone', (patch) => {
    expect(toMergePatch(patch, HEAD)).toBe(patch);
  });
});

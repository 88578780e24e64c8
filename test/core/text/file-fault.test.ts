import { describe, expect, it } from 'vitest';
import { toFileFault } from '../../../src/core/text/file-fault.ts';

const withCode = (code: string): Error => Object.assign(new Error(`${code}: open`), { code });

describe('toFileFault', () => {
  it.each([
    [withCode('ENOENT'), 'there is no file a.yml'],
    [withCode('ENOTDIR'), 'there is no file a.yml'],
    [withCode('EISDIR'), 'a.yml is a folder, not a file'],
    [withCode('EACCES'), 'a.yml cannot be read: permission denied'],
    [withCode('EPERM'), 'a.yml cannot be read: permission denied'],
    [withCode('EIO'), 'a.yml cannot be read: EIO: open'],
    [new Error('too long'), 'a.yml cannot be read: too long'],
    ['nothing known', 'a.yml cannot be read: nothing known'],
  ])('says what is wrong: %s', (error, words) => {
    expect(toFileFault(error, 'a.yml')).toBe(words);
  });
});

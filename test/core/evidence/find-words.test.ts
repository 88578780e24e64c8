import { describe, expect, it } from 'vitest';
import { createWordFinder } from '../../../src/core/evidence/find-words.ts';

const find = createWordFinder(['err', 'fault', 'ot ok', 'SIG[A-Z]', 'imed ?out', "ldn't", String.raw` line \d`]);

describe('the first word', () => {
  it.each([
    ['at the start', 'fault', 0],
    ['in the middle', 'a default of it', 4],
    ['at the end', 'it is not ok', 7],
    ['with what is not a letter', "couldn't", 3],
    ['of three characters, at the start', 'errand', 0],
    ['of three characters, in the middle', 'interrupt', 3],
    ['of three characters, at the end', 'stderr', 3],
    ['of three characters, alone', 'err', 0],
    ['with a pattern behind its start', 'got SIGKILL', 4],
    ['with something optional', 'timedout or timed out', 1],
    ['with a number', 'at line x, in line 3', 13],
    ['of several', 'err, fault', 0],
    ['behind one that only begins so', 'fauna has a fault', 12],
    ['behind characters outside of the basic plane', '😀😀fault', 4],
  ])('is found %s', (_where, text, at) => {
    expect(find(text)).toBe(at);
  });

  it.each([
    ['an empty text', ''],
    ['a text that is too short', 'er'],
    ['a text that ends within a word', 'faul'],
    ['a text that begins within a word', 'ault'],
    ['other letters', 'Fault ERR'],
    ['characters that differ in high bits alone', 'FAULT &!5,4 E22 %22'],
    ['a start that nothing fits behind', 'SIG9'],
    ['a start of three characters at the end', 'SIG'],
  ])('is not found in %s', (_what, text) => {
    expect(find(text)).toBe(-1);
  });

  it('is what a regular expression finds', () => {
    const pattern = /err|fault|ot ok|SIG[A-Z]|imed ?out|ldn't| line \d/u;
    const parts = ['e', 'rr', 'r', 'fau', 'lt', 'ot', ' ', 'ok', 'SIG', 'A', 'imed', 'out', 'ld', "n't", ' line', '1'];
    for (let index = 0; index < parts.length ** 3; index += 1) {
      const text = [index, index / parts.length, index / parts.length ** 2]
        .map((at) => parts[Math.floor(at) % parts.length])
        .join('');
      expect([text, find(text)]).toEqual([text, text.search(pattern)]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { toOpenElements } from '../../../src/core/commands/html-depth.ts';

describe('toOpenElements', () => {
  it.each<[string, string, readonly string[]]>([
    ['a start tag', '<details>', ['details']],
    ['a start tag in capitals', '<DETAILS>', ['details']],
    ['a name with a digit and a hyphen', '<my-el2>', ['my-el2']],
    ['a name of one letter', '<a>', ['a']],
    ['a tag within words', 'x <b> y', ['b']],
    ['tags inside each other', '<details><summary>', ['details', 'summary']],
    ['a value in quotes that holds a tag’s end', '<div title="a > b">', ['div']],
    ['a value in single quotes that holds a tag’s end', "<div title='a > b'>", ['div']],
    ['a value in quotes that holds the other quote', `<div title="it's">`, ['div']],
    ['a value in quotes that looks closed', '<div title="x/>y">', ['div']],
    ['an empty value', '<div title="" id=\'\'>', ['div']],
    ['attributes without quotes', '<div hidden id=a>', ['div']],
    ['an element that is closed', '<b>x</b>', []],
    ['an element that closes itself', '<div/>', []],
    ['an element that has no end tag', '<br><hr><img src="a">', []],
    ['a start tag after a comment', '<!-- <b> --><i>', ['i']],
    ['a comment over several lines', '<!-- a\n<b>\n--><i>', ['i']],
    ['a comment without an end', '<!-- <b>', []],
    ['an empty comment', '<!----><i>', ['i']],
    ['what is no tag', '1 < 2 > 1, <2>, < b>', []],
  ])('of %s', (_what, html, open) => {
    expect(toOpenElements([], html)).toEqual(open);
  });

  it('goes on with what was open before', () => {
    expect(toOpenElements(['details'], '<b>')).toEqual(['details', 'b']);
    expect(toOpenElements(['details', 'b'], '</b>')).toEqual(['details']);
  });

  it('closes the innermost of a name, with all that is open in it', () => {
    expect(toOpenElements(['div', 'div', 'b'], '</div>')).toEqual(['div']);
  });

  it('ignores an end tag without a start', () => {
    expect(toOpenElements(['div', 'b'], '</i>')).toEqual(['div', 'b']);
    expect(toOpenElements([], '</i>')).toEqual([]);
  });
});

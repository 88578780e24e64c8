import { expect, it } from 'vitest';
import { decodeText } from '../../../src/core/text/decode-text.ts';

it.each([
  ['text', Buffer.from('ünï\n'), 'ünï\n'],
  ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x61]), '\uFEFFa'],
  ['nothing', Buffer.from(''), ''],
  ['what is no UTF-8', Buffer.from([0x61, 0xff]), null],
])('decodes %s', (_, bytes, expected) => {
  expect(decodeText(bytes)).toBe(expected);
});

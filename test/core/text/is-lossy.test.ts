import { expect, it } from 'vitest';
import { isLossy } from '../../../src/core/text/is-lossy.ts';

it('sees a name that was read from bytes that are no UTF-8', () => {
  const name = Buffer.from([0x63, 0x61, 0x66, 0xe9]).toString();

  expect([name, 'café', 'a/b.sh'].map(isLossy)).toEqual([true, false, false]);
});

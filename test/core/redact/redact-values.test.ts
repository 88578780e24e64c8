import { describe, expect, it } from 'vitest';
import { redactRecord } from '../../../src/core/redact/redact-values.ts';

describe('redactRecord', () => {
  it('redacts texts and names at every depth, and leaves the rest as it is', () => {
    const redact = (text: string): string => text.replaceAll('secret', '*');
    const given = { a: 'a secret', secret: 1, list: ['secret', 2, null, { deep: 'secret' }], flag: true };

    expect(redactRecord(given, redact)).toEqual({
      ...{ a: 'a *', '*': 1, flag: true },
      list: ['*', 2, null, { deep: '*' }],
    });
  });
});

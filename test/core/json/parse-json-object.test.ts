import { describe, expect, it } from 'vitest';
import { parseJsonObject } from '../../../src/core/json/parse-json-object.ts';

describe('parseJsonObject', () => {
  it('gives the object', () => {
    expect(parseJsonObject(' {"a": [1]} ')).toEqual({ a: [1] });
  });

  it.each(['', '{', '[]', 'null', '"a"', '1', 'true', '{} {}', '\uFEFF{}'])('gives null for %j', (text) => {
    expect(parseJsonObject(text)).toBeNull();
  });
});

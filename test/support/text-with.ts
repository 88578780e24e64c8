import { expect } from 'vitest';

/** Stands for any text that contains `part`, in what `toEqual` and `toMatchObject` are given. */
export function textWith(part: string): unknown {
  return expect.stringContaining(part);
}

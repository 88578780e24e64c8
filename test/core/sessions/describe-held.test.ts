import { expect, it } from 'vitest';
import { describeHeld } from '../../../src/core/sessions/describe-held.ts';

it('names each reason once, and only the first few', () => {
  const facts = ['A', 'B', 'A', 'C', 'D', 'E'].map((code) => ({ code }));

  expect(describeHeld(facts)).toContain('because of 6 points: A, B, C, D, E.');
  expect(describeHeld([...facts, { code: 'F' }])).toContain('7 points: A, B, C, D, E and others.');
});

import { expect, it } from 'vitest';
import { asksNothing, settles } from '../../../src/core/reviews/closes-thread.ts';
import { TENORS } from '../../../src/core/reviews/closing-phrases.ts';
import { forge } from '../../support/builders.ts';

const ANSWERED = [null, 'unknown', 'fixed', 'declined', 'needs_human'] as const;

it.each([
  ['thanks', [true, true, true, true, true], [true, true, true, true, false]],
  ['approval', [true, true, true, true, true], [true, true, true, true, true]],
  ['agreement', [false, true, true, true, false], [true, true, true, true, false]],
  ['leave', [false, true, false, true, true], [true, true, true, true, true]],
] as const)('%s asks for nothing, and settles, by what it follows (L4)', (tenor, nothing, settled) => {
  expect(ANSWERED.map((answered) => asksNothing(tenor, { answered, authorSpoke: false }))).toEqual(nothing);
  expect(ANSWERED.map((answered) => settles(tenor, answered))).toEqual(settled);
});

it('agrees with the author where nobody else has answered (L4)', () => {
  expect(TENORS.map((tenor) => asksNothing(tenor, { answered: null, authorSpoke: true }))).toEqual([
    ...[true, true, true, false],
  ]);
});

it('refuses a tenor that cannot be', () => {
  expect(() => asksNothing(forge('"other"'), { answered: null, authorSpoke: false })).toThrow('unexpected value');
});

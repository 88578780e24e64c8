import { describe, expect, it } from 'vitest';
import { determineFixupAction, GUARDS } from '../../../src/core/decide/determine-fixup-action.ts';
import { LAUNCH_HOLDS } from '../../../src/core/decide/holds.ts';
import { DECISION_CODES } from '../../../src/core/model/decision.ts';
import { aSnapshot } from '../../support/builders.ts';

const HOLD_CODES = LAUNCH_HOLDS.map(({ code }) => code);

describe('the lists of the decision', () => {
  it('name every code, each hold once for what it holds', () => {
    expect(new Set([...GUARDS.flatMap(({ codes }) => codes), ...HOLD_CODES, 'ALL_GREEN'])).toEqual(
      new Set(DECISION_CODES),
    );
    expect(LAUNCH_HOLDS.find(({ code }) => code === 'PAUSED')).toEqual({ code: 'PAUSED', means: null });
    expect(LAUNCH_HOLDS.find(({ code }) => code === 'ATTEMPTS_EXHAUSTED')).toMatchObject({ means: ['agent'] });
  });
});

describe('new findings of the engines', () => {
  it.each([
    [1, 'The engines report 1 new finding; attempt 1 of 3.'],
    [2, 'The engines report 2 new findings; attempt 1 of 3.'],
  ])('are counted in the reason: %i', (count, reason) => {
    const green = aSnapshot({ ci: { status: 'success' }, quality: { new: count } });
    const { policy } = green;

    expect(determineFixupAction({ ...green, policy: { ...policy, fixEngines: true } })).toMatchObject({ reason });
  });
});

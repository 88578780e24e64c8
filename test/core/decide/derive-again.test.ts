import { describe, expect, it } from 'vitest';
import { deriveAgain, isDecisionLine } from '../../../src/core/decide/derive-again.ts';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { FIXUP_ACTIONS, LOG_WORDS } from '../../../src/core/model/decision.ts';
import { aSnapshot } from '../../support/builders.ts';

describe('a decision that is derived again (002.R22)', () => {
  it('is the same where its snapshot leads to it', () => {
    const snapshot = aSnapshot();

    expect(deriveAgain(determineFixupAction(snapshot), snapshot)).toEqual({ state: 'same' });
  });

  it.each([{ action: 'DONE' }, { code: 'ALL_GREENISH' }, { reason: 'because' }])('differs with %j', (change) => {
    const snapshot = aSnapshot();
    const { action, code, reason } = determineFixupAction(snapshot);
    const stored = { action, code, reason, ...change };

    expect(deriveAgain(stored, snapshot)).toEqual({ state: 'differs', derived: { action, code, reason } });
  });
});

describe('a line of the transition log', () => {
  it('is a decision if it has the action of one', () => {
    expect(FIXUP_ACTIONS.every((action) => isDecisionLine({ action }))).toBe(true);
    expect(LOG_WORDS.some((action) => isDecisionLine({ action }))).toBe(false);
    expect(isDecisionLine({ action: 'constructor' })).toBe(false);
  });
});

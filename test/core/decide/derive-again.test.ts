import { describe, expect, it } from 'vitest';
import { deriveAgain, isOtherLine } from '../../../src/core/decide/derive-again.ts';
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
  it('says only what was done if it has such an action and no snapshot', () => {
    expect(LOG_WORDS.every((action) => isOtherLine({ action, snapshot: null }))).toBe(true);
    expect(LOG_WORDS.some((action) => isOtherLine({ action, snapshot: {} }))).toBe(false);
  });

  it.each([...FIXUP_ACTIONS, 'FIX_EVERYTHING', 'constructor', ''])('may be a decision with the action %j', (action) => {
    expect(isOtherLine({ action, snapshot: null })).toBe(false);
  });
});

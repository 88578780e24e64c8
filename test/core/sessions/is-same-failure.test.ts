import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/model/session.ts';
import { isSameFailure } from '../../../src/core/sessions/is-same-failure.ts';
import { aFixup, aPush, aRejection, aSession } from '../../support/builders.ts';

const SAME = aSession(aPush(), { fixup: aFixup({ signature: 's1' }) });
const OTHER = aSession(aPush(), { fixup: aFixup({ signature: 's2' }) });
const UNKNOWN = aSession(aPush(), { fixup: aFixup({ signature: null }) });
const REFUSED = aSession(aRejection(), { fixup: aFixup({ signature: 's1' }) });
const REVIEW = aSession(aPush(), { fixup: aFixup({ action: 'FIX_REVIEW' }) });
const PERSON = aSession(null, { kind: 'user', fixup: null });

describe('the same failure as before', () => {
  it.each<[string, readonly Session[], string | null, boolean]>([
    ['of a fixup that was pushed', [SAME], 's1', true],
    [
      'beyond what was not pushed, was for a review, or was a person',
      [PERSON, REFUSED, REVIEW, SAME, OTHER],
      's1',
      true,
    ],
    ['not of an older one', [OTHER, SAME], 's1', false],
    ['not of one that was refused', [REFUSED], 's1', false],
    ['not where nothing was pushed', [], 's1', false],
    ['not where neither is known', [UNKNOWN], null, false],
  ])('is that %s', (_what, ended, signature, isSame) => {
    expect(isSameFailure(ended, signature)).toBe(isSame);
  });
});

import { describe, expect, it } from 'vitest';
import type { RejectCode, Session } from '../../../src/core/model/session.ts';
import { countEarlier, hasNeededAgent } from '../../../src/core/sessions/count-earlier.ts';
import { aFixup, aPush, aRejection, aSession, NOW } from '../../support/builders.ts';

const cause = { causeKey: 'cause-1' };

function ended(code: RejectCode, change: Partial<Session> = {}): Session {
  return aSession(aRejection({ code }), { fixup: aFixup(cause), startedAt: NOW, ...change });
}

const OTHERS: readonly Session[] = [
  aSession(aPush(), { fixup: aFixup(cause) }),
  aSession(aPush(), { fixup: null }),
  ended('MODEL_AUTH', { fixup: aFixup({ causeKey: 'cause-2' }) }),
];

describe('countEarlier', () => {
  it('counts what ended for this cause, by its kind', () => {
    const died = aSession({ kind: 'died', detail: '' }, { fixup: aFixup(cause), startedAt: NOW });
    const all = [
      ...[...OTHERS, died, ended('MODEL_RATE_LIMITED'), ended('AGENT_HELD'), ended('CONTEXT_TOO_LONG')],
      ...[ended('BUDGET_PERIOD_EXHAUSTED'), ended('AGENT_CRASHED')],
    ];

    expect(countEarlier(all, cause, null)).toEqual({ died: 1, free: 2, tooLong: 1 });
  });

  it('forgets what was before a person asked for a fresh start', () => {
    const all = [ended('MODEL_AUTH'), ended('MODEL_AUTH', { startedAt: NOW - 1 })];

    expect(countEarlier(all, cause, NOW).free).toBe(1);
  });
});

describe('hasNeededAgent', () => {
  it.each<[RejectCode, boolean]>([
    ['AGENT_HELD', true],
    ['MODEL_UNAVAILABLE', true],
    ['CONTEXT_TOO_LONG', true],
    ['MERGE_NOT_RESOLVED', false],
    ['SETUP_FAILED', false],
  ])('knows from %s that a merge needs an agent: %s', (code, isNeeded) => {
    expect(hasNeededAgent([...OTHERS, ended(code)], 'cause-1')).toBe(isNeeded);
    expect(hasNeededAgent([ended(code)], 'cause-2')).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSha } from '../../../src/core/model/ids.ts';
import { REJECT_CODES, type RejectCode, type Session, type SessionOutcome } from '../../../src/core/model/session.ts';
import type { WorkspacePatch } from '../../../src/core/model/workspace.ts';
import { countEarlier } from '../../../src/core/sessions/count-earlier.ts';
import {
  type EarlierRuns,
  MAX_DIED_RUNS,
  MAX_FREE_RUNS,
  settleSession,
} from '../../../src/core/sessions/settle-session.ts';
import {
  aDeclining,
  aFixup,
  aHeldChange,
  anAnswer,
  aPush,
  aRejection,
  aSession,
  aSuggestion,
  forge,
} from '../../support/builders.ts';

const HEAD = parseSha('a'.repeat(40));
const COMMIT = parseSha('b'.repeat(40));
const NOW = 1_000_000;

const fixup = aFixup({ causeKey: 'head=a', headSha: HEAD, baseSha: HEAD, attempt: 2 });
const pushed = aPush({ commitSha: COMMIT });
const rejected: SessionOutcome = { kind: 'rejected', code: 'NO_CHANGE', detail: 'nothing', diff: null, validation: [] };
const MAX_ATTEMPTS = 3;
const NONE: EarlierRuns = { died: 0, free: 0, tooLong: 0 };
const cleared = { activeSessionId: null, lastCiRunId: null, staleCiSince: null };

describe('settleSession', () => {
  it.each<[string, SessionOutcome, WorkspacePatch]>([
    [
      'counts a push and moves the stale clock to it (002.R6, R17, S11)',
      pushed,
      {
        activeSessionId: null,
        consecutiveAttempts: 2,
        lastPushAt: NOW,
        lastPushSha: COMMIT,
        staleCiSince: NOW,
        stop: null,
      },
    ],
    [
      'stops without counting when nothing was pushed (002.R5)',
      rejected,
      { ...cleared, stop: { causeKey: 'head=a', code: 'NO_PUSH', reason: 'nothing', reject: 'NO_CHANGE' } },
    ],
    [
      'counts a time-out and does not stop (002.R28, C26)',
      { kind: 'timed_out', afterMs: 5 },
      { ...cleared, consecutiveAttempts: 2 },
    ],
    [
      'changes nothing but the clock when the ground moved',
      { kind: 'superseded', why: 'head_moved', detail: '' },
      cleared,
    ],
    [
      'stops for a person when the permission is gone: else the same launch would follow at once',
      { kind: 'superseded', why: 'permission', detail: 'gone' },
      { ...cleared, stop: { causeKey: 'head=a', code: 'NEEDS_HUMAN', reason: 'gone' } },
    ],
    [
      'stops at a suggestion, uncounted',
      aSuggestion(),
      {
        ...cleared,
        stop: {
          causeKey: 'head=a',
          code: 'SUGGESTED',
          reason: 'A change passed validation. Ratchet did not push it, because the policy only suggests changes.',
        },
      },
    ],
    [
      'stops for a person at a change that is held, uncounted (S28)',
      aHeldChange(),
      {
        ...cleared,
        stop: {
          causeKey: 'head=a',
          code: 'HELD',
          reason: 'A change passed its validation and waits for a person, because of 1 point: TEST_SKIPPED.',
        },
      },
    ],
    [
      'stops where every review item was declined, uncounted (002.R5)',
      aDeclining({ answers: [anAnswer(), anAnswer({ status: 'needs_human' }), anAnswer({ status: 'needs_human' })] }),
      {
        ...cleared,
        stop: {
          causeKey: 'head=a',
          code: 'DECLINED',
          reason:
            'The agent changed nothing: 1 review comment declined, 2 left to a person. It says: "The name is right." "The name is right."',
        },
      },
    ],
    [
      'stops for a person who said stop: nothing starts again at once (S8, S9)',
      { kind: 'superseded', why: 'stopped', detail: 'ada said stop' },
      { ...cleared, stop: { causeKey: 'head=a', code: 'NEEDS_HUMAN', reason: 'ada said stop' } },
    ],
    ...(['paused', 'closed', 'disabled', 'shutdown', 'cause_gone'] as const).map(
      (why): [string, SessionOutcome, WorkspacePatch] => [
        `neither stops nor counts what ended as ${why}`,
        { kind: 'superseded', why, detail: 'x' },
        cleared,
      ],
    ),
    ['lets a run that died be tried again, uncounted (F5)', { kind: 'died', detail: 'x' }, cleared],
  ])('%s', (_title, outcome, patch) => {
    expect(settleSession({ consecutiveAttempts: 1 }, fixup, outcome, { now: NOW, before: NONE })).toEqual(patch);
  });

  it('stops for this cause after too many runs that died', () => {
    const patch = settleSession(
      { consecutiveAttempts: 1 },
      fixup,
      { kind: 'died', detail: 'disk full' },
      { now: NOW, before: { ...NONE, died: MAX_DIED_RUNS - 1 } },
    );

    expect(patch.stop).toMatchObject({ causeKey: 'head=a', code: 'NO_PUSH' });
    expect(patch.stop?.reason).toContain('disk full');
    expect(patch).not.toHaveProperty('consecutiveAttempts');
  });

  it.each(['FIX_MERGE_CONFLICT', 'FIX_CI', 'FIX_REVIEW'] as const)(
    'counts each push and each time-out once, whatever it was for (002.R17, S11): %s',
    (action) => {
      const outcomes: readonly SessionOutcome[] = [
        aPush(),
        aPush({ madeBy: 'git' }),
        { kind: 'timed_out', afterMs: 5 },
      ];
      for (const outcome of outcomes) {
        const context = { now: NOW, before: NONE };
        const patch = settleSession({ consecutiveAttempts: 2 }, aFixup({ action }), outcome, context);

        expect(patch).toMatchObject({ activeSessionId: null, consecutiveAttempts: 3 });
        expect(patch.staleCiSince).toBe(outcome.kind === 'pushed' ? NOW : null);
      }
    },
  );

  const rejectedAs = (code: RejectCode): SessionOutcome => aRejection({ code, detail: 'why' });
  const stopOf = (reject: RejectCode) => ({ causeKey: 'head=a', code: 'NO_PUSH', reason: 'why', reject }) as const;

  it.each<[RejectCode, WorkspacePatch]>([
    ['BUDGET_EXHAUSTED', { ...cleared, stop: stopOf('BUDGET_EXHAUSTED'), consecutiveAttempts: 2 }],
    ['BUDGET_PERIOD_EXHAUSTED', { ...cleared, consecutiveAttempts: 2 }],
    ['AGENT_HELD', cleared],
    ['AGENTS_SWITCHED_OFF', cleared],
    ['MODEL_AUTH', cleared],
    ['MODEL_NO_CREDIT', cleared],
    ['MODEL_RATE_LIMITED', cleared],
    ['MODEL_UNAVAILABLE', cleared],
    ['CONTEXT_TOO_LONG', { ...cleared, consecutiveAttempts: 2 }],
    ['MODEL_REFUSED', { ...cleared, stop: stopOf('MODEL_REFUSED'), consecutiveAttempts: 2 }],
    ['NO_MODEL_CALL', { ...cleared, stop: stopOf('NO_MODEL_CALL') }],
    ['AGENT_UNAVAILABLE', { ...cleared, stop: stopOf('AGENT_UNAVAILABLE') }],
    ['AGENT_CRASHED', { ...cleared, stop: stopOf('AGENT_CRASHED') }],
    ['NO_CHANGE', { ...cleared, stop: stopOf('NO_CHANGE') }],
  ])('settles %s', (code, patch) => {
    const context = { now: NOW, before: NONE };

    expect(settleSession({ consecutiveAttempts: 1 }, fixup, rejectedAs(code), context)).toEqual(patch);
  });

  it('asks a person when the task was too long with less evidence too', () => {
    const context = { now: NOW, before: { ...NONE, tooLong: 1 } };
    const patch = settleSession({ consecutiveAttempts: 1 }, fixup, rejectedAs('CONTEXT_TOO_LONG'), context);

    expect(patch).toEqual({ ...cleared, stop: stopOf('CONTEXT_TOO_LONG'), consecutiveAttempts: 2 });
  });

  it('asks a person when a model has not worked for too many launches, though they cost nothing', () => {
    const settle = (free: number, code: RejectCode): WorkspacePatch =>
      settleSession({ consecutiveAttempts: 1 }, fixup, rejectedAs(code), { now: NOW, before: { ...NONE, free } });

    expect(settle(MAX_FREE_RUNS - 2, 'MODEL_RATE_LIMITED')).toEqual(cleared);
    expect(settle(MAX_FREE_RUNS - 1, 'MODEL_RATE_LIMITED').stop?.reason).toMatch(/started 30 times.*why$/u);
    expect(settle(MAX_FREE_RUNS, 'AGENT_HELD').stop).toMatchObject({ code: 'NO_PUSH' });
    // It is counted, so the budget of attempts bounds it.
    expect(settle(MAX_FREE_RUNS, 'BUDGET_PERIOD_EXHAUSTED')).not.toHaveProperty('stop');
  });

  it('lets no sequence of failures launch more than the bound, however they are mixed', () => {
    const anyCode = fc.constantFrom(...REJECT_CODES);
    fc.assert(
      fc.property(fc.array(anyCode, { minLength: 60, maxLength: 60 }), (codes) => {
        const ended: Session[] = [];
        let attempts = 0;
        for (const code of codes) {
          // As the holds do: attempts that are used up, and a stop.
          if (attempts >= MAX_ATTEMPTS) break;
          const context = { now: NOW, before: countEarlier(ended, fixup, null) };
          const patch = settleSession({ consecutiveAttempts: attempts }, fixup, rejectedAs(code), context);
          ended.push(aSession(rejectedAs(code), { fixup }));
          attempts = patch.consecutiveAttempts ?? attempts;
          if (patch.stop !== undefined) break;
        }
        return ended.length < MAX_FREE_RUNS + MAX_ATTEMPTS;
      }),
    );
  });

  it('refuses an outcome that does not exist', () => {
    const broken = forge<SessionOutcome>('{"kind":"vanished"}');

    expect(() => settleSession({ consecutiveAttempts: 0 }, fixup, broken, { now: NOW, before: NONE })).toThrow(
      'unexpected value',
    );
  });
});

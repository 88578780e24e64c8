import { describe, expect, it } from 'vitest';
import { parseSha } from '../../../src/core/model/ids.ts';
import type { Fixup, SessionOutcome } from '../../../src/core/model/session.ts';
import type { WorkspacePatch } from '../../../src/core/model/workspace.ts';
import { MAX_DIED_RUNS, settleSession } from '../../../src/core/sessions/settle-session.ts';
import { forge } from '../../support/builders.ts';

const HEAD = parseSha('a'.repeat(40));
const COMMIT = parseSha('b'.repeat(40));
const NOW = 1_000_000;

const fixup: Fixup = {
  action: 'FIX_CI',
  causeKey: 'head=a',
  headSha: HEAD,
  headRef: 'feature',
  baseSha: HEAD,
  attempt: 2,
  agent: 'fake',
};

const pushed: SessionOutcome = {
  kind: 'pushed',
  commitSha: COMMIT,
  diff: { files: 1, insertions: 1, deletions: 1 },
  files: ['a.ts'],
  summary: '',
  validation: [],
};
const rejected: SessionOutcome = { kind: 'rejected', code: 'NO_CHANGE', detail: 'nothing', diff: null, validation: [] };
const cleared = { activeSessionId: null, lastCiRunId: null, staleCiSince: null };

describe('settleSession', () => {
  it.each<[string, SessionOutcome, number, WorkspacePatch]>([
    [
      'counts a push and moves the stale clock to it (002.R6, R17, S11)',
      pushed,
      0,
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
      0,
      { ...cleared, stop: { causeKey: 'head=a', code: 'NO_PUSH', reason: 'nothing' } },
    ],
    [
      'counts a time-out and does not stop (002.R28, C26)',
      { kind: 'timed_out', afterMs: 5 },
      0,
      { ...cleared, consecutiveAttempts: 2 },
    ],
    [
      'changes nothing but the clock when the ground moved',
      { kind: 'superseded', why: 'head_moved', detail: '' },
      0,
      cleared,
    ],
    [
      'stops for a person when the permission is gone: else the same launch would follow at once',
      { kind: 'superseded', why: 'permission', detail: 'gone' },
      0,
      { ...cleared, stop: { causeKey: 'head=a', code: 'NEEDS_HUMAN', reason: 'gone' } },
    ],
    ['lets a run that died be tried again, uncounted (F5)', { kind: 'died', detail: 'x' }, 0, cleared],
  ])('%s', (_title, outcome, diedBefore, patch) => {
    expect(settleSession({ consecutiveAttempts: 1 }, fixup, outcome, { now: NOW, diedBefore })).toEqual(patch);
  });

  it('stops for this cause after too many runs that died', () => {
    const patch = settleSession(
      { consecutiveAttempts: 1 },
      fixup,
      { kind: 'died', detail: 'disk full' },
      { now: NOW, diedBefore: MAX_DIED_RUNS - 1 },
    );

    expect(patch.stop).toMatchObject({ causeKey: 'head=a', code: 'NO_PUSH' });
    expect(patch.stop?.reason).toContain('disk full');
    expect(patch).not.toHaveProperty('consecutiveAttempts');
  });

  it('refuses an outcome that does not exist', () => {
    const broken = forge<SessionOutcome>('{"kind":"vanished"}');

    expect(() => settleSession({ consecutiveAttempts: 0 }, fixup, broken, { now: NOW, diedBefore: 0 })).toThrow(
      'unexpected value',
    );
  });
});

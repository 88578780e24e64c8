import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCauseKey } from '../../../src/core/decide/cause-key.ts';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { endsAsStop, nextCheckAt, waitDeadline } from '../../../src/core/decide/next-check.ts';
import { observe } from '../../../src/core/decide/observe.ts';
import type { PushOrigin } from '../../../src/core/decide/push-origin.ts';
import { recordDecision } from '../../../src/core/decide/record-decision.ts';
import { toWaiting } from '../../../src/core/decide/waiting.ts';
import type { Decision, DecisionCode, FixupAction, Means } from '../../../src/core/model/decision.ts';
import type { RatchetState, Workspace } from '../../../src/core/model/workspace.ts';
import { toDurationText } from '../../../src/core/text/words.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import {
  aFailure,
  aPerson,
  aPullRequest,
  aSnapshot,
  aWorkspace,
  fakeSha,
  forge,
  NOW,
  type SnapshotChange,
} from '../../support/builders.ts';

const HEAD = fakeSha('head');
const ALONE = { now: NOW, beside: [] };
const NEXT = fakeSha('next');

function decision(action: FixupAction, code: DecisionCode): Decision {
  return { action, code, reason: '' };
}

function look(
  workspace: Partial<Workspace>,
  headSha = HEAD,
  ci: Partial<Parameters<typeof observe>[2]> = {},
  origin: PushOrigin | null = null,
) {
  const facts = aPullRequest({ headSha });
  const known = { ...aWorkspace(workspace), rerun: null, branchUpdate: null };
  const seen = { ciRunId: null, ciStatus: 'pending', failing: [], now: NOW, ...ci } as const;
  return observe(known, facts, seen, { origin, takenBack: null });
}

const PERSON: PushOrigin = { kind: 'person', by: aPerson() };
const MACHINE: PushOrigin = { kind: 'machine' };
const UNKNOWN: PushOrigin = { kind: 'unknown' };

describe('toCauseKey', () => {
  const cause = {
    headSha: HEAD,
    ciRunId: 'run',
    baseShaWhenConflicted: null,
    newestActionableCommentId: null,
    findings: null,
  };

  it('is a stable text', () => {
    expect(toCauseKey(cause)).toBe(`head=${HEAD}&ci=run&base=-&comment=-`);
  });

  it.each([
    ['head', { headSha: NEXT }],
    ['CI result', { ciRunId: 'other' }],
    ['missing CI result', { ciRunId: null }],
    ['base of a conflict', { baseShaWhenConflicted: fakeSha('base') }],
    ['comment', { newestActionableCommentId: 'c1' }],
    ['findings', { findings: 'f1' }],
  ])('changes with the %s', (_what, change) => {
    expect(toCauseKey({ ...cause, ...change })).not.toBe(toCauseKey(cause));
  });

  it('cannot be forged by an id that holds separators', () => {
    const forged = toCauseKey({ ...cause, ciRunId: 'run&base=x' });

    expect(forged).not.toContain('&base=x&');
  });
});

describe('observe', () => {
  it('takes the first sight of a head for no push', () => {
    const { patch, observations } = look({ seenHeadSha: null, seenHeadAt: null, consecutiveAttempts: 2 });

    expect(observations).toEqual([{ kind: 'head_first_seen', headSha: HEAD }]);
    expect(patch).toMatchObject({ seenHeadSha: HEAD, seenHeadAt: NOW });
    expect(patch).not.toHaveProperty('consecutiveAttempts');
  });

  it('voids attempts, stale wait, stop and waiting clock on the push of a person (002.R18, S10)', () => {
    const spent = { seenHeadSha: HEAD, lastPushSha: HEAD, consecutiveAttempts: 2 };
    const { patch, observations } = look(spent, NEXT, {}, PERSON);

    expect(observations).toEqual([{ kind: 'outside_push_seen', headSha: NEXT, by: aPerson() }]);
    expect(patch).toMatchObject({
      seenHeadSha: NEXT,
      consecutiveAttempts: 0,
      lastCiRunId: null,
      staleCiSince: null,
      stop: null,
      waitingFor: null,
      waitingSince: null,
    });
  });

  const SPENT: Partial<Workspace> = {
    ...{ seenHeadSha: HEAD, lastPushSha: HEAD, consecutiveAttempts: 2, lastCiRunId: 'run', staleCiSince: 5 },
    ...{ stop: { causeKey: 'cause', code: 'NO_PUSH', reason: '' }, freshStarts: 4 },
  };
  it.each([
    ['a bot', MACHINE, null],
    ['somebody whom GitHub has not told', UNKNOWN, { fromSha: HEAD, at: NOW }],
  ])('changes the head and nothing else on a push of %s (002.R18, S17, L5)', (_who, origin, openPush) => {
    const { patch, observations } = look(SPENT, NEXT, {}, origin);

    expect(observations).toEqual([{ kind: 'machine_push_seen', headSha: NEXT, told: origin.kind }]);
    expect(patch).toMatchObject({ seenHeadSha: NEXT, settledHeadSha: NEXT, staleCiSince: NOW, openPush });
    for (const name of ['consecutiveAttempts', 'lastCiRunId', 'stop', 'freshStarts'])
      expect(patch).not.toHaveProperty(name);
  });

  it('leaves a stale clock that does not run alone on a push of a bot', () => {
    expect(look({ ...SPENT, staleCiSince: null }, NEXT, {}, MACHINE).patch.staleCiSince).toBeNull();
  });

  it.each([
    ['renews the budget when GitHub tells of a person later', PERSON, NOW, { openPush: null, consecutiveAttempts: 0 }],
    ['is done when GitHub tells of a bot later', MACHINE, NOW, { openPush: null }],
    ['goes on asking', UNKNOWN, NOW, { openPush: { fromSha: HEAD, at: NOW } }],
    ['asks no more after ten minutes', null, NOW + 600_000, { openPush: null }],
  ])('%s (S17)', (_what, origin, now, patch) => {
    const open = { ...SPENT, seenHeadSha: NEXT, openPush: { fromSha: HEAD, at: NOW } };

    expect(look(open, NEXT, { now }, origin).patch).toMatchObject(patch);
  });

  it('keeps attempts and stale wait on a push of our own', () => {
    const { patch, observations } = look({ lastPushSha: NEXT, consecutiveAttempts: 1, staleCiSince: NOW }, NEXT);

    expect(observations).toEqual([{ kind: 'own_push_seen', headSha: NEXT }]);
    expect(patch).toMatchObject({ seenHeadSha: NEXT, seenHeadAt: NOW });
    expect(patch).not.toHaveProperty('consecutiveAttempts');
    expect(patch).not.toHaveProperty('staleCiSince');
  });

  it('takes a first own push for its own even before anything was seen', () => {
    expect(look({ seenHeadSha: null, lastPushSha: HEAD }).observations).toEqual([
      { kind: 'own_push_seen', headSha: HEAD },
    ]);
  });

  it('does not take a lagging replica, or a push that was taken back, for a push from outside (F15)', () => {
    const afterOwnPush = { seenHeadSha: NEXT, lastPushSha: NEXT, lastCiRunId: 'run-of-head', consecutiveAttempts: 1 };

    const { patch, observations } = look(afterOwnPush, HEAD, { ciRunId: 'run-of-head' });

    expect(observations).toEqual([]);
    expect(patch).not.toHaveProperty('seenHeadSha');
    expect(patch).not.toHaveProperty('consecutiveAttempts');
  });

  it('takes another head for a push from outside, also after a push of our own', () => {
    const afterOwnPush = { seenHeadSha: NEXT, lastPushSha: NEXT, lastCiRunId: 'run-of-head' };

    expect(look(afterOwnPush, HEAD, { ciRunId: 'another' }, PERSON).observations).toMatchObject([
      { kind: 'outside_push_seen' },
    ]);
  });

  it('believes GitHub when it tells who took a push of ours back', () => {
    const afterOwnPush = { seenHeadSha: NEXT, lastPushSha: NEXT, lastCiRunId: 'run-of-head', consecutiveAttempts: 1 };

    expect(look(afterOwnPush, HEAD, { ciRunId: 'run-of-head' }, PERSON).observations).toMatchObject([
      { kind: 'outside_push_seen' },
    ]);
  });

  it('renews nothing for a head that another pull request of the branch has accounted for (S18)', () => {
    const { patch, observations } = look({ ...SPENT, settledHeadSha: NEXT }, NEXT, {}, null);

    expect(observations).toEqual([]);
    expect(patch).toMatchObject({ seenHeadSha: NEXT, seenHeadAt: NOW, diagnosis: null });
    expect(patch).not.toHaveProperty('consecutiveAttempts');
  });

  it('says nothing about a head that it knows', () => {
    const { patch, observations } = look({ ciEverSeen: false });

    expect(observations).toEqual([]);
    expect(patch).toEqual({ headRef: 'feature', baseRef: 'main', ciEverSeen: false, seenMerge: 'clean' });
  });

  it('remembers that CI was ever seen', () => {
    expect(look({ ciEverSeen: false }, HEAD, { ciRunId: 'run' }).patch.ciEverSeen).toBe(true);
    expect(look({ ciEverSeen: true }).patch.ciEverSeen).toBe(true);
  });

  const pushed = { lastPushSha: HEAD, lastCiRunId: 'old', staleCiSince: NOW - 1 } as const;
  it('ends the stale clock with the first result of our push', () => {
    const { patch, observations } = look(pushed, HEAD, { ciRunId: 'new' });

    expect(patch.staleCiSince).toBeNull();
    expect(observations).toEqual([{ kind: 'ci_picked_up', headSha: HEAD }]);
  });

  it.each([
    ['no result', pushed, { ciRunId: null }],
    ['the recorded result', pushed, { ciRunId: 'old' }],
    ['no CI', pushed, { ciRunId: 'new', ciStatus: 'none' }],
    ['a re-run at the old head', { ...pushed, lastPushSha: NEXT }, { ciRunId: 'new' }],
    ['a clock that does not run', { ...pushed, staleCiSince: null }, { ciRunId: 'new' }],
  ] as const)('leaves it at %s', (_what, workspace, ci) => {
    expect(look(workspace, HEAD, ci).patch).not.toHaveProperty('staleCiSince');
  });
});

describe('toWaiting', () => {
  const since = { waitingFor: 'CI_RUNNING', waitingSince: NOW - 5 } as const;
  const none = { waitingFor: null, waitingSince: null } as const;

  it.each([
    ['starts a clock', none, decision('WAIT', 'CI_RUNNING'), { waitingFor: 'CI_RUNNING', waitingSince: NOW }],
    ['keeps the clock of the same wait', since, decision('WAIT', 'CI_RUNNING'), since],
    [
      'restarts it for another wait',
      since,
      decision('WAIT', 'MERGE_UNKNOWN'),
      { waitingFor: 'MERGE_UNKNOWN', waitingSince: NOW },
    ],
    [
      'starts it where it is missing',
      { ...since, waitingSince: null },
      decision('WAIT', 'CI_RUNNING'),
      { ...since, waitingSince: NOW },
    ],
    [
      'takes a clock of no wait for the one of this wait',
      { ...since, waitingFor: null },
      decision('WAIT', 'CI_RUNNING'),
      since,
    ],
    ['ends it with a fix', since, decision('FIX_CI', 'CI_FAILED'), none],
    ['goes on after the timeout of this wait', since, decision('DONE', 'CI_TIMEOUT'), since],
    ['ends it with the timeout of another wait', since, decision('DONE', 'MERGE_UNKNOWN_TIMEOUT'), none],
    ['stays without one', none, decision('DONE', 'CI_TIMEOUT'), none],
  ])('%s', (_title, previous, decided, expected) => {
    expect(toWaiting(previous, decided, NOW)).toEqual(expected);
  });

  it.each<[DecisionCode, DecisionCode, boolean]>([
    ['CI_TIMEOUT', 'CI_RUNNING', true],
    ['CI_TIMEOUT', 'CI_BLOCKED', true],
    ['CI_TIMEOUT', 'MERGE_UNKNOWN', false],
    ['STALE_CI_TIMEOUT', 'STALE_CI_RUN', true],
    ['STALE_CI_TIMEOUT', 'CI_RUNNING', false],
    ['MERGE_UNKNOWN_TIMEOUT', 'MERGE_UNKNOWN', true],
    ['MERGE_UNKNOWN_TIMEOUT', 'STALE_CI_RUN', false],
    ['ALL_GREEN', 'CI_RUNNING', false],
    ['RED_ON_BASE', 'RERUN_AWAITED', false],
  ])('lets the clock of %s and %s go on: %s (S4)', (code, waitingFor, goesOn) => {
    const previous = { waitingFor, waitingSince: NOW - 5 };

    expect(toWaiting(previous, decision('DONE', code), NOW)).toEqual(goesOn ? previous : none);
  });

  it('lets no other field of a workspace through', () => {
    const workspace = aWorkspace({ ...since, consecutiveAttempts: 2 });

    expect(Object.keys(toWaiting(workspace, decision('WAIT', 'CI_RUNNING'), NOW))).toEqual([
      'waitingFor',
      'waitingSince',
    ]);
  });

  it('makes a timeout stay a timeout at the next look', () => {
    const first = aSnapshot({
      ci: { status: 'pending' },
      ratchet: { waitingFor: 'CI_RUNNING', waitingSince: NOW - 21_600_000 },
    });
    const waiting = toWaiting(first.ratchet, determineFixupAction(first), NOW);
    const second = aSnapshot({ ci: { status: 'pending' }, ratchet: waiting, now: NOW + 1000 });

    expect(determineFixupAction(second).code).toBe('CI_TIMEOUT');
  });
});

describe('recordDecision', () => {
  const STATES: readonly (readonly [FixupAction, DecisionCode, RatchetState])[] = [
    ['WAIT', 'WORKING_SESSION', 'fixing'],
    ['WAIT', 'CI_RUNNING', 'waiting'],
    ['FIX_CI', 'CI_FAILED', 'fixing'],
    ['FIX_MERGE_CONFLICT', 'MERGE_CONFLICT', 'fixing'],
    ['FIX_REVIEW', 'REVIEW_COMMENTS', 'fixing'],
    ['TERMINAL_FAILED', 'ATTEMPTS_EXHAUSTED', 'failed'],
    ['TERMINAL_FAILED', 'LAUNCHES_EXHAUSTED', 'failed'],
    ['WAIT', 'RERUN_AWAITED', 'waiting'],
    ['CLEANUP_ONLY', 'DISABLED', 'disabled'],
    ['CLEANUP_ONLY', 'PAUSED', 'stopped'],
    ['CLEANUP_ONLY', 'OBSERVE_ONLY', 'stopped'],
    ['DONE', 'RED_ON_BASE', 'stopped'],
    ['DONE', 'SAME_FAILURE', 'stopped'],
    ['CLEANUP_ONLY', 'AUTO_MERGE_ON', 'stopped'],
    ['DONE', 'ALL_GREEN', 'green'],
    ['DONE', 'NO_PR', 'closed'],
    ['DONE', 'PR_NOT_OPEN', 'closed'],
    ['DONE', 'STALE_CI_TIMEOUT', 'stopped'],
  ];
  it.each(STATES)('shows %s %s as %s (002.R21)', (action, code, state) => {
    expect(recordDecision(aWorkspace(), decision(action, code), ALONE)).toMatchObject({ state, lastCheckedAt: NOW });
  });

  it.each(STATES)('resets the attempts on ALL_GREEN only (002.R18): %s %s', (action, code) => {
    const patch = recordDecision(aWorkspace({ consecutiveAttempts: 2 }), decision(action, code), ALONE);

    expect(patch.consecutiveAttempts).toBe(code === 'ALL_GREEN' ? 0 : undefined);
  });

  it.each<[Means, RatchetState]>([
    ['rerun', 'waiting'],
    ['update-branch', 'waiting'],
    ['agent', 'fixing'],
  ])('shows a fix by %s as %s', (means, state) => {
    expect(recordDecision(aWorkspace(), { ...decision('FIX_CI', 'CI_FAILED'), means }, ALONE).state).toBe(state);
  });

  it('refuses an action that does not exist', () => {
    const broken = forge<Decision>('{"action":"JUMP","code":"CI_FAILED","reason":""}');

    expect(() => recordDecision(aWorkspace(), broken, ALONE)).toThrow('unexpected value');
  });
});

describe('nextCheckAt', () => {
  const intervals = { recheckMs: 600_000, watchMs: 3_600_000, watchOffsetMs: 1_200_000, mergeRetryMs: 5000 };
  const check = (when: SnapshotChange, settlesAt: number | null = null): number | null => {
    const snapshot = aSnapshot(when);
    return nextCheckAt(determineFixupAction(snapshot), snapshot, { intervals, settlesAt });
  };

  it.each([
    ['after the safety interval while a fixup is launched', {}, null, NOW + 600_000],
    ['at the common instant when it is green', { ci: { status: 'success' } }, null, NOW + 1_200_000],
    ['at the common instant when it has stopped', { ratchet: { stoppedFor: 'cause-1' } }, null, NOW + 1_200_000],
    ['at the common instant when it failed for good', { ratchet: { consecutiveAttempts: 3 } }, null, NOW + 1_200_000],
    ['at the common instant when it is held', { pullRequest: { autoMerge: true } }, null, NOW + 1_200_000],
    ['at the common instant without a pull request', { pullRequest: null }, null, NOW + 1_200_000],
    ['not at all when it is closed', { pullRequest: { state: 'closed' } }, null, null],
    ['not at all when disabled', { ratchet: { enabled: false } }, null, null],
    ['when a young head settles', { ci: { status: 'pending' } }, NOW + 20_000, NOW + 20_000],
    ['soon for mergeability', { merge: 'unknown' }, null, NOW + 5000],
    [
      'at the end of the stale wait',
      { ratchet: { lastCiRunId: 'run-2', staleCiSince: NOW - 1000 } },
      null,
      NOW + 299_000,
    ],
    ['at the end of a stale wait without a clock', { ratchet: { lastCiRunId: 'run-2' } }, null, NOW + 300_000],
    [
      'at the end of the wait for CI',
      { ci: { status: 'pending' }, ratchet: { waitingFor: 'CI_RUNNING', waitingSince: NOW - 21_590_000 } },
      null,
      NOW + 10_000,
    ],
    [
      'at the end of the wait that a re-run begins',
      { ci: { failure: aFailure({ rerunnable: true }) } },
      null,
      NOW + 300_000,
    ],
    [
      'at the end of the wait that an update begins',
      { merge: 'behind', pullRequest: { mustBeUpToDate: true } },
      null,
      NOW + 300_000,
    ],
    ['at the common instant when it is paused', { ratchet: { paused: true } }, null, NOW + 1_200_000],
    [
      'when a review has gone quiet',
      { ci: { status: 'success' }, review: { actionable: 1, newestAt: NOW - 20_000 } },
      null,
      NOW + 40_000,
    ],
    ['in a second at the earliest', { ci: { status: 'pending' } }, NOW + 1, NOW + 1000],
    ['not at this very instant', { ci: { status: 'success' } }, NOW, NOW + 1_200_000],
    ['not in the past', { ci: { status: 'success' } }, NOW - 1000, NOW + 1_200_000],
    ['for a session too', { workingSession: true }, null, NOW + 600_000],
    [
      'with a fresh clock for another wait',
      { ci: { status: 'blocked' }, ratchet: { waitingFor: 'CI_RUNNING', waitingSince: 0 } },
      null,
      NOW + 600_000,
    ],
  ] satisfies [string, SnapshotChange, number | null, number | null][])(
    'looks %s (002.R35)',
    (_title, when, settlesAt, expected) => {
      expect(check(when, settlesAt)).toBe(expected);
    },
  );

  it.each([
    ['right after the one before', 1_200_000, 4_800_000],
    ['long after it', 1_200_001 + 3_000_000, 4_800_000],
    ['right before it', 4_799_000, 4_800_000],
    ['within a second of it', 4_799_500, 4_800_500],
  ])('takes all pull requests at rest to one instant, from %s', (_title, after, expected) => {
    const snapshot = aSnapshot({ ci: { status: 'success' }, now: NOW + after });

    expect(nextCheckAt(determineFixupAction(snapshot), snapshot, { intervals, settlesAt: null })).toBe(NOW + expected);
  });

  it('lies in the future, whatever the snapshot', () => {
    fc.assert(
      fc.property(anySnapshot, fc.option(fc.nat()), (snapshot, settlesAt) => {
        const at = nextCheckAt(determineFixupAction(snapshot), snapshot, { intervals, settlesAt });

        expect(at === null || (at > snapshot.now && at <= snapshot.now + intervals.watchMs)).toBe(true);
      }),
    );
  });
});

describe('waitDeadline', () => {
  it.each([
    ['CI', { ci: { status: 'pending' } }, NOW + 21_600_000],
    ['an approval', { ci: { status: 'blocked' } }, NOW + 21_600_000],
    ['mergeability', { merge: 'unknown' }, NOW + 1_800_000],
    [
      'an update of the branch',
      { merge: 'behind', pullRequest: { mustBeUpToDate: true }, ratchet: { updateAskedAt: NOW - 1000 } },
      NOW + 299_000,
    ],
    ['a re-run', { ratchet: { rerun: { ciRunId: 'run-2', at: NOW - 1000 } } }, NOW + 299_000],
    ['a quiet review', { ci: { status: 'success' }, review: { actionable: 1, newestAt: NOW - 1000 } }, NOW + 59_000],
    [
      'a review that is never quiet',
      {
        ci: { status: 'success' },
        review: { actionable: 1, newestAt: NOW },
        ratchet: { waitingFor: 'REVIEW_SETTLING', waitingSince: NOW - 580_000 },
      },
      NOW + 20_000,
    ],
    ['a session', { workingSession: true }, null],
    ['nothing', {}, null],
  ] satisfies [string, SnapshotChange, number | null][])('of a wait for %s', (_what, when, expected) => {
    const snapshot = aSnapshot(when);

    expect(waitDeadline(determineFixupAction(snapshot), snapshot)).toBe(expected);
  });

  it.each<[DecisionCode]>([['UPDATE_AWAITED'], ['RERUN_AWAITED'], ['REVIEW_SETTLING'], ['STALE_CI_RUN']])(
    'counts from now where %s has no clock (S4)',
    (code) => {
      const deadline = waitDeadline(decision('WAIT', code), aSnapshot());

      expect(deadline).toBe(code === 'REVIEW_SETTLING' ? null : NOW + 300_000);
    },
  );

  it('is none of what does not wait', () => {
    expect(waitDeadline(decision('DONE', 'CI_RUNNING'), aSnapshot())).toBeNull();
  });
});

describe('endsAsStop', () => {
  it.each<[DecisionCode, boolean]>([
    ['CI_RUNNING', true],
    ['CI_BLOCKED', true],
    ['STALE_CI_RUN', true],
    ['MERGE_UNKNOWN', true],
    ['UPDATE_AWAITED', false],
    ['RERUN_AWAITED', false],
    ['REVIEW_SETTLING', false],
    ['WORKING_SESSION', false],
  ])('of %s is %s', (code, isStop) => {
    expect(endsAsStop(code)).toBe(isStop);
  });
});

describe('toDurationText', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [300, '5 min'],
    [3600, '1 h'],
    [5400, '1 h 30 min'],
  ])('says %i seconds as %s', (seconds, text) => {
    expect(toDurationText(seconds)).toBe(text);
  });
});

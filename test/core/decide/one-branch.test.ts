import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { observe } from '../../../src/core/decide/observe.ts';
import { recordDecision } from '../../../src/core/decide/record-decision.ts';
import { toStopOnBranch } from '../../../src/core/decide/stopped-for.ts';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import { toPullNumber, toPullRequestKey } from '../../../src/core/model/ids.ts';
import type { RatchetState, Stop } from '../../../src/core/model/workspace.ts';
import {
  aFailure,
  aPullRequest,
  aSnapshot,
  aWorkspace,
  fakeSha,
  NOW,
  type SnapshotChange,
} from '../../support/builders.ts';

const reasonOf = (change: SnapshotChange): string => determineFixupAction(aSnapshot(change)).reason;

describe('a stop on a branch (S18)', () => {
  const own: Stop = { causeKey: 'own', code: 'NO_PUSH', reason: 'mine' };
  const other: Stop = { causeKey: 'other', code: 'NEEDS_HUMAN', reason: 'theirs' };

  it.each<
    [string, { readonly mine: Stop | null; readonly beside: readonly (Stop | null)[] }, string | null, Stop | null]
  >([
    ['its own, where that is for the cause', { mine: own, beside: [other] }, 'own', own],
    ['that of another, where only that is for the cause', { mine: own, beside: [null, other] }, 'other', other],
    ['that of another, where it has none', { mine: null, beside: [other] }, 'other', other],
    ['its own, where none is for the cause', { mine: own, beside: [other] }, 'new', own],
    ['none, where there is none', { mine: null, beside: [null] }, 'new', null],
    ['none, where the cause is not known', { mine: null, beside: [other] }, null, null],
  ])('is %s', (_what, { mine, beside }, causeKey, expected) => {
    expect(toStopOnBranch(mine, beside, causeKey)).toEqual(expected);
  });
});

describe('ALL_GREEN on a branch (S10, S18)', () => {
  it.each<[readonly RatchetState[], boolean]>([
    [[], true],
    [['green'], true],
    [['green', 'green'], true],
    [['green', 'waiting'], false],
    [['idle'], false],
    [['stopped'], false],
  ])('beside %j resets the attempts: %s', (states, isReset) => {
    const decision = { action: 'DONE', code: 'ALL_GREEN', reason: '' } as const;
    const patch = recordDecision(aWorkspace(), decision, { now: NOW, beside: states.map((state) => ({ state })) });

    expect(patch.consecutiveAttempts).toBe(isReset ? 0 : undefined);
  });
});

const QUEUE_FAILED: SnapshotChange = {
  ...{ merge: 'clean', ci: { status: 'success' } },
  pullRequest: { queueFailure: 'CI_FAILURE' },
};

describe('another pull request of the branch', () => {
  it('is named where its session works, and where it is paused', () => {
    expect(reasonOf({ workingSession: true, sessionBeside: 8 })).toBe(
      'A session is working on #8, which has the same branch. Ratchet starts nothing else meanwhile.',
    );
    expect(reasonOf({ ratchet: { pausedBeside: 8 } })).toBe(
      'CI failed, but Ratchet is paused on #8, which has the same branch.',
    );
  });

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['a conflict', { merge: 'conflict' }, 'BRANCH_SHARED'],
    ['an update', { merge: 'behind', pullRequest: { mustBeUpToDate: true } }, 'BRANCH_SHARED'],
    ['a head that the merge queue removed', QUEUE_FAILED, 'BRANCH_SHARED'],
    ['red CI', {}, 'CI_FAILED'],
    ['a review', { ci: { status: 'success' }, review: { actionable: 1 } }, 'REVIEW_COMMENTS'],
  ])('leaves to a person what would merge the base, and nothing else: %s', (_what, change, code) => {
    const pullRequest = { ...change.pullRequest, beside: [8, 9] };

    expect(determineFixupAction(aSnapshot({ ...change, pullRequest })).code).toBe(code);
  });

  it('is named where a merge would reach it', () => {
    expect(reasonOf({ merge: 'conflict', pullRequest: { beside: [8, 9] } })).toContain('also belongs to #8 and #9');
  });
});

describe('a reverted fix (S19, L6)', () => {
  const takenBack = { commitSha: fakeSha('ours'), action: 'FIX_CI', by: 'ann', at: NOW } as const;
  const review = { ci: { status: 'success' }, policy: { reviewQuietSeconds: 0 } } as const;

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['holds an agent for the same kind of fault', { ratchet: { takenBack } }, 'TAKEN_BACK'],
    ['holds none for another', { merge: 'conflict', ratchet: { takenBack } }, 'MERGE_CONFLICT'],
    [
      'leaves a free re-run alone',
      { ci: { failure: aFailure({ rerunnable: true }) }, ratchet: { takenBack } },
      'CI_FLAKY',
    ],
    ['comes before a used-up budget', { ratchet: { takenBack, consecutiveAttempts: 3 } }, 'TAKEN_BACK'],
    [
      'holds an update of the branch that was reverted',
      {
        ...{ merge: 'behind', pullRequest: { mustBeUpToDate: true } },
        ratchet: { takenBack: { ...takenBack, action: 'FIX_MERGE_CONFLICT' } },
      },
      'TAKEN_BACK',
    ],
    ...(
      [
        [NOW, 'TAKEN_BACK'],
        [null, 'TAKEN_BACK'],
        [NOW + 1, 'REVIEW_COMMENTS'],
      ] as const
    ).map(([newestAt, code]): [string, SnapshotChange, DecisionCode] => [
      `of a review holds until a newer comment: ${String(newestAt)}`,
      {
        ...{ ...review, review: { actionable: 1, newestAt }, now: NOW + 1 },
        ratchet: { takenBack: { ...takenBack, action: 'FIX_REVIEW' } },
      },
      code,
    ]),
  ])('%s', (_what, change, code) => {
    expect(determineFixupAction(aSnapshot(change)).code).toBe(code);
  });

  it('names who reverted it, if that is known', () => {
    expect(reasonOf({ ratchet: { takenBack } })).toContain('but @ann reverted');
    expect(reasonOf({ ratchet: { takenBack: { ...takenBack, by: null } } })).toContain('but somebody reverted');
  });
});

describe('the head branch of a pull request', () => {
  it('is none of the repository where the head is in a fork', () => {
    const known = { ...aWorkspace(), rerun: null, branchUpdate: null };
    const ci = { ciRunId: null, ciStatus: 'pending', failing: [], now: NOW } as const;

    expect(observe(known, aPullRequest({ fork: true }), ci).patch.headRef).toBeNull();
  });

  it('is shared by pull requests that are told apart by their numbers', () => {
    expect(toPullNumber(toPullRequestKey(10, 7))).toBe(7);
  });
});

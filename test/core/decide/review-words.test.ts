import { describe, expect, it } from 'vitest';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { isReviewAwaited, toNames } from '../../../src/core/decide/review-words.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { LeftItem } from '../../../src/core/model/snapshot.ts';
import { aSnapshot, forge, type SnapshotChange } from '../../support/builders.ts';

const ASKED: LeftItem = { why: 'needs_human', by: 'grace', path: 'src/a.ts', answer: 'Which name?' };

function decide(review: NonNullable<SnapshotChange['review']>, change: SnapshotChange = {}): Decision {
  return determineFixupAction(aSnapshot({ ci: { status: 'success' }, review, ...change }));
}

describe('an item that is left to a person', () => {
  it.each<[Partial<LeftItem>, string]>([
    [{}, 'Ratchet left the comment of grace on src/a.ts to a person: "Which name?"'],
    [{ path: null }, 'Ratchet left the comment of grace to a person: "Which name?"'],
    [{ path: '' }, 'Ratchet left the comment of grace to a person: "Which name?"'],
    [{ by: null }, 'Ratchet left the comment of a deleted account on src/a.ts to a person: "Which name?"'],
    [{ answer: '' }, 'Ratchet left the comment of grace on src/a.ts to a person.'],
    [{ why: 'declined' }, 'Ratchet declined the comment of grace on src/a.ts: "Which name?"'],
    [{ why: 'unknown_author', answer: '' }, 'Ratchet cannot tell whether the comment of grace on src/a.ts counts.'],
    [{ why: 'unread' }, 'The thread on src/a.ts is too long to be read completely.'],
    [{ why: 'unresolved' }, 'The base branch requires resolved conversations, and the one on src/a.ts is open.'],
  ])('keeps the pull request from DONE, and the reason quotes our answer: %j (L1, S20)', (change, text) => {
    expect(decide({ left: 1, leftItems: [{ ...ASKED, ...change }] })).toEqual({
      action: 'CLEANUP_ONLY',
      code: 'REVIEW_NEEDS_PERSON',
      reason: `CI is green and nothing conflicts, but 1 review comment needs a person. ${text}`,
    });
  });

  it('is one of many: the reason tells two (L1)', () => {
    const second: LeftItem = { ...ASKED, why: 'declined', answer: 'No.' };
    const { reason } = decide({ left: 9, leftItems: [ASKED, second, ASKED] }, { ci: { status: 'none' } });

    expect(reason).toBe(
      'There is no CI and nothing conflicts, but 9 review comments need a person. Ratchet left the comment of grace on src/a.ts to a person: "Which name?" Ratchet declined the comment of grace on src/a.ts: "No."',
    );
  });

  it.each<[string, SnapshotChange, string]>([
    ['red CI', { ci: { status: 'failure' } }, 'CI_FAILED'],
    ['a conflict', { merge: 'conflict' }, 'MERGE_CONFLICT'],
    ['another comment', { review: { left: 1, actionable: 1 } }, 'REVIEW_COMMENTS'],
    ['CI that runs', { ci: { status: 'pending' } }, 'CI_RUNNING'],
    ['a pause', { ratchet: { paused: true } }, 'REVIEW_NEEDS_PERSON'],
    ['a draft that is held', { pullRequest: { draft: true }, policy: { holdDrafts: true } }, 'REVIEW_NEEDS_PERSON'],
  ])('comes after what Ratchet can do, and before green: beside %s (L1)', (_what, change, code) => {
    expect(decide({ left: 1 }, change).code).toBe(code);
  });

  it('resets no attempts (L1, S10)', () => {
    expect(decide({ left: 0 }).code).toBe('ALL_GREEN');
    expect(decide({ left: 1 }).code).not.toBe('ALL_GREEN');
  });
});

describe('all green', () => {
  it.each<[NonNullable<SnapshotChange['review']>, string]>([
    [{}, 'CI is green, nothing conflicts and no review comment is open.'],
    [{ decision: 'approved' }, 'CI is green, nothing conflicts and no review comment is open.'],
    [{ otherOpen: 1 }, 'CI is green and nothing conflicts. 1 review comment is open, but asks nothing of Ratchet.'],
    [{ otherOpen: 2 }, 'CI is green and nothing conflicts. 2 review comments are open, but ask nothing of Ratchet.'],
    [
      { changesRequestedBy: ['grace'], decision: 'changes_requested' },
      'CI is green and nothing conflicts. grace requested changes and must review again.',
    ],
    [
      { decision: 'changes_requested', otherOpen: 1 },
      'CI is green and nothing conflicts. 1 review comment is open, but asks nothing of Ratchet. GitHub still counts a request for changes.',
    ],
    [{ decision: 'review_required' }, 'CI is green and nothing conflicts. An approving review is still required.'],
    [
      { decision: 'review_required', changesRequestedBy: ['grace', 'alan'] },
      'CI is green and nothing conflicts. grace and alan requested changes and must review again. An approving review is still required.',
    ],
  ])('says what is open and who is waited for: %j (L1)', (review, reason) => {
    expect(decide(review)).toEqual({ action: 'DONE', code: 'ALL_GREEN', reason });
  });

  it.each<[string, NonNullable<SnapshotChange['review']>, boolean]>([
    ['ALL_GREEN', { decision: 'review_required' }, true],
    ['ALL_GREEN', { decision: 'changes_requested' }, true],
    ['ALL_GREEN', { changesRequestedBy: ['grace'] }, true],
    ['ALL_GREEN', { decision: 'approved', otherOpen: 1 }, false],
    ['ALL_GREEN', {}, false],
    ['REVIEW_NEEDS_PERSON', { left: 1, decision: 'review_required' }, false],
  ])('awaits a review or not: %s %j', (code, review, isAwaited) => {
    const decision = decide(review);

    expect(decision.code).toBe(code);
    expect(isReviewAwaited(decision, aSnapshot({ review }).review)).toBe(isAwaited);
  });
});

it('refuses an item that cannot be', () => {
  expect(() => decide({ left: 1, leftItems: [{ ...ASKED, why: forge('"other"') }] })).toThrow('unexpected value');
});

describe('toNames', () => {
  it.each([
    [['grace'], 'grace'],
    [['grace', 'alan'], 'grace and alan'],
    [['grace', 'alan', 'kay'], 'grace, alan and kay'],
    [['grace', 'alan', 'kay', 'ida', 'joan'], 'grace, alan, kay and 2 more'],
  ])('%j: %s', (logins, text) => {
    expect(toNames(logins)).toBe(text);
  });
});

import { describe, expect, it } from 'vitest';
import type { SessionOutcome, UndoOrder } from '../../../src/core/model/session.ts';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { renderTitle } from '../../../src/core/render/render-title.ts';
import { toCommitMessage } from '../../../src/core/sessions/commit-message.ts';
import { findLastFixup, isUndoable } from '../../../src/core/sessions/last-fixup.ts';
import { settleSession } from '../../../src/core/sessions/settle-session.ts';
import {
  describeConflict,
  describeGone,
  describeUndo,
  findUndoable,
  findUnpushable,
  refuseMerge,
  toRevertCommands,
} from '../../../src/core/sessions/undo-words.ts';
import { aStory } from '../../support/a-story.ts';
import { aDeclining, aFixup, aPerson, aPush, aRejection, aSession, fakeSha } from '../../support/builders.ts';

const NOW = 1_000_000;
const FIX = fakeSha('fix');
const REVERT = fakeSha('revert');
const order: UndoOrder = {
  commitSha: FIX,
  parentSha: fakeSha('before'),
  by: aPerson(),
  commandId: 1,
  ciRunId: 'run',
};
const undo = aFixup({ action: 'FIX_CI', undo: order });
const fixSession = aSession(aPush({ commitSha: FIX }));
const undoSession = aSession(aPush({ commitSha: REVERT }), { fixup: undo });
const context = { now: NOW, before: { died: 0, free: 0, tooLong: 0 } };

describe('the last fixup', () => {
  it('is the newest that pushed; an undo is none, and says that it is undone', () => {
    expect(findLastFixup([])).toBeNull();
    expect(findLastFixup([aSession(aRejection()), aSession(null, { fixup: null })])).toBeNull();
    expect(findLastFixup([fixSession])).toMatchObject({ outcome: { commitSha: FIX }, undoneBy: null });
    expect(findLastFixup([undoSession, fixSession])).toMatchObject({ outcome: { commitSha: FIX }, undoneBy: REVERT });
  });

  it('is not undone by an undo of an earlier one', () => {
    const next = aSession(aPush({ commitSha: fakeSha('next') }));
    expect(findLastFixup([next, undoSession, fixSession])?.undoneBy).toBeNull();
  });

  it('is undone once, and never if it merged the base (S26)', () => {
    const merge = aSession(aPush(), { fixup: aFixup({ action: 'FIX_MERGE_CONFLICT' }) });
    const isUndoableOf = (...sessions: Parameters<typeof findLastFixup>[0]): boolean | null => {
      const last = findLastFixup(sessions);
      return last === null ? null : isUndoable(last);
    };
    expect([isUndoableOf(fixSession), isUndoableOf(undoSession, fixSession), isUndoableOf(merge)]).toEqual([
      ...[true, false, false],
    ]);
  });

  it('is not looked for while a session is at work', () => {
    expect(findUndoable([fixSession], true)).toMatchObject({ byHand: [] });
    expect(findUndoable([fixSession], false)).toMatchObject({ undoneBy: null });
  });
});

describe('the end of an undo', () => {
  it("is the person's revert: no attempt is counted, and the cause is taken back (S17, S19)", () => {
    expect(settleSession({ consecutiveAttempts: 2 }, undo, aPush({ commitSha: REVERT }), context)).toEqual({
      activeSessionId: null,
      lastPushAt: NOW,
      lastPushSha: REVERT,
      lastCiRunId: 'run',
      staleCiSince: NOW,
      takenBack: { commitSha: FIX, action: 'FIX_CI', by: aPerson(), headSha: REVERT, at: NOW },
    });
  });

  it('awaits no CI where the head had none (S5)', () => {
    const fixup = aFixup({ undo: { ...order, ciRunId: null } });
    expect(settleSession({ consecutiveAttempts: 0 }, fixup, aPush(), context)).toMatchObject({ staleCiSince: null });
  });

  it.each<SessionOutcome>([
    aRejection(),
    { kind: 'timed_out', afterMs: 5 },
    { kind: 'died', detail: 'gone' },
    { kind: 'superseded', why: 'stopped', detail: 'stopped' },
  ])('changes nothing without a push: $kind', (outcome) => {
    expect(settleSession({ consecutiveAttempts: 2 }, undo, outcome, context)).toEqual({ activeSessionId: null });
  });
});

describe('the words of an undo', () => {
  it.each<[SessionOutcome, string]>([
    [aPush({ commitSha: REVERT }), `Undid ${FIX} with ${REVERT}`],
    [{ kind: 'timed_out', afterMs: 5 }, 'ran out of time'],
    [{ kind: 'died', detail: 'The process ended.' }, 'interrupted: The process ended.'],
    [{ kind: 'superseded', why: 'head_moved', detail: 'Somebody pushed.' }, 'Somebody pushed.'],
    [aDeclining(), 'Nothing was pushed.'],
  ])('say how it ended', (outcome, said) => {
    expect(describeUndo(order, outcome)).toContain(said);
  });

  it('name files in conflict; whole folders have no name', () => {
    expect(describeConflict(order, ['a.ts'])).toContain('in "a.ts"');
    expect(describeConflict(order, [])).toContain('in its folders');
  });

  it('say why there is nothing to undo, and how a person reverts a commit', () => {
    expect(findUndoable([], false)).toMatchObject({ byHand: [] });
    expect(findUndoable([undoSession, fixSession], false)).toEqual({
      why: `The last fixup, ${FIX}, was undone by ${REVERT}.`,
      byHand: [],
    });
    expect(describeGone(order)).toContain('there is nothing to undo');
    expect(toRevertCommands("it's", order)).toEqual([
      'git fetch origin',
      String.raw`git switch 'it'\''s'`,
      'git pull --ff-only',
      `git revert ${FIX}`,
    ]);
  });

  it('say what the policy has against a push', () => {
    expect(findUnpushable('observe', 'other')).toContain('observe');
    expect(findUnpushable('push', 'other')).toBe('other');
    expect(findUnpushable('push', null)).toBeNull();
  });

  it('show how a person takes a merge out of a branch, with exact SHAs and whatever its name is (S26)', () => {
    const [merge, before, later] = [fakeSha('merge'), fakeSha('before'), fakeSha('later')];
    const fixup = aFixup({ action: 'FIX_MERGE_CONFLICT', headSha: before });
    const last = findLastFixup([aSession(aPush({ commitSha: merge }), { fixup })]);
    if (last === null) throw new Error('nothing was pushed');

    expect(refuseMerge(last, { headRef: 'a;$(x)`y`', headSha: merge }).byHand).toEqual([
      'git fetch origin',
      `git switch -C 'a;$(x)\`y\`' ${merge}`,
      `git reset --hard ${before}`,
      `git push --force-with-lease='a;$(x)\`y\`:${merge}' origin 'HEAD:refs/heads/a;$(x)\`y\`'`,
    ]);
    const { byHand } = refuseMerge(last, { headRef: "it's", headSha: later });
    expect(byHand).toContain(`git rebase --rebase-merges --onto ${before} ${merge}`);
    expect(byHand[1]).toBe(String.raw`git switch -C 'it'\''s' ` + later);
  });

  it('stand on the check run instead of an attempt', () => {
    const context = aStory();
    const text = renderFixup(undoSession, context);
    expect(text).toContain('### Undo of');
    expect(text).toContain('requested by `');
    expect(text).toContain('does not count as an attempt');
    const byOperator = aSession(aRejection(), { fixup: aFixup({ undo: { ...order, by: null } }) });
    expect(renderFixup(byOperator, context)).toContain('requested by an operator');
  });

  it('are the title while it works, but for a wait for GitHub', () => {
    const working = aSession(null, { fixup: undo });
    expect(renderTitle(aStory({ workingSession: true }, { working }))).toBe('Undoing the last fixup');
    const waiting = { why: 'down', since: NOW };
    expect(renderTitle(aStory({ workingSession: true }, { working, waiting }))).not.toContain('Undoing');
  });

  it('make a commit message that git and GitHub know as a revert, without a mention', () => {
    const message = toCommitMessage(undoSession.id, undo, { kind: 'undo', commitSha: FIX, by: '@ada' });
    expect(message).toMatch(/^revert: undo the last fixup of Ratchet\n\nThis reverts commit /);
    expect(message).toContain(`This reverts commit ${FIX}.`);
    expect(message).toContain('ada asked for it.');
    expect(message).not.toContain('@');
    expect(toCommitMessage(undoSession.id, undo, { kind: 'undo', commitSha: FIX, by: null })).toContain('An operator');
  });
});

import { expect, it } from 'vitest';
import { parsePullRequestKey, parseSessionId } from '../../../src/core/model/ids.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';
import { describeUnaccepted } from '../../../src/core/runs/fixup-end.ts';
import { toCommitMessage, withAcceptance } from '../../../src/core/sessions/commit-message.ts';
import { findHeld, findOtherHead } from '../../../src/core/sessions/find-held.ts';
import { settleSession } from '../../../src/core/sessions/settle-session.ts';
import { aFixup, aHeldChange, aPerson, aPush, aRejection, aSession, fakeSha } from '../../support/builders.ts';

const KEY = parsePullRequestKey('100#7');
const OTHER = parsePullRequestKey('100#8');
const STOP: Stop = { causeKey: 'k1', code: 'HELD', reason: '' };

const held = (id: string, causeKey = 'k1', key = KEY) =>
  aSession(aHeldChange(), { id: parseSessionId(id), key, fixup: aFixup({ causeKey }) });

it('finds the change that a stop of the branch is about, the newest first (S28)', () => {
  const workspaces = [
    { key: KEY, stop: STOP },
    { key: OTHER, stop: null },
  ];
  expect(findHeld(workspaces, [held('s3', 'k2'), held('s2'), held('s1')])?.session.id).toBe('s2');
  expect(findHeld(workspaces, [held('s1', 'k1', OTHER)])).toBeNull();
  expect(findHeld([{ key: KEY, stop: { ...STOP, code: 'NO_PUSH' } }], [held('s1')])).toBeNull();
  expect(findHeld(workspaces, [aSession(aRejection()), { ...held('s1'), fixup: null }])).toBeNull();
});

it('is for the head that it was made for alone', () => {
  const found = findHeld([{ key: KEY, stop: STOP }], [held('s1')]);
  if (found === null) throw new Error('it was held');
  expect(findOtherHead(found, found.session.fixup.headSha)).toBeNull();
  expect(findOtherHead(found, fakeSha('other'))).toContain(`the head is ${fakeSha('other')} now`);
});

it('an acceptance that pushed nothing leaves the change waiting, and a push is an attempt', () => {
  const accept = { sessionId: parseSessionId('s1'), by: aPerson(), commandId: 1, ciRunId: 'r7' };
  const context = { now: 5, before: { died: 0, free: 0, tooLong: 0 } };
  const fixup = aFixup({ accept });
  expect(settleSession({ consecutiveAttempts: 1 }, fixup, aRejection(), context)).toEqual({ activeSessionId: null });
  expect(settleSession({ consecutiveAttempts: 1 }, fixup, aPush(), context)).toMatchObject({
    ...{ consecutiveAttempts: 2, lastCiRunId: 'r7', stop: null },
  });
  expect(describeUnaccepted(aRejection({ detail: 'npm test failed.' }))).toBe(
    'the change still waits, and nothing of it was pushed. npm test failed',
  );
});

it('names who accepted it in the commit', () => {
  const message = withAcceptance(toCommitMessage('none', { attempt: 1 }, { kind: 'review', items: 1 }), 'ada\nEvil: x');
  expect(message).toMatch(/\nRatchet-Accepted-By: ada.Evil: x\n$/u);
  expect(message.split('\n')).not.toContain('Evil: x');
});

it('a question stops for its answer, uncounted (004.R36)', () => {
  const context = { now: 5, before: { died: 0, free: 0, tooLong: 0 } };
  const outcome = aRejection({ code: 'ANSWER_NEEDED', detail: 'The agent asks: Which?' });
  expect(settleSession({ consecutiveAttempts: 1 }, aFixup({ causeKey: 'k1' }), outcome, context)).toMatchObject({
    stop: { causeKey: 'k1', code: 'QUESTION', reason: 'The agent asks: Which?' },
  });
});

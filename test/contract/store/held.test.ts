import { afterEach, beforeEach, expect, it } from 'vitest';
import { parsePullRequestKey, parseSessionId } from '../../../src/core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../../src/core/model/queues.ts';
import type { HeldChange } from '../../../src/core/model/session.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aHeldChange } from '../../support/builders.ts';
import { aRepository, aSession, aTransition, memoryStore } from '../../support/store.ts';

const key = parsePullRequestKey('100#7');
const CAUSE = 'cause';
const AT = 5;

let store: Store;

beforeEach(() => {
  store = memoryStore();
  store.ensureWorkspace({ repository: aRepository(), number: 7 });
});

afterEach(() => store.close());

/** Ends a session with a held change; the pull request then stops for `causeKey`. */
function hold(id: string, outcome: HeldChange, stop: Partial<Stop> = {}): void {
  const wake = { queue: EVALUATE_QUEUE, key, notBefore: null };
  const session = aSession(id, { key });
  const fixup = { ...session.fixup, causeKey: CAUSE };
  store.launchSession({ session: { ...session, fixup }, transition: aTransition({ key }), patch: {}, wake });
  const patch = { stop: { causeKey: CAUSE, code: 'HELD' as const, reason: '', ...stop } };
  store.endSession(session.id, { outcome, at: AT, patch, transition: aTransition({ key }), wake });
}

it('keeps a held change with all that its push needs (S28)', () => {
  const outcome = aHeldChange({
    facts: [{ code: 'NOT_PROVEN', path: null, line: null, message: 'm' }],
    resolved: [{ by: 'regeneration', tool: 'npm install', paths: ['package-lock.json'] }],
    answers: [{ itemId: 'c1', status: 'fixed', reason: 'done', newestCommentId: 4 }],
  });
  hold('s1', outcome);

  expect(store.session(parseSessionId('s1'))?.outcome).toEqual(outcome);
});

it('lists a held change while its pull request is open and stops for it', () => {
  hold('s1', aHeldChange());
  expect(store.heldSessions(AT)).toEqual(['s1']);
  expect(store.heldSessions(AT + 1)).toEqual([]);

  hold('s2', aHeldChange(), { causeKey: 'another cause' });
  expect(store.heldSessions(0)).toEqual([]);
  hold('s3', aHeldChange(), { code: 'NO_PUSH' });
  expect(store.heldSessions(0)).toEqual([]);

  store.updateWorkspace(key, { stop: { causeKey: CAUSE, code: 'HELD', reason: '' } });
  expect(store.heldSessions(0).toSorted()).toEqual(['s1', 's2', 's3']);
  store.updateWorkspace(key, { state: 'closed' });
  expect(store.heldSessions(0)).toEqual([]);
});

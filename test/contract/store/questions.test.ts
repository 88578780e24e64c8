import { afterEach, beforeEach, expect, it } from 'vitest';
import { parsePullRequestKey, parseSessionId } from '../../../src/core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../../src/core/model/queues.ts';
import type { SessionOutcome } from '../../../src/core/model/session.ts';
import type { Store } from '../../../src/ports/store.ts';
import { aRejection } from '../../support/builders.ts';
import { aRepository, aSession, aTransition, memoryStore } from '../../support/store.ts';

const key = parsePullRequestKey('100#7');
const QUESTION = { text: 'Which?', choices: ['a', 'b'], answer: null };
const ANSWER = { text: 'it\'s "a" $.x \u0000 🚀', by: '@ada' };

let store: Store;
beforeEach(() => {
  store = memoryStore();
  store.ensureWorkspace({ repository: aRepository(), number: 7 });
});
afterEach(() => store.close());

function end(id: string, outcome: SessionOutcome): void {
  const wake = { queue: EVALUATE_QUEUE, key, notBefore: null };
  const session = aSession(id, { key });
  store.launchSession({ session, transition: aTransition({ key }), patch: {}, wake });
  store.endSession(session.id, { outcome, at: 1, patch: {}, transition: aTransition({ key }), wake });
}

it('keeps the question of a session, and its answer once (004.R36)', () => {
  const id = parseSessionId('s1');
  const outcome = aRejection({ code: 'ANSWER_NEEDED', question: QUESTION });
  end('s1', outcome);
  expect(store.session(id)?.outcome).toEqual(outcome);

  expect(store.answerQuestion(id, ANSWER)).toBe(true);
  expect(store.session(id)?.outcome).toEqual({ ...outcome, question: { ...QUESTION, answer: ANSWER } });
  expect(store.answerQuestion(id, { text: 'b', by: '@bob' })).toBe(false);
  expect(store.session(id)?.outcome).toMatchObject({ question: { answer: ANSWER } });
});

it('keeps no answer where nothing was asked', () => {
  end('s1', aRejection());
  expect(store.answerQuestion(parseSessionId('s1'), ANSWER)).toBe(false);
  expect(store.answerQuestion(parseSessionId('s2'), ANSWER)).toBe(false);
  expect(store.session(parseSessionId('s1'))?.outcome).toEqual(aRejection());
});

import { expect, it } from 'vitest';
import { parseSessionId } from '../../../src/core/model/ids.ts';
import type { AgentQuestion, Session } from '../../../src/core/model/session.ts';
import type { Stop } from '../../../src/core/model/workspace.ts';
import { findOpenQuestion } from '../../../src/core/sessions/find-open-question.ts';
import { aFixup, aRejection } from '../../support/builders.ts';

const QUESTION: AgentQuestion = { text: 'Which?', choices: [], answer: null };
const STOP: Stop = { causeKey: 'k1', code: 'QUESTION', reason: '' };

function ended(id: string, question: AgentQuestion | null, causeKey = 'k1'): Pick<Session, 'id' | 'fixup' | 'outcome'> {
  const outcome = aRejection({ code: 'ANSWER_NEEDED', ...(question === null ? {} : { question }) });
  return { id: parseSessionId(id), fixup: aFixup({ causeKey }), outcome };
}

it('a question is open while the pull request stops for it and nobody has answered', () => {
  const asked = ended('s1', QUESTION);
  expect(findOpenQuestion(STOP, [asked])).toEqual({ id: asked.id, question: QUESTION });
  expect(findOpenQuestion(STOP, [ended('s2', null), ended('s3', QUESTION, 'k2'), asked])?.id).toBe(asked.id);
  expect(findOpenQuestion(STOP, [{ ...asked, outcome: null }])).toBeNull();
  expect(findOpenQuestion(null, [asked])).toBeNull();
  expect(findOpenQuestion({ ...STOP, code: 'NO_PUSH' }, [asked])).toBeNull();
  expect(findOpenQuestion(STOP, [])).toBeNull();
});

it('the newest one counts: an older question is not open again after it was answered', () => {
  const answered = ended('s2', { ...QUESTION, answer: { text: 'a', by: '@b' } });
  expect(findOpenQuestion(STOP, [answered, ended('s1', QUESTION)])).toBeNull();
});

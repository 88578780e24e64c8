import { describe, expect, it } from 'vitest';
import { parseAgentResult } from '../../src/schemas/agent-result.ts';

const RESULT = { schema_version: 1, run_id: 'run-1', task_id: 'task-1', status: 'success', summary: 'Done.' };
const ANSWER = { id: 'item-1', status: 'fixed', reason: 'Renamed it.' };

describe('the question of a result (004.R36)', () => {
  it('has choices, or none', () => {
    const question = { text: 'Which?', choices: ['a', 'b'] };
    expect(parseAgentResult({ ...RESULT, status: 'blocked', question })).toEqual({
      kind: 'ok',
      result: { ...RESULT, status: 'blocked', question },
    });
    expect(parseAgentResult({ ...RESULT, question: { text: 'Which?' } })).toMatchObject({
      result: { question: { text: 'Which?', choices: [] } },
    });
  });

  it.each([
    ['no text', { text: '' }, 'question.text: '],
    ['a long text', { text: 'x'.repeat(2001) }, 'question.text: '],
    ['too many choices', { text: 'W', choices: ['a', 'b', 'c', 'd'] }, 'question.choices: '],
    ['a choice too long for a button', { text: 'W', choices: ['x'.repeat(21)] }, 'question.choices.0: '],
    ['an empty choice', { text: 'W', choices: [' '] }, 'question.choices.0: '],
  ])('is refused with %s', (_what, question, where) => {
    const parsed = parseAgentResult({ ...RESULT, question });
    expect(parsed.kind === 'invalid' ? parsed.why : '').toContain(where);
  });
});

describe('the answers of a result', () => {
  it('may be missing', () => {
    expect(parseAgentResult(RESULT)).toEqual({ kind: 'ok', result: RESULT });
  });

  it('are taken as far as they are known, a reason may be missing', () => {
    const answers = [
      { ...ANSWER, confidence: 1 },
      { id: 'item-2', status: 'needs_human' },
    ];

    expect(parseAgentResult({ ...RESULT, answers })).toEqual({
      kind: 'ok',
      result: { ...RESULT, answers: [ANSWER, { id: 'item-2', status: 'needs_human', reason: '' }] },
    });
  });

  it.each([
    ['no list', 'fixed', 'answers: '],
    ['an unknown status', [{ ...ANSWER, status: 'done' }], 'answers.0.status: '],
    ['no id', [{ status: 'fixed', reason: '' }], 'answers.0.id: '],
    ['a long id', [{ ...ANSWER, id: 'x'.repeat(65) }], 'answers.0.id: '],
    ['a long reason', [{ ...ANSWER, reason: 'x'.repeat(4097) }], 'answers.0.reason: '],
    ['too many', Array.from({ length: 101 }, () => ANSWER), 'answers: '],
  ])('T57: are refused with %s', (_what, answers, why) => {
    const parsed = parseAgentResult({ ...RESULT, answers });

    expect(parsed.kind === 'invalid' ? parsed.why : '').toContain(why);
  });
});

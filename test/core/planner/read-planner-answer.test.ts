import { describe, expect, it } from 'vitest';
import { MAX_ANSWER_CHARS, readPlannerAnswer } from '../../../src/core/planner/read-planner-answer.ts';

const PLAN = { steps: [{ step_id: 1, action_type: 'read_file', params: { path: 'a' } }] };
const text = JSON.stringify(PLAN);

describe('reading the answer of a model (004.R33)', () => {
  it.each([
    ['bare', text],
    ['in a fence', `Here it is:\n\n\`\`\`json\n${text}\n\`\`\`\nDone.`],
    ['after braces that are no JSON', `I use {the plan} and [this]: ${text}`],
    ['after another object', `{"thought": 1}\n${text}`],
  ])('finds a plan: %s', (_, answer) => {
    expect(readPlannerAnswer(answer)).toEqual({ kind: 'plan', plan: PLAN, summary: '', answers: [] });
  });

  it('takes a plan with a fence and braces inside of a file', () => {
    const plan = { steps: [{ params: { content: '```json\n{"steps": []}\n```' } }] };
    expect(readPlannerAnswer(`\`\`\`json\n${JSON.stringify(plan)}\n\`\`\``)).toMatchObject({ kind: 'plan', plan });
  });

  it('takes summary and answers out of the plan', () => {
    const said = { ...PLAN, summary: 'I add.', answers: [{ id: 'i1' }, 7], status: 'success', read: [] };
    expect(readPlannerAnswer(JSON.stringify(said))).toEqual({
      ...{ kind: 'plan', plan: PLAN },
      ...{ summary: 'I add.', answers: [{ id: 'i1' }] },
    });
  });

  it('reads a request for files', () => {
    expect(readPlannerAnswer('{"read": ["a.js", "b.js"]}')).toEqual({ kind: 'read', paths: ['a.js', 'b.js'] });
  });

  it.each(['blocked', 'failure'])('reads that it gives up: %s', (status) => {
    expect(readPlannerAnswer(JSON.stringify({ status, summary: 'No spec.' }))).toEqual({
      ...{ kind: 'gave_up', summary: 'No spec.' },
    });
  });

  it.each([
    ['nothing', '', 'there is no JSON object with `steps` in it'],
    ['prose', 'I changed the file.', 'there is no JSON object with `steps` in it'],
    ['another object', '{"files": []}', 'there is no JSON object with `steps` in it'],
    ['two plans', `${text}\n${text}`, 'there is more than one JSON object with a plan or a request in it'],
    ['half a plan', text.slice(0, -3), 'it ends in the middle of a JSON value'],
    ['a bomb', '{"steps":'.repeat(1) + '['.repeat(1000), 'a JSON value in it nests deeper than 16 levels'],
    ['success without a plan', '{"status": "success"}', 'it has no `steps`'],
    ['too long', ' '.repeat(MAX_ANSWER_CHARS + 1), 'it is too long'],
    ['no paths', '{"read": []}', '`read` must be a list of 1 to 20 paths'],
    ['a path', '{"read": "a"}', '`read` must be a list of 1 to 20 paths'],
    ['numbers', '{"read": [1]}', '`read` must be a list of 1 to 20 paths'],
    ['a long path', JSON.stringify({ read: ['a'.repeat(5000)] }), '`read` must be a list of 1 to 20 paths'],
    ['many paths', JSON.stringify({ read: Array<string>(21).fill('a') }), '`read` must be a list of 1 to 20 paths'],
  ])('takes no %s for a plan', (_, answer, why) => {
    expect(readPlannerAnswer(answer)).toEqual({ kind: 'invalid', why });
  });

  it('reads the longest content without running out of stack', () => {
    const answer = JSON.stringify({ steps: [{ content: 'x"\\'.repeat(100_000) }] });
    expect(answer.length).toBeGreaterThan(MAX_ANSWER_CHARS - 30_000);
    expect(readPlannerAnswer(answer).kind).toBe('plan');
  });
});

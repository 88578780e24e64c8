import { expect, it } from 'vitest';
import { findPlanQuestion } from '../../../src/core/planner/find-plan-question.ts';

it('finds the first question of a plan, with its choices (004.R36)', () => {
  const read = { action_type: 'read_file', params: { path: 'a' } };
  const ask = (question: string, choices?: readonly string[]) => ({
    action_type: 'get_user_input',
    params: { question, ...(choices === undefined ? {} : { choices }) },
  });
  expect(findPlanQuestion([read])).toBeNull();
  expect(findPlanQuestion([read, ask('Which?'), ask('Why?')])).toEqual({ text: 'Which?', choices: [] });
  expect(findPlanQuestion([ask('Which?', ['a', 'b'])])).toEqual({ text: 'Which?', choices: ['a', 'b'] });
  expect(findPlanQuestion([ask('x'.repeat(9000))])?.text).toHaveLength(2000);
});

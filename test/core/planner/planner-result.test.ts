import { describe, expect, it } from 'vitest';
import { toPlannerResult } from '../../../src/core/planner/planner-result.ts';

describe('the result of a planner (004.R33)', () => {
  it('is what an agent says', () => {
    const answers = [{ id: 'i1', status: 'fixed', reason: 'added' }];
    expect(JSON.parse(toPlannerResult({ status: 'success', summary: 'It adds.', answers }))).toEqual({
      ...{ status: 'success', summary: 'It adds.', answers },
    });
    expect(JSON.parse(toPlannerResult({ status: 'blocked', summary: '', answers: [] }))).toEqual({
      ...{ status: 'blocked', summary: '' },
    });
  });

  it('has what the plan asks', () => {
    const question = { text: 'Which?', choices: ['a'] };
    const text = toPlannerResult({ status: 'blocked', summary: 'Which?', answers: [], question });
    expect(JSON.parse(text)).toEqual({ status: 'blocked', summary: 'Which?', question });
  });

  it('fits into what a site keeps of the output', () => {
    const answers = Array.from({ length: 100 }, (_, id) => ({ id, reason: 'x'.repeat(4000) }));
    const text = toPlannerResult({ status: 'success', summary: '\u0000'.repeat(100_000), answers });
    expect(JSON.stringify({ result: text }).length).toBeLessThan(64 * 1024);
    expect(JSON.parse(text)).toMatchObject({ answers: answers.slice(0, 8) });
  });
});

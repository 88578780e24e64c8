import { describe, expect, it } from 'vitest';
import type { StepResult } from '../../../src/core/model/plan-run.ts';
import type { ShownStep } from '../../../src/core/model/shown-step.ts';
import type { StructuredPlan } from '../../../src/core/model/structured-plan.ts';
import { type PlannerEnd, runPlanner } from '../../../src/pipeline/planner/run-planner.ts';
import type { Asked, PlannerTurn } from '../../../src/ports/planner.ts';
import { InvalidInputError } from '../../../src/schemas/invalid-input.ts';
import { parseStructuredPlan } from '../../../src/schemas/structured-plan.ts';

const STEP = { step_id: 1, action_type: 'modify_file', params: { path: 'sum.js', old: '-', new: '+' } };
const PLAN = { steps: [STEP], summary: 'It adds now.' };
const DONE: StepResult = { state: 'completed', cause: null, attempts: 1, costUsd: 0, durationMs: 1, output: '' };
const say = (value: unknown): Asked => ({ kind: 'answer', text: JSON.stringify(value), end: 'whole' });

interface Played {
  readonly end: PlannerEnd;
  /** The conversations, as the model saw them. */
  readonly asked: readonly (readonly PlannerTurn[])[];
  readonly executed: readonly StructuredPlan[];
  readonly undone: number;
  readonly told: readonly (readonly ShownStep[])[];
}

/** Plays a model that gives these answers, over a folder with one file. */
async function play(
  answers: readonly Asked[],
  { step = DONE, left = null, budgetUsd = 0.5 }: { step?: StepResult; left?: string | null; budgetUsd?: number } = {},
): Promise<Played> {
  const asked: (readonly PlannerTurn[])[] = [];
  const executed: StructuredPlan[] = [];
  const told: (readonly ShownStep[])[] = [];
  let undone = 0;
  const result = { results: new Map([['1', step]]), stats: NO_STATS };
  const end = await runPlanner(
    {
      model: {
        ask: (turns) => {
          asked.push([...turns]);
          const answer = answers[asked.length - 1];
          return answer === undefined ? Promise.reject(new Error('asked too often')) : Promise.resolve(answer);
        },
      },
      workspace: {
        list: () => Promise.resolve(['sum.js']),
        readText: (path) => Promise.resolve(path === 'sum.js' ? 'a - b\n' : null),
        execute: (plan) => {
          executed.push(plan);
          const undo = (): Promise<string | null> => {
            undone += 1;
            return Promise.resolve(left);
          };
          return Promise.resolve({ result, undo });
        },
      },
      actionTypes: ['modify_file', 'run_command', 'get_user_input'],
      schema: {},
      parsePlan: (json) => {
        try {
          return { kind: 'plan', plan: parseStructuredPlan(json) };
        } catch (error) {
          return { kind: 'invalid', problems: error instanceof InvalidInputError ? error.problems : [] };
        }
      },
      newId: () => 'a-random-delimiter',
      tellSteps: (steps) => void told.push(steps),
    },
    { prompt: 'Repair CI.', targetFiles: ['sum.js'], budgetUsd },
    AbortSignal.timeout(60_000),
  );
  return { end, asked, executed, undone, told };
}

const NO_STATS = {
  ...{ completed: 0, failed: 0, skipped: 0, rolledBack: 0, rollbackFailed: 0, costUsd: 0, durationMs: 0 },
};

describe('a plan from a model (004.R33)', () => {
  it('is carried out, and its summary is the result', async () => {
    const { end, asked, executed, undone, told } = await play([say(PLAN)]);
    expect(end).toEqual({ status: 'success', summary: 'It adds now.', answers: [] });
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject([
      { step: { step_id: 1, action_type: 'modify_file', params: {} }, result: { state: 'completed', cause: null } },
    ]);
    // No content of a file, and nothing that a command printed.
    expect(JSON.stringify(told)).not.toMatch(/a [+-] b|output/u);
    expect(executed.map(({ steps }) => steps.map(({ step_id }) => step_id))).toEqual([[1]]);
    expect(undone).toBe(0);
    expect(asked[0]?.[0]?.text).toContain('content of "sum.js": "a - b\\n"');
  });

  it('may ask for files first, three times', async () => {
    const read = say({ read: ['other.js'] });
    const { end, asked } = await play([read, read, read, say(PLAN)]);
    expect(end.status).toBe('success');
    expect(asked[3]).toHaveLength(7);
    expect(asked[1]?.[2]?.text).toContain('"other.js": not a text file, or too long to be shown');
  });

  it('is not asked for without end', async () => {
    const read = say({ read: ['sum.js'] });
    const { end, asked, executed } = await play([read, read, read, read, read]);
    expect(end).toMatchObject({ status: 'failure', summary: 'PLAN_INVALID: no further file is shown: write the plan' });
    expect(asked).toHaveLength(5);
    expect(executed).toEqual([]);
  });

  it('may be repaired once', async () => {
    const { end, asked } = await play([say({ steps: [{ ...STEP, depends_on: [7] }] }), say(PLAN)]);
    expect(end.status).toBe('success');
    expect(asked[1]?.[2]?.text).toContain('Step 1 needs step "7", which the plan does not have.');
  });

  it.each<[string, Asked, RegExp]>([
    ['prose', say('I changed it.'), /there is no JSON object with `steps` in it/u],
    ['a cycle', say({ steps: [{ ...STEP, depends_on: [1] }] }), /Step 1 needs itself\./u],
    ['an unknown field', say({ steps: [STEP], run: 'rm' }), /Unrecognized key: "run"/u],
    ['params of another type', say({ steps: [{ ...STEP, params: { argv: ['a'] } }] }), /steps\.0/u],
    [
      'an action that is not carried out',
      say({ steps: [{ ...STEP, action_type: 'browser_act', params: BROWSE() }] }),
      /UNSUPPORTED_ACTION/u,
    ],
    [
      'more budget than the session has',
      say({ ...PLAN, budget_usd: 1 }),
      /budget_usd is 1, and at most 0\.5 is allowed/u,
    ],
    [
      'an answer that was cut',
      { kind: 'answer', text: '{"steps": [', end: 'max_tokens' },
      /ends early \("max_tokens"\)/u,
    ],
    ['nothing', { kind: 'answer', text: '', end: 'whole' }, /there is no JSON object/u],
  ])('is not carried out if it is wrong twice: %s', async (_, answer, why) => {
    const { end, asked, executed } = await play([answer, answer]);
    expect(end.status).toBe('failure');
    expect(end.summary).toMatch(/^PLAN_INVALID: /u);
    expect(end.summary).toMatch(why);
    expect(asked).toHaveLength(2);
    expect(executed).toEqual([]);
  });

  it('never has more budget than its session, even if it names none', async () => {
    const { executed } = await play([say(PLAN)], { budgetUsd: 0.02 });
    expect(executed[0]?.budget_usd).toBe(0.02);
  });

  it('keeps its own budget where that is lower', async () => {
    const { executed } = await play([say({ ...PLAN, budget_usd: 0.01 })]);
    expect(executed[0]?.budget_usd).toBe(0.01);
  });

  it('is undone if it was carried out in part, and says for which step', async () => {
    const cause = { code: 'ACTION_FAILED', step: null, message: 'npm test ended with exit code 1' } as const;
    const { end, undone } = await play([say(PLAN)], { step: { ...DONE, state: 'failed', cause } });
    expect(end).toEqual({
      ...{ status: 'failure', answers: [] },
      summary: 'The plan was undone: step 1 failed (ACTION_FAILED): npm test ended with exit code 1',
    });
    expect(undone).toBe(1);
  });

  it('says what could not be undone', async () => {
    const cause = { code: 'BUDGET', step: null, message: 'no money' } as const;
    const { end } = await play([say(PLAN)], { step: { ...DONE, state: 'skipped', cause }, left: 'dist/' });
    expect(end.summary).toMatch(/\(BUDGET\): no money\. Folders that git ignores were left as they are: dist\/$/u);
  });

  it('is not asked for again if the model cannot be called', async () => {
    const { end, asked } = await play([{ kind: 'failed', why: '402 budget' }]);
    expect(end).toMatchObject({ status: 'failure', summary: 'The model gave no plan: 402 budget' });
    expect(asked).toHaveLength(1);
  });

  it('asks a person in place of carrying a plan out that needs an answer (004.R36)', async () => {
    const ask = {
      step_id: 2,
      action_type: 'get_user_input',
      params: { question: 'Which sum?', choices: ['all', 'none'] },
    };
    const { end, executed } = await play([say({ steps: [STEP, ask], summary: 'It depends.' })]);
    expect(end).toEqual({
      ...{ status: 'blocked', summary: 'Which sum?', answers: [] },
      question: { text: 'Which sum?', choices: ['all', 'none'] },
    });
    expect(executed).toEqual([]);
  });

  it('may be refused by the model', async () => {
    const { end } = await play([say({ status: 'blocked', summary: 'A person must choose.' })]);
    expect(end).toEqual({ status: 'blocked', summary: 'A person must choose.', answers: [] });
  });
});

function BROWSE(): unknown {
  return { serve: { argv: ['a'], url: 'http://127.0.0.1:1' }, actions: [{ type: 'open', path: '/' }] };
}

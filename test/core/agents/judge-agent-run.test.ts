import { describe, expect, it } from 'vitest';
import { type AgentRun, judgeAgentRun } from '../../../src/core/agents/judge-agent-run.ts';
import type { AgentResult } from '../../../src/core/model/agent-contract.ts';
import {
  type BudgetScope,
  GATEWAY_REFUSALS,
  type ModelUse,
  UPSTREAM_FAULTS,
} from '../../../src/core/model/model-use.ts';
import { forge } from '../../support/builders.ts';
import { aModelUse, aStop } from '../../support/model-builders.ts';

const result = (status: AgentResult['status'], summary = ''): AgentRun['output'] => ({
  kind: 'result',
  result: { schema_version: 1, run_id: 'r', task_id: 't', status, summary },
});
const invalid: AgentRun['output'] = { kind: 'invalid', why: 'none found' };
const end: AgentRun['end'] = { kind: 'exited', exitCode: 0, signal: null, processesLeft: 0 };
const fine = { isError: false, detail: '' };

/** An agent without a model, that prints no events. */
const plain: AgentRun = {
  ...{ use: null, end, final: 'not_printed', output: result('success', 'done'), timeBudget: null },
};
/** An agent with a model, whose last call succeeded. */
const real: AgentRun = { ...plain, use: aModelUse(), final: fine };

function judge(run: AgentRun): string {
  const verdict = judgeAgentRun(run);
  return verdict.kind === 'rejected' ? verdict.code : verdict.kind;
}

describe('judgeAgentRun of an agent without a model', () => {
  it('goes on to judge the tree only when the agent ended well and claims success', () => {
    expect(judgeAgentRun(plain)).toEqual({ kind: 'judge_tree', summary: 'done', answers: [] });
  });

  it.each<[string, Partial<AgentRun['end']>, string]>([
    ['a hang, even with a result that says success', { kind: 'timed_out', exitCode: null }, 'timed_out'],
    ['a sandbox that did not start', { kind: 'not_started', exitCode: null }, 'SANDBOX_UNAVAILABLE'],
    ['an agent that was stopped', { kind: 'aborted', exitCode: null }, 'AGENT_CRASHED'],
    ['a flood', { kind: 'output_flood', exitCode: null }, 'AGENT_OUTPUT_FLOOD'],
    ['an agent that took all memory', { kind: 'memory_limit', exitCode: null }, 'MEMORY_LIMIT'],
    ['an agent that forks without end', { kind: 'process_limit', exitCode: null }, 'PROCESS_LIMIT'],
    ['an agent that fills the disk', { kind: 'disk_quota', exitCode: null }, 'DISK_QUOTA'],
    ['an exceeded limit that left processes', { kind: 'memory_limit', processesLeft: 3 }, 'MEMORY_LIMIT'],
    ['processes left behind a good exit', { processesLeft: 2 }, 'PROCESSES_LEFT'],
    ['a crash with a result that says success', { exitCode: 3 }, 'AGENT_CRASHED'],
    ['a kill', { exitCode: null, signal: 'SIGSEGV' }, 'AGENT_CRASHED'],
  ])('refuses %s', (_title, change, expected) => {
    expect(judge({ ...plain, end: { ...end, ...change } })).toBe(expected);
  });

  it.each<[string, AgentRun['output'], string]>([
    ['a result that cannot be used', invalid, 'RESULT_INVALID'],
    ['an agent that says it failed', result('failure', 'no idea'), 'AGENT_FAILED'],
    ['an agent that gives no reason', result('failure'), 'AGENT_FAILED'],
    ['an agent that is blocked', result('blocked', 'needs a key'), 'AGENT_BLOCKED'],
  ])('refuses %s', (_title, output, expected) => {
    expect(judge({ ...plain, output })).toBe(expected);
  });

  it('passes on what an agent asks, if it is blocked', () => {
    const question = { text: 'Which?', choices: ['a', 'b'] };
    const asks = (status: 'blocked' | 'success'): AgentRun['output'] => {
      const made = result(status, 'It depends.');
      return made.kind === 'result' ? { ...made, result: { ...made.result, question } } : made;
    };
    expect(judgeAgentRun({ ...plain, output: asks('blocked') })).toEqual({
      kind: 'rejected',
      code: 'ANSWER_NEEDED',
      detail: 'The agent asks: Which?',
      question: { ...question, answer: null },
    });
    expect(judgeAgentRun({ ...plain, output: asks('success') }).kind).toBe('judge_tree');
  });

  it('says which limit was exceeded', () => {
    expect(judgeAgentRun({ ...plain, end: { ...end, kind: 'disk_quota' } })).toMatchObject({
      detail: 'The agent wrote more to the disk than it may and was killed.',
    });
  });

  it('tells what the agent said, or that it said nothing', () => {
    expect(judgeAgentRun({ ...plain, output: result('failure', 'no idea') })).toMatchObject({
      detail: 'The agent says that it failed: no idea',
    });
    expect(judgeAgentRun({ ...plain, output: result('blocked', ' ') })).toMatchObject({
      detail: 'The agent says that it cannot go on: no reason given',
    });
  });
});

/** Each class of the table: what the gateway saw, and its code. */
const BY_GATEWAY: readonly (readonly [string, Partial<ModelUse>, string])[] = [
  ['a budget in USD', { stoppedBy: aStop('budget_usd', 'fixup') }, 'BUDGET_EXHAUSTED'],
  ['a budget in calls', { stoppedBy: aStop('budget_calls', 'pull_request') }, 'BUDGET_EXHAUSTED'],
  ['a budget in tokens', { stoppedBy: aStop('budget_tokens', 'fixup') }, 'BUDGET_EXHAUSTED'],
  ['the budget of the day', { stoppedBy: aStop('budget_usd', 'day') }, 'BUDGET_PERIOD_EXHAUSTED'],
  ['the budget of the month', { stoppedBy: aStop('budget_calls', 'month') }, 'BUDGET_PERIOD_EXHAUSTED'],
  ['the kill switch', { stoppedBy: aStop('switched_off') }, 'AGENTS_SWITCHED_OFF'],
  ['401', { lastCall: 'auth' }, 'MODEL_AUTH'],
  ['a key that cannot be used', { calls: 0, lastCall: null, stoppedBy: aStop('misconfigured') }, 'MODEL_AUTH'],
  ['402', { lastCall: 'no_credit' }, 'MODEL_NO_CREDIT'],
  ['429', { lastCall: 'rate_limited' }, 'MODEL_RATE_LIMITED'],
  ['529', { lastCall: 'overloaded' }, 'MODEL_UNAVAILABLE'],
  ['silence', { lastCall: 'silent' }, 'MODEL_UNAVAILABLE'],
  ['a cut stream', { lastCall: 'cut' }, 'MODEL_UNAVAILABLE'],
  ['HTML', { lastCall: 'unreadable' }, 'MODEL_UNAVAILABLE'],
  ['several failures in a row', { stoppedBy: aStop('failing'), faults: { silent: 3, cut: 1 } }, 'MODEL_UNAVAILABLE'],
  ['failures of which none is known', { stoppedBy: aStop('failing') }, 'MODEL_UNAVAILABLE'],
  ['a context that is too long', { lastCall: 'too_long' }, 'CONTEXT_TOO_LONG'],
  ['400', { lastCall: 'bad_request' }, 'MODEL_REFUSED'],
  ['400, several times', { stoppedBy: aStop('failing'), faults: { bad_request: 3 } }, 'MODEL_REFUSED'],
  ['a stop for a hosted tool', { stoppedBy: aStop('hosted_tool') }, 'MODEL_REFUSED'],
  ['another model, and nothing else', { calls: 0, lastCall: null, refused: { model_not_allowed: 2 } }, 'MODEL_REFUSED'],
  ['no call', { calls: 0, lastCall: null }, 'NO_MODEL_CALL'],
];

/** Ways to claim success: none of them counts against what the gateway saw. */
const CLAIMS: readonly (readonly [string, Partial<AgentRun>])[] = [
  ['exit 0 and a fine last event', {}],
  ['exit 0 without a last event', { final: null }],
  ['exit 0 of a program that prints no events', { final: 'not_printed' }],
  ['exit 145', { end: { ...end, exitCode: 145 } }],
  ['its end by SIGTERM', { end: { ...end, exitCode: null, signal: 'SIGTERM' } }],
  ['processes left', { end: { ...end, processesLeft: 1 } }],
  ['a flood', { end: { ...end, kind: 'output_flood', exitCode: null } }],
  ['an error by its own words', { final: { isError: true, detail: 'API Error' } }],
  ['no result', { output: invalid }],
];

describe('judgeAgentRun of an agent whose time a budget cut short', () => {
  const timedOut = { ...end, kind: 'timed_out', exitCode: null, signal: 'SIGTERM' } as const;
  const budget = (scope: BudgetScope) => ({ scope, what: 'time', limit: 3_600_000, used: 3_000_000 }) as const;

  it.each([
    ['fixup', 'BUDGET_EXHAUSTED', 'fixup'],
    ['pull_request', 'BUDGET_EXHAUSTED', 'pull request'],
    ['day', 'BUDGET_PERIOD_EXHAUSTED', 'day'],
    ['month', 'BUDGET_PERIOD_EXHAUSTED', 'month'],
  ] as const)('of the %s says %s', (scope, code, name) => {
    expect(judgeAgentRun({ ...plain, end: timedOut, timeBudget: budget(scope) })).toEqual({
      ...{ kind: 'rejected', code },
      detail: `The agent was ended: it had used the 10 min of the 1 h of the budget per ${name} that were left for it.`,
    });
  });

  it('says nothing of the budget if the agent ended by itself', () => {
    expect(judge({ ...plain, timeBudget: budget('day') })).toBe('judge_tree');
    expect(judge({ ...plain, end: timedOut })).toBe('timed_out');
  });
});

describe('judgeAgentRun of an agent with a model', () => {
  it('goes on to judge the tree if the last call succeeded and the agent says so', () => {
    expect(judgeAgentRun(real)).toEqual({ kind: 'judge_tree', summary: 'done', answers: [] });
  });

  it.each(CLAIMS.flatMap(([how, claim]) => BY_GATEWAY.map(([what, use, code]) => ({ what, use, code, how, claim }))))(
    'believes the gateway: $what is $code, whatever the agent does: $how',
    ({ use, code, claim }) => {
      expect(judge({ ...real, use: aModelUse(use), ...claim })).toBe(code);
    },
  );

  it.each<[string, Partial<AgentRun>, string]>([
    [
      'failed calls that were repeated with success are no failure',
      { use: aModelUse({ faults: { overloaded: 2 } }) },
      'judge_tree',
    ],
    ['nor is a refused tool that it did without', { use: aModelUse({ refused: { hosted_tool: 1 } }) }, 'judge_tree'],
    ['its exit code says nothing beside a fine last event', { end: { ...end, exitCode: 1 } }, 'judge_tree'],
    ['exit 0 without a last event is a crash', { final: null }, 'AGENT_CRASHED'],
    ['exit 1 without a last event is a crash', { final: null, end: { ...end, exitCode: 1 } }, 'AGENT_CRASHED'],
    ['a last event after our stop counts nothing', { end: { ...end, kind: 'timed_out', exitCode: 0 } }, 'timed_out'],
    ['nor does it after another stop', { end: { ...end, kind: 'aborted', exitCode: 0 } }, 'AGENT_CRASHED'],
    ['its own error is a failure, with exit 0 too', { final: { isError: true, detail: 'no idea' } }, 'AGENT_FAILED'],
    ['its result is read last', { output: result('blocked') }, 'AGENT_BLOCKED'],
  ])('%s', (_title, change, expected) => {
    expect(judge({ ...real, ...change })).toBe(expected);
  });

  it.each<[string, Partial<AgentRun>]>([
    ['says that it failed', { final: { isError: true, detail: '' } }],
    ['was stopped', { end: { ...end, kind: 'aborted' } }],
    ['has no last event', { final: null }],
    ['has no result', { output: invalid }],
    ['says that it is blocked', { output: result('blocked') }],
  ])('names the refused calls of an agent that %s', (_title, change) => {
    const use = aModelUse({ refused: { hosted_tool: 2, malformed: 0 } });
    expect(judgeAgentRun({ ...real, ...change, use })).toEqual({
      kind: 'rejected',
      code: 'MODEL_REFUSED',
      detail: 'The gateway refused calls of the agent: hosted_tool (2).',
    });
  });

  it('names the model that an agent asked for in place of its own', () => {
    const lastRefusal = 'the model "m-2" is not the model of this session';
    const use = aModelUse({ calls: 0, lastCall: null, refused: { model_not_allowed: 1 }, lastRefusal });

    expect(judgeAgentRun({ ...real, final: null, use })).toMatchObject({
      code: 'MODEL_REFUSED',
      detail: `The gateway refused calls of the agent: model_not_allowed (1); the last one: ${lastRefusal}.`,
    });
  });

  it('says what was refused where no call reached the model', () => {
    const use = aModelUse({ calls: 0, lastCall: null, refused: { not_a_model_call: 3 } });

    expect(judgeAgentRun({ ...real, use })).toMatchObject({
      detail: 'The agent ended without a call to its model. The gateway refused what it sent: not_a_model_call (3).',
    });
    expect(judgeAgentRun({ ...real, use: { ...use, refused: {} } })).toMatchObject({
      detail: 'The agent ended without a call to its model.',
    });
  });

  it('takes no fault and no stop of the gateway for a success, whatever the agent claims', () => {
    for (const fault of UPSTREAM_FAULTS)
      expect(judge({ ...real, use: aModelUse({ lastCall: fault }) })).not.toBe('judge_tree');
    for (const why of GATEWAY_REFUSALS)
      expect(judge({ ...real, use: aModelUse({ stoppedBy: aStop(why) }) })).not.toBe('judge_tree');
  });

  it('refuses a status that does not exist', () => {
    const output = result(forge('"perhaps"'));

    expect(() => judgeAgentRun({ ...real, output })).toThrow('unexpected value');
  });

  it('shows what others say only in part', () => {
    const verdict = judgeAgentRun({ ...real, final: { isError: true, detail: 'x'.repeat(10_000) } });

    expect(verdict.kind === 'rejected' ? verdict.detail.length : 0).toBeLessThan(600);
  });
});

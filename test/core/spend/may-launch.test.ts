import { describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../../../src/core/model/agent-settings.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import type { AgentSwitch, Spent } from '../../../src/core/model/spend.ts';
import { findObstacle, type LaunchFacts } from '../../../src/core/spend/may-launch.ts';

const price = { input: 3, cached: 0.3, written: 3.75, output: 15 };
const endpoint: ModelEndpoint = {
  name: 'claude',
  dialect: 'anthropic',
  ...{ url: 'https://api.anthropic.com', keyFile: '/key', models: ['sonnet', 'opus'] },
  ...{ prices: { sonnet: price }, maxOutputTokens: 1_000 },
};
const NOTHING: Spent = { microUsd: 0, calls: 0, tokens: { input: 0, cached: 0, written: 0, output: 0 }, timeMs: 0 };
const NONE_AT_WORK = { timeMs: 0, until: Number.POSITIVE_INFINITY };
const MINUTE = 60_000;
const now = Date.UTC(2026, 11, 31, 23);

const facts: LaunchFacts = {
  agent: { name: 'claude', endpoint },
  policy: DEFAULT_POLICY,
  repository: { owner: 'Acme', name: 'Widget' },
  list: { entries: null, appOwner: 'acme' },
  agentSwitch: null,
  limits: { day: { maxMicroUsd: 100, maxCalls: 5, maxTokens: null, maxTimeMs: null } },
  spent: { pull_request: NOTHING, day: NOTHING, month: NOTHING },
  reserved: { day: NONE_AT_WORK, month: NONE_AT_WORK },
  now,
};

const off: AgentSwitch = { repositoryId: 100, offSince: 7, by: 'ada', reason: 'costs' };
const withModel = (model: string): LaunchFacts['policy'] => ({ agent: { ...DEFAULT_POLICY.agent, model } });
const spending = (scope: 'pull_request' | 'day' | 'month', spent: Partial<Spent>): Partial<LaunchFacts> => ({
  limits: {
    fixup: { maxMicroUsd: 1, maxCalls: 1, maxTokens: null, maxTimeMs: null },
    [scope]: { maxMicroUsd: 100, maxCalls: 5, maxTokens: null, maxTimeMs: null },
  },
  spent: { ...facts.spent, [scope]: { ...NOTHING, ...spent } },
});

describe('nothing may be launched', () => {
  it.each([
    [
      'while agents are switched off in the repository',
      { agentSwitch: off },
      { kind: 'switched_off', isEverywhere: false, by: 'ada', reason: 'costs', since: 7 },
    ],
    [
      'while agents are switched off everywhere, whatever else is wrong',
      { agentSwitch: { ...off, repositoryId: null }, agent: null },
      { kind: 'switched_off', isEverywhere: true, by: 'ada', reason: 'costs', since: 7 },
    ],
    [
      'by an agent that nobody configured',
      { agent: null, policy: { agent: { ...DEFAULT_POLICY.agent, name: 'gpt' } } },
      { kind: 'unknown', agent: 'gpt' },
    ],
    ['where no agent is configured at all', { agent: null }, { kind: 'unknown', agent: '' }],
    [
      'in a repository of another owner',
      { list: { entries: null, appOwner: 'octo' } },
      { kind: 'not_allowed', agent: 'claude' },
    ],
    ['before the owner of the App is known', { list: { entries: null, appOwner: null } }, { kind: 'owner_unknown' }],
    [
      'with a model that nobody configured',
      { policy: withModel('haiku') },
      { kind: 'model_unknown', agent: 'claude', model: 'haiku' },
    ],
    [
      'without any model',
      { agent: { name: 'claude', endpoint: { ...endpoint, models: [] } } },
      { kind: 'model_unknown', agent: 'claude', model: '' },
    ],
    [
      'with a model that has no price, where a budget is in USD',
      { policy: withModel('opus') },
      { kind: 'unpriced', agent: 'claude', model: 'opus' },
    ],
    [
      'with a model called like a property of every object',
      {
        policy: withModel('constructor'),
        agent: { name: 'claude', endpoint: { ...endpoint, models: ['constructor'] } },
      },
      { kind: 'unpriced', agent: 'claude', model: 'constructor' },
    ],
    [
      'when the budget of the pull request is used up',
      spending('pull_request', { microUsd: 100 }),
      { kind: 'over_budget', scope: 'pull_request', what: 'usd', limit: 100, used: 100, until: null },
    ],
    [
      'until the next day when the budget of the day is used up',
      spending('day', { calls: 5 }),
      { kind: 'over_budget', scope: 'day', what: 'calls', limit: 5, used: 5, until: Date.UTC(2027, 0, 1) },
    ],
    [
      'until the next month when the budget of the month is used up',
      spending('month', { microUsd: 101 }),
      { kind: 'over_budget', scope: 'month', what: 'usd', limit: 100, used: 101, until: Date.UTC(2027, 0, 1) },
    ],
    [
      'where a fixup may spend nothing',
      { limits: { fixup: { maxMicroUsd: 0, maxCalls: null, maxTokens: null, maxTimeMs: null } } },
      { kind: 'over_budget', scope: 'fixup', what: 'usd', limit: 0, used: 0, until: null },
    ],
    [
      'where a fixup may call no model',
      { limits: { fixup: { maxMicroUsd: null, maxCalls: 0, maxTokens: null, maxTimeMs: null } } },
      { kind: 'over_budget', scope: 'fixup', what: 'calls', limit: 0, used: 0, until: null },
    ],
    [
      'where a fixup may use no token',
      { limits: { fixup: { maxMicroUsd: null, maxCalls: null, maxTokens: 0, maxTimeMs: null } } },
      { kind: 'over_budget', scope: 'fixup', what: 'tokens', limit: 0, used: 0, until: null },
    ],
    [
      'while the tokens of the day are used up',
      {
        limits: { day: { maxMicroUsd: null, maxCalls: null, maxTokens: 5, maxTimeMs: null } },
        spent: { ...facts.spent, day: { ...NOTHING, tokens: { input: 2, cached: 1, written: 1, output: 1 } } },
      },
      { kind: 'over_budget', scope: 'day', what: 'tokens', limit: 5, used: 5, until: Date.UTC(2027, 0, 1) },
    ],
  ] as const)('%s', (_what, change, expected) => {
    expect(findObstacle({ ...facts, ...change })).toEqual(expected);
  });
});

describe('an agent may be launched', () => {
  it.each([
    ['in a repository of the owner of the App', {}],
    ['by an owner on the list', { list: { entries: ['ACME'], appOwner: null } }],
    ['in a repository on the list', { list: { entries: ['acme/widget'], appOwner: 'octo' } }],
    ['while something is left of each budget', spending('day', { microUsd: 99, calls: 4 })],
    ['with a model without a price where no budget is in USD', { policy: withModel('opus'), limits: {} }],
    [
      'anywhere and at any time where it calls no model',
      {
        ...spending('day', { calls: 5 }),
        agent: { name: 'command', endpoint: null },
        list: { entries: [], appOwner: null },
      },
    ],
  ] as const)('%s', (_what, change) => {
    expect(findObstacle({ ...facts, ...change })).toBeNull();
  });
});

describe('the time of agents', () => {
  const timed = (maxTimeMs: number) => ({ maxMicroUsd: null, maxCalls: null, maxTokens: null, maxTimeMs });
  const used = (timeMs: number): Spent => ({ ...NOTHING, timeMs });
  const nextYear = Date.UTC(2027, 0, 1);

  it.each([
    ['a whole minute is left of the day', 'day', 9 * MINUTE, null],
    ['less than a minute is left of the day', 'day', 9 * MINUTE + 1, nextYear],
    ['less than a minute is left of the month', 'month', 9 * MINUTE + 1, nextYear],
    ['less than a minute is left of the pull request', 'pull_request', 9 * MINUTE + 1, null],
  ] as const)('%s', (_what, scope, timeMs, until) => {
    const change = { limits: { [scope]: timed(10 * MINUTE) }, spent: { ...facts.spent, [scope]: used(timeMs) } };
    const isLeft = timeMs === 9 * MINUTE;
    const expected = { kind: 'over_budget', scope, what: 'time', limit: 10 * MINUTE, used: timeMs, until };
    expect(findObstacle({ ...facts, ...change })).toEqual(isLeft ? null : expected);
    // An agent without a model costs no money, but time.
    const command = { name: 'command', endpoint: null };
    expect(findObstacle({ ...facts, ...change, agent: command })).toEqual(isLeft ? null : expected);
  });

  it('is none where a fixup may take less than a minute', () => {
    expect(findObstacle({ ...facts, limits: { fixup: timed(MINUTE - 1) } })).toMatchObject({ scope: 'fixup', used: 0 });
    expect(findObstacle({ ...facts, limits: { fixup: timed(MINUTE) } })).toBeNull();
  });

  it.each([
    ['that all agents at work reserve comes back with the end of the first', 10 * MINUTE, now + 5_000, now + 5_000],
    ['comes back with the next day if that is sooner', 10 * MINUTE, nextYear + 5_000, nextYear],
    ['that was used comes back with the next day', MINUTE / 2, now + 5_000, nextYear],
  ])('%s', (_what, timeMs, endsBy, until) => {
    const change = {
      limits: { day: timed(10 * MINUTE) },
      spent: { ...facts.spent, day: used(10 * MINUTE) },
      reserved: { ...facts.reserved, day: { timeMs, until: endsBy } },
    };
    expect(findObstacle({ ...facts, ...change })).toMatchObject({ scope: 'day', what: 'time', until });
  });

  it('at work does not renew the money of the day', () => {
    const change = {
      limits: { day: { maxMicroUsd: 100, maxCalls: null, maxTokens: null, maxTimeMs: null } },
      spent: { ...facts.spent, day: { ...NOTHING, microUsd: 100 } },
      reserved: { ...facts.reserved, day: { timeMs: 5, until: now + 5_000 } },
    };
    expect(findObstacle({ ...facts, ...change })).toMatchObject({ scope: 'day', what: 'usd', until: nextYear });
  });
});

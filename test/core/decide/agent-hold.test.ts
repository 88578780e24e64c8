import { describe, expect, it } from 'vitest';
import { describeStanding, describeTimeBudget, toAgentHold } from '../../../src/core/decide/agent-hold.ts';
import { determineFixupAction } from '../../../src/core/decide/determine-fixup-action.ts';
import { nextCheckAt, waitDeadline } from '../../../src/core/decide/next-check.ts';
import { type AgentStanding, CIRCUIT_FAULTS } from '../../../src/core/model/agent-standing.ts';
import type { DecisionCode } from '../../../src/core/model/decision.ts';
import type { EpochMs } from '../../../src/core/model/ids.ts';
import { aFailure, aSnapshot, forge, NOW, type SnapshotChange } from '../../support/builders.ts';
import { CIRCUIT_OPEN, OVER_BUDGET, SWITCHED_OFF } from '../../support/model-builders.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const intervals = { recheckMs: 10 * MINUTE_MS, watchMs: 3 * HOUR_MS, watchOffsetMs: 0, mergeRetryMs: 5_000 };

const STANDINGS: readonly (readonly [AgentStanding, DecisionCode, string])[] = [
  [{ kind: 'unknown', agent: 'x"y' }, 'AGENT_UNKNOWN', String.raw`No agent with the name "x\"y" is configured.`],
  [
    { kind: 'model_unknown', agent: 'claude', model: 'big' },
    'AGENT_UNKNOWN',
    'The agent "claude" may not use the model "big".',
  ],
  [
    { kind: 'unpriced', agent: 'claude', model: 'big' },
    'MODEL_UNUSABLE',
    'A budget in USD is set, and the model "big" has no price.',
  ],
  [{ kind: 'owner_unknown' }, 'AGENT_NOT_ALLOWED', 'GitHub has not said yet which account owns the App.'],
  [
    { kind: 'not_allowed', agent: 'claude' },
    'AGENT_NOT_ALLOWED',
    'The operator does not let the agent "claude" spend money in this repository.',
  ],
  [SWITCHED_OFF, 'AGENTS_SWITCHED_OFF', 'Ada switched agents off at 1970-01-01 00:00 UTC: too expensive.'],
  [
    { ...SWITCHED_OFF, isEverywhere: false, reason: ' ' },
    'AGENTS_SWITCHED_OFF',
    'Ada switched agents off for this repository at 1970-01-01 00:00 UTC.',
  ],
  [OVER_BUDGET, 'BUDGET_EXHAUSTED', 'The budget of this pull request is used up (5.12 USD of 5.00 USD).'],
  [{ ...OVER_BUDGET, scope: 'fixup', limit: 0, used: 0 }, 'BUDGET_EXHAUSTED', 'The budget of a fixup is 0.00 USD.'],
  [
    { ...OVER_BUDGET, scope: 'fixup', what: 'calls', limit: 0, used: 0 },
    'BUDGET_EXHAUSTED',
    'The budget of a fixup is 0 calls to models.',
  ],
  [
    { ...OVER_BUDGET, what: 'tokens', limit: 500, used: 512 },
    'BUDGET_EXHAUSTED',
    'The budget of this pull request is used up (512 of 500 tokens of models).',
  ],
  [
    { ...OVER_BUDGET, scope: 'day', what: 'calls', used: 9, limit: 9, until: NOW + 1 },
    'BUDGET_AWAITED',
    'The budget of this repository for today is used up (9 of 9 calls to models). It is renewed at 2026-01-01 00:00 UTC.',
  ],
  [
    { ...OVER_BUDGET, what: 'time', limit: 1_800_000, used: 1_790_000 },
    'BUDGET_EXHAUSTED',
    "The budget of this pull request has less than a minute left (30 min of 30 min of agents' work are used or reserved).",
  ],
  [
    { ...OVER_BUDGET, scope: 'fixup', what: 'time', limit: 30_000, used: 0 },
    'BUDGET_EXHAUSTED',
    "The budget of a fixup is 30 s of agents' work.",
  ],
  [
    { ...OVER_BUDGET, scope: 'day', what: 'time', limit: 7_200_000, used: 7_200_000, until: NOW + 1 },
    'BUDGET_AWAITED',
    "The budget of this repository for today has less than a minute left (2 h of 2 h of agents' work are used or reserved). It has time again at 2026-01-01 00:00 UTC at the latest.",
  ],
  [
    { ...OVER_BUDGET, scope: 'month', until: NOW + 1 },
    'BUDGET_AWAITED',
    'The budget of this installation for this month is used up (5.12 USD of 5.00 USD). It is renewed at 2026-01-01 00:00 UTC.',
  ],
  [
    CIRCUIT_OPEN,
    'MODEL_UNUSABLE',
    'The model of the agent "claude" does not accept the key. No agent starts until the operator changes its configuration.',
  ],
  [
    { ...CIRCUIT_OPEN, fault: 'rate_limited', until: NOW + 1 },
    'MODEL_AWAITED',
    'The model of the agent "claude" accepts no more calls for now. No agent starts until 2026-01-01 00:00 UTC.',
  ],
  [
    { ...CIRCUIT_OPEN, fault: 'overloaded', until: NOW + 1, isTried: true },
    'MODEL_AWAITED',
    'The model of the agent "claude" is overloaded or out of order. Another fixup tries it first.',
  ],
];

describe('what keeps an agent from a launch', () => {
  it.each(STANDINGS)('%j is %s', (standing, code, text) => {
    expect(toAgentHold(standing)?.code).toBe(code);
    expect(describeStanding(standing)).toBe(text);
    const { reason } = determineFixupAction(aSnapshot({ agent: standing }));
    expect(reason).toMatch(/^CI failed, (?:but|and) /u);
    expect(reason.toLowerCase()).toContain(text.toLowerCase());
  });

  it('is nothing where the agent is ready, and names every fault of a model', () => {
    expect(describeStanding({ kind: 'ready' })).toBeNull();
    const texts = CIRCUIT_FAULTS.map((fault) => describeStanding({ ...CIRCUIT_OPEN, fault }));
    expect(new Set(texts).size).toBe(CIRCUIT_FAULTS.length);
    expect(() => toAgentHold(forge('{"kind":"asleep"}'))).toThrow('unexpected value');
  });

  it.each<[string, SnapshotChange, DecisionCode]>([
    ['a merge, which git may do alone', { merge: 'conflict' }, 'MERGE_CONFLICT'],
    ['a merge that has shown that it needs an agent', { merge: 'conflict', mergeNeedsAgent: true }, 'MODEL_UNUSABLE'],
    ['a re-run', { ci: { failure: aFailure({ rerunnable: true }) } }, 'CI_FLAKY'],
    ['an update of the branch', { ci: { failure: aFailure({ repairedOnBase: true }) } }, 'BASE_REPAIRED'],
    ['a review', { ci: { status: 'success' }, review: { actionable: 1 } }, 'MODEL_UNUSABLE'],
    ['nothing', { ci: { status: 'success' } }, 'ALL_GREEN'],
    ['what Ratchet has stopped at', { ratchet: { stoppedFor: 'cause-1' } }, 'STOPPED_SAME_CAUSE'],
    ['what nobody has an attempt for', { ratchet: { consecutiveAttempts: 3 } }, 'ATTEMPTS_EXHAUSTED'],
  ])('is asked for by no more than an agent: %s', (_what, change, code) => {
    expect(determineFixupAction(aSnapshot({ agent: CIRCUIT_OPEN, ...change })).code).toBe(code);
  });

  it.each<[string, AgentStanding, EpochMs | null, EpochMs]>([
    ['a circuit, when it closes', { ...CIRCUIT_OPEN, until: NOW + MINUTE_MS }, NOW + MINUTE_MS, NOW + MINUTE_MS],
    [
      'the fixup that tries a model, each minute and without a deadline',
      { ...CIRCUIT_OPEN, until: NOW + MINUTE_MS, isTried: true },
      null,
      NOW + MINUTE_MS,
    ],
    [
      'a budget, when it starts anew, and rarely before',
      { ...OVER_BUDGET, scope: 'month', until: NOW + 200 * HOUR_MS },
      NOW + 200 * HOUR_MS,
      NOW + 3 * HOUR_MS,
    ],
    ['an operator, at the usual pace', SWITCHED_OFF, null, NOW + 10 * MINUTE_MS],
    ['a person, rarely', OVER_BUDGET, null, NOW + 3 * HOUR_MS],
  ])('is waited for: %s', (_what, agent, deadline, checkAt) => {
    const snapshot = aSnapshot({ agent });
    const decision = determineFixupAction(snapshot);

    expect(waitDeadline(decision, snapshot)).toBe(deadline);
    expect(nextCheckAt(decision, snapshot, { intervals, settlesAt: null })).toBe(checkAt);
  });

  it.each<[string, AgentStanding]>([
    ['a budget that starts anew', { ...OVER_BUDGET, scope: 'day', until: NOW }],
    ['a circuit that closes', { ...CIRCUIT_OPEN, until: NOW }],
  ])('is waited for no longer at that very moment: %s', (_what, agent) => {
    expect(determineFixupAction(aSnapshot({ agent })).action).toBe('FIX_CI');
    expect(determineFixupAction(aSnapshot({ agent, now: NOW - 1 })).action).toBe('WAIT');
  });

  it('is waited for even then where another fixup tries the model', () => {
    expect(determineFixupAction(aSnapshot({ agent: { ...CIRCUIT_OPEN, until: NOW, isTried: true } })).action).toBe(
      'WAIT',
    );
  });

  it('has no deadline in a snapshot that does not say why it waits', () => {
    const decision = { action: 'WAIT', code: 'MODEL_AWAITED', reason: '' } as const;

    expect(waitDeadline(decision, aSnapshot())).toBeNull();
  });
});

describe('describeTimeBudget', () => {
  it('says which budget leaves an agent no time', () => {
    const budget = { scope: 'month', what: 'time', limit: 3_600_000, used: 3_590_000 } as const;
    expect(describeTimeBudget(budget)).toBe(
      "The budget of this installation for this month has less than a minute left (1 h of 1 h of agents' work are used or reserved).",
    );
  });
});

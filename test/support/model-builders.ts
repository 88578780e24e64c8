import type { AgentProgress } from '../../src/core/model/agent-progress.ts';
import type { AgentStanding } from '../../src/core/model/agent-standing.ts';
import type { AgentUse, BudgetScope, GatewayRefusal, ModelUse } from '../../src/core/model/model-use.ts';

/** Three calls that succeeded. */
export function aModelUse(change: Partial<ModelUse> = {}): ModelUse {
  return {
    calls: 3,
    tokens: { input: 1_000, cached: 200, written: 100, output: 300 },
    microUsd: 12_500,
    refused: {},
    stoppedBy: null,
    lastRefusal: null,
    faults: {},
    lastCall: 'ok',
    retryAt: null,
    ...change,
  };
}

/** The gateway ended the session. */
export function aStop(why: GatewayRefusal, scope: BudgetScope | null = null): NonNullable<ModelUse['stoppedBy']> {
  return { why, scope, detail: `The gateway says: ${why}.` };
}

export const SWITCHED_OFF = {
  ...{ kind: 'switched_off', isEverywhere: true, by: 'ada', reason: 'too expensive', since: 0 },
} as const satisfies AgentStanding;

/** The budget of the pull request. */
export const OVER_BUDGET = {
  ...{ kind: 'over_budget', scope: 'pull_request', what: 'usd', limit: 5_000_000, used: 5_120_000, until: null },
} as const satisfies AgentStanding;

/** Until the configuration changes. */
export const CIRCUIT_OPEN = {
  ...{ kind: 'circuit_open', agent: 'claude', fault: 'auth', until: null, isTried: false },
} as const satisfies AgentStanding;

/** An agent that runs the tests. */
export function aProgress(change: Partial<AgentProgress> = {}): AgentProgress {
  const { calls, tokens, microUsd } = aModelUse();
  const doing = { what: 'running', detail: 'npm test' } as const;
  return { agent: 'claude', model: 'model-1', doing, calls, tokens, microUsd, ...change };
}

export function anAgentUse(change: Partial<AgentUse> = {}): AgentUse {
  const { calls, tokens, microUsd } = aModelUse();
  return {
    agent: 'claude',
    version: '2.1.332',
    model: 'model-1',
    calls,
    tokens,
    microUsd,
    durationMs: 65_000,
    ...change,
  };
}

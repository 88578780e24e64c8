import type { BudgetScope, GatewayRefusal, ModelUse } from '../../src/core/model/model-use.ts';

/** Three calls that succeeded. */
export function aModelUse(change: Partial<ModelUse> = {}): ModelUse {
  return {
    calls: 3,
    tokens: { input: 1_000, cached: 200, written: 100, output: 300 },
    microUsd: 12_500,
    refused: {},
    stoppedBy: null,
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

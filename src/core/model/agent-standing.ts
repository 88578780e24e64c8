import type { EpochMs } from './ids.ts';
import { type BudgetScope, type BudgetUnit, UPSTREAM_FAULTS } from './model-use.ts';

/** Budgets that outlast a fixup. */
export const LASTING_SCOPES = ['pull_request', 'day', 'month'] as const satisfies readonly BudgetScope[];

/** Why the model of an agent is not called: a fault, or a key file that cannot be used. */
export const CIRCUIT_FAULTS = [...UPSTREAM_FAULTS, 'key_file'] as const;

/** Whether the agent of a pull request may be launched. Texts are untrusted. */
export type AgentStanding =
  | { readonly kind: 'ready' }
  /** The policy names an agent that the operator has not configured. */
  | { readonly kind: 'unknown'; readonly agent: string }
  /** The policy names a model that the operator has not configured for the agent. */
  | { readonly kind: 'model_unknown'; readonly agent: string; readonly model: string }
  /** A budget in USD is set, and the model has no price. */
  | { readonly kind: 'unpriced'; readonly agent: string; readonly model: string }
  /** Only repositories of the App's own account may spend money, and GitHub has not said yet which account that is. */
  | { readonly kind: 'owner_unknown' }
  /** The repository is not on the operator's list of those that may spend money. */
  | { readonly kind: 'not_allowed'; readonly agent: string }
  /** The kill switch. */
  | {
      readonly kind: 'switched_off';
      readonly isEverywhere: boolean;
      readonly by: string;
      readonly reason: string;
      readonly since: EpochMs;
    }
  | {
      readonly kind: 'over_budget';
      /** `fixup`: the budget of each leaves nothing to spend. */
      readonly scope: BudgetScope;
      readonly what: BudgetUnit;
      /** Millionths of a USD, calls, tokens, or milliseconds. */
      readonly limit: number;
      readonly used: number;
      /** When the budget starts anew, or an agent at work gives back what it did not need; null: it does not by itself. */
      readonly until: EpochMs | null;
    }
  /** The circuit is open: the model is not called for a while. */
  | {
      readonly kind: 'circuit_open';
      readonly agent: string;
      readonly fault: (typeof CIRCUIT_FAULTS)[number];
      /** null: until the configuration changes. */
      readonly until: EpochMs | null;
      /** Its time is over, and another fixup tries the model first. `until` is when to look again. */
      readonly isTried: boolean;
    };

import type { EpochMs, PullRequestKey, SessionId } from './ids.ts';
import type { BudgetScope, BudgetUnit, MicroUsd, TokenUse, UpstreamFault } from './model-use.ts';

/** Limits of one scope. null: none. */
export interface SpendLimit {
  readonly maxMicroUsd: MicroUsd | null;
  readonly maxCalls: number | null;
  /** Of all kinds of tokens together. */
  readonly maxTokens: number | null;
  /** How long agents may work, in milliseconds: those that work side by side count each. */
  readonly maxTimeMs: number | null;
}

/** Limits by scope. A scope that is missing has none. */
export type SpendLimits = Readonly<Partial<Record<BudgetScope, SpendLimit>>>;

/** What a budget covers: `at` is any time of the UTC day or month. */
export type SpendScope =
  | { readonly scope: 'fixup'; readonly sessionId: SessionId }
  | { readonly scope: 'pull_request'; readonly key: PullRequestKey }
  | { readonly scope: 'day'; readonly repositoryId: number; readonly at: EpochMs }
  | { readonly scope: 'month'; readonly installationId: number; readonly at: EpochMs };

/**
 * What was spent in a scope. An open call counts with its reservation, or with the use seen so far if that is more; an agent at
 * work with the time that it may take.
 */
export interface Spent {
  readonly microUsd: MicroUsd;
  readonly calls: number;
  readonly tokens: TokenUse;
  readonly timeMs: number;
}

/** A budget that a call, or an agent, does not fit into. */
export interface ExceededBudget<Scope extends BudgetScope = BudgetScope, Unit extends BudgetUnit = BudgetUnit> {
  readonly scope: Scope;
  readonly what: Unit;
  /** Millionths of a USD, calls, tokens, or milliseconds. */
  readonly limit: number;
  /** Spent and reserved before it. */
  readonly used: number;
}

/** A budget of time. */
export type TimeBudget = ExceededBudget<BudgetScope, 'time'>;

/** The time that agents at work reserve in a scope. */
export interface ReservedTime {
  readonly timeMs: number;
  /** When the first of them ends at the latest, and gives back what it did not need. Infinity: none is at work. */
  readonly until: EpochMs;
}

/** 80 % of a budget are spent or reserved. Raised once for each scope, period and kind. */
export interface SpendAlert {
  readonly scope: BudgetScope;
  readonly what: BudgetUnit;
  readonly limit: number;
  readonly used: number;
}

/** A model that is not called for a while. */
export interface ModelCircuit {
  /** `ModelGateway.fingerprint` of the endpoint. */
  readonly fingerprint: string;
  /** Name of the agent. */
  readonly agent: string;
  readonly fault: UpstreamFault;
  /** Failures in a row. */
  readonly failures: number;
  readonly openedAt: EpochMs;
  /** null: until the configuration changes. A time in the past: closed, but the failures still count. */
  readonly until: EpochMs | null;
}

/** The kill switch: while it is off, no agent starts and no model is called. */
export interface AgentSwitch {
  /** null: for all repositories. */
  readonly repositoryId: number | null;
  readonly offSince: EpochMs;
  /** Who switched it off and why; untrusted. */
  readonly by: string;
  readonly reason: string;
}

import type { EpochMs, PullRequestKey, SessionId } from '../core/model/ids.ts';
import type { BudgetScope, MicroUsd, TokenUse, UpstreamFault } from '../core/model/model-use.ts';

/** Limits of one scope. null: none. */
export interface SpendLimit {
  readonly maxMicroUsd: MicroUsd | null;
  readonly maxCalls: number | null;
}

/** A call that is about to be sent. */
export interface NewModelCall {
  readonly sessionId: SessionId;
  readonly key: PullRequestKey;
  readonly repositoryId: number;
  readonly installationId: number;
  readonly agent: string;
  readonly model: string;
  readonly startedAt: EpochMs;
  /** Upper bound of the call's cost. */
  readonly reservedMicroUsd: MicroUsd;
  /** Upper bound of its tokens: charged if nothing better is known. */
  readonly reserved: TokenUse;
}

export type Reservation =
  | { readonly kind: 'reserved'; readonly callId: number; readonly alerts: readonly SpendAlert[] }
  | {
      readonly kind: 'refused';
      readonly scope: BudgetScope;
      readonly what: 'usd' | 'calls';
      readonly limit: number;
      /** Spent and reserved before this call. */
      readonly used: number;
    };

/** 80 % of a budget are spent or reserved. Raised once for each scope and period. */
export interface SpendAlert {
  readonly scope: BudgetScope;
  readonly what: 'usd' | 'calls';
  readonly limit: number;
  readonly used: number;
}

/** How a call ended. `estimated`: its real use is not known, and its upper bound is charged. */
export interface EndedModelCall {
  readonly state: 'settled' | 'estimated';
  readonly endedAt: EpochMs;
  readonly status: number | null;
  readonly fault: UpstreamFault | null;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
}

/** What was spent in a scope, with open reservations. */
export interface Spent {
  readonly microUsd: MicroUsd;
  readonly calls: number;
  readonly tokens: TokenUse;
}

/** The ledger: one row for each call to a model. */
export interface LedgerStore {
  /** Checks all limits and stores the call, in one transaction. */
  readonly reserveCall: (call: NewModelCall, limits: Readonly<Partial<Record<BudgetScope, SpendLimit>>>) => Reservation;
  /** Stores the use that was seen so far of an open call. */
  readonly noteCall: (callId: number, seen: { readonly tokens: TokenUse; readonly microUsd: MicroUsd }) => void;
  /** Ends a call once; a second end changes nothing. */
  readonly endCall: (callId: number, end: EndedModelCall) => void;
  /** Charges what was open when an earlier process died its reservation, marked `estimated`. Returns how many there were. */
  readonly settleOpenCalls: (now: EpochMs) => number;
  readonly spent: (
    scope:
      | { readonly scope: 'fixup'; readonly sessionId: SessionId }
      | { readonly scope: 'pull_request'; readonly key: PullRequestKey }
      | { readonly scope: 'day'; readonly repositoryId: number; readonly at: EpochMs }
      | { readonly scope: 'month'; readonly installationId: number; readonly at: EpochMs },
  ) => Spent;
  readonly pruneCalls: (endedBefore: EpochMs) => number;
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

export interface CircuitStore {
  readonly circuit: (fingerprint: string) => ModelCircuit | null;
  readonly circuits: () => readonly ModelCircuit[];
  readonly saveCircuit: (circuit: ModelCircuit) => void;
  readonly closeCircuit: (fingerprint: string) => void;
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

export interface SwitchStore {
  /** The global one, else that of the repository; null: agents may run. */
  readonly agentSwitch: (repositoryId: number) => AgentSwitch | null;
  readonly agentSwitches: () => readonly AgentSwitch[];
  readonly switchAgentsOff: (off: AgentSwitch) => void;
  readonly switchAgentsOn: (repositoryId: number | null) => void;
}

export type SpendStore = LedgerStore & CircuitStore & SwitchStore;

import type { EpochMs, PullRequestKey, SessionId } from '../core/model/ids.ts';
import type { BudgetScope, CALL_UNITS, MicroUsd, TokenUse, UpstreamFault } from '../core/model/model-use.ts';
import type {
  AgentSwitch,
  ExceededBudget,
  ModelCircuit,
  ReservedTime,
  SpendAlert,
  SpendLimits,
  SpendScope,
  Spent,
  TimeBudget,
} from '../core/model/spend.ts';

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
  | ({ readonly kind: 'refused' } & ExceededBudget<BudgetScope, (typeof CALL_UNITS)[number]>);

/** How a call ended. `estimated`: its real use is not known, and its upper bound is charged. */
export interface EndedModelCall {
  readonly state: 'settled' | 'estimated';
  readonly endedAt: EpochMs;
  readonly status: number | null;
  readonly fault: UpstreamFault | null;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
}

/** An agent that is about to start. */
export interface NewAgentRun extends Omit<NewModelCall, 'model' | 'reservedMicroUsd' | 'reserved'> {
  /** Its time limit. */
  readonly wantedMs: number;
}

export type TimeReservation =
  | {
      readonly kind: 'reserved';
      readonly runId: number;
      /** How long it may work: its time limit, or what the budgets leave of it. */
      readonly timeMs: number;
      /** The budget that allows it no more; null: its time limit does. */
      readonly boundBy: TimeBudget | null;
    }
  | ({ readonly kind: 'refused' } & TimeBudget);

/** How the run of an agent ended. */
export interface EndedAgentRun {
  readonly endedAt: EpochMs;
  /** How long it worked, by a clock that nobody sets; null: that is not known, and its reservation is charged. */
  readonly timeMs: number | null;
}

/**
 * The ledger: one row for each call to a model and for each run of an agent, and what they add up to in each scope. Its writes
 * survive the end of the process by any means. A power cut may take those since the last write of another kind.
 */
export interface LedgerStore {
  /** Checks all limits and stores the call, in one transaction. A call that is refused leaves no trace. */
  readonly reserveCall: (call: NewModelCall, limits: SpendLimits) => Reservation;
  /** Charges an open call at least the use that was seen so far. Below its reservation this changes nothing. */
  readonly noteCall: (callId: number, seen: { readonly tokens: TokenUse; readonly microUsd: MicroUsd }) => void;
  /** Ends a call once; a second end changes nothing. */
  readonly endCall: (callId: number, end: EndedModelCall) => void;
  /**
   * Ends what was open when an earlier process died, marked `estimated`: charged its reservation, or what was seen if that is
   * more. Returns how many there were. For the start of the only control plane.
   */
  readonly settleOpenCalls: (now: EpochMs) => number;
  /** Checks the budgets of time and stores the run, in one transaction. A run that is refused leaves no trace. */
  readonly reserveTime: (run: NewAgentRun, limits: SpendLimits) => TimeReservation;
  /** Ends a run once, and charges its time, at most its reservation. Returns the alerts; a second end has none. */
  readonly endAgentRun: (runId: number, end: EndedAgentRun, limits: SpendLimits) => readonly SpendAlert[];
  /** Like `settleOpenCalls`, for the runs of agents. */
  readonly settleOpenRuns: (now: EpochMs) => number;
  /** The time that agents at work reserve. Those that started on another day or in another month count there. */
  readonly reservedTime: (scope: Extract<SpendScope, { readonly scope: 'day' | 'month' }>) => ReservedTime;
  readonly spent: (scope: SpendScope) => Spent;
}

export interface CircuitStore {
  readonly circuit: (fingerprint: string) => ModelCircuit | null;
  readonly circuits: () => readonly ModelCircuit[];
  readonly saveCircuit: (circuit: ModelCircuit) => void;
  readonly closeCircuit: (fingerprint: string) => void;
}

export interface SwitchStore {
  /** The global one, else that of the repository; null: agents may run. */
  readonly agentSwitch: (repositoryId: number) => AgentSwitch | null;
  readonly agentSwitches: () => readonly AgentSwitch[];
  /** Replaces an earlier one of the same repository. */
  readonly switchAgentsOff: (off: AgentSwitch) => void;
  readonly switchAgentsOn: (repositoryId: number | null) => void;
}

export type SpendStore = LedgerStore & CircuitStore & SwitchStore;

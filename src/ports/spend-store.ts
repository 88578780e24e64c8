import type { EpochMs, PullRequestKey, SessionId } from '../core/model/ids.ts';
import type { MicroUsd, TokenUse, UpstreamFault } from '../core/model/model-use.ts';
import type {
  AgentSwitch,
  ExceededBudget,
  ModelCircuit,
  SpendAlert,
  SpendLimits,
  SpendScope,
  Spent,
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
  | ({ readonly kind: 'refused' } & ExceededBudget);

/** How a call ended. `estimated`: its real use is not known, and its upper bound is charged. */
export interface EndedModelCall {
  readonly state: 'settled' | 'estimated';
  readonly endedAt: EpochMs;
  readonly status: number | null;
  readonly fault: UpstreamFault | null;
  readonly tokens: TokenUse;
  readonly microUsd: MicroUsd;
}

/**
 * The ledger: one row for each call to a model, and what they add up to in each scope. Its writes survive the end of the process
 * by any means. A power cut may take those since the last write of another kind.
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

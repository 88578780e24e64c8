import type { ModelPrice } from '../../core/model/model-use.ts';
import type { SpendLimits } from '../../core/model/spend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { GatewaySession } from '../../ports/model-gateway.ts';
import type { LedgerStore, SwitchStore } from '../../ports/spend-store.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { KeyFiles } from './key-files.ts';
import type { ModelUpstream, ProxyEnv } from './model-upstream.ts';
import type { BodyMemory } from './read-request-body.ts';
import type { SessionRecord } from './session-record.ts';

/** What the gateway needs from others. */
export interface ModelGatewayDeps {
  /** A folder of the gateway alone; it is emptied at the start. Its path must be short: paths of sockets are. */
  readonly folder: string;
  readonly ledger: Pick<LedgerStore, 'reserveCall' | 'noteCall' | 'endCall'>;
  readonly switches: Pick<SwitchStore, 'agentSwitch'>;
  /** The operator's limits. Those of a session replace the ones of a fixup. */
  readonly limits: SpendLimits;
  readonly keys: KeyFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly gatewayLimits?: Partial<GatewayLimits>;
  /** The proxy that models are reached by; null or missing: none. */
  readonly proxy?: ProxyEnv | null;
}

/** What all requests of one session share. */
export interface SessionContext extends Omit<ModelGatewayDeps, 'gatewayLimits' | 'limits' | 'proxy'> {
  readonly session: GatewaySession;
  /** null: none, and no budget in USD applies. */
  readonly price: ModelPrice | null;
  readonly budgets: SpendLimits;
  readonly token: string;
  readonly limits: GatewayLimits;
  readonly record: SessionRecord;
  readonly memory: BodyMemory;
  readonly upstream: ModelUpstream;
  readonly openCalls: Set<AbortController>;
}

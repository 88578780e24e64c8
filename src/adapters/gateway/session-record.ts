import type { EpochMs } from '../../core/model/ids.ts';
import type {
  BudgetScope,
  GatewayRefusal,
  MicroUsd,
  ModelUse,
  TokenUse,
  UpstreamFault,
} from '../../core/model/model-use.ts';
import { addTokens, NO_TOKENS } from '../../core/models/token-price.ts';

/** The refusals that an agent cannot do anything about. */
const STOPPING: ReadonlySet<GatewayRefusal> = new Set<GatewayRefusal>([
  'budget_usd',
  'budget_calls',
  'budget_tokens',
  'switched_off',
  'failing',
  'misconfigured',
]);

/** One call in the record. */
export interface RecordedCall {
  /** What was seen of it so far. */
  readonly note: (tokens: TokenUse, microUsd: MicroUsd) => void;
  /** `how`: null if nobody knows, since the agent did not wait for the end. */
  readonly end: (end: {
    readonly tokens: TokenUse;
    readonly microUsd: MicroUsd;
    readonly how: 'ok' | UpstreamFault | null;
    readonly retryAt: EpochMs | null;
  }) => void;
}

/** What happened in a session: the evidence. */
export interface SessionRecord {
  readonly use: () => ModelUse;
  readonly refuse: (why: GatewayRefusal, scope: BudgetScope | null, detail: string) => void;
  readonly beginCall: () => RecordedCall;
  /** Failures since the last call that succeeded. */
  readonly failures: () => number;
}

interface Refusals {
  readonly add: (why: GatewayRefusal, detail: string) => void;
  readonly seen: () => Pick<ModelUse, 'refused' | 'lastRefusal'>;
}

function createRefusals(): Refusals {
  const counts = new Map<GatewayRefusal, number>();
  let lastRefusal: string | null = null;
  return {
    add: (why, detail) => {
      counts.set(why, (counts.get(why) ?? 0) + 1);
      lastRefusal = detail;
    },
    seen: () => ({ refused: Object.fromEntries(counts), lastRefusal }),
  };
}

export function createSessionRecord(onChange: () => void): SessionRecord {
  const refusals = createRefusals();
  const faults = new Map<UpstreamFault, number>();
  const open = new Map<number, { readonly tokens: TokenUse; readonly microUsd: MicroUsd }>();
  let ended = { tokens: NO_TOKENS, microUsd: 0 };
  let stopped: { readonly by: NonNullable<ModelUse['stoppedBy']>; readonly atCall: number } | null = null;
  let last: { readonly call: number; readonly how: ModelUse['lastCall'] } = { call: 0, how: null };
  let failures = 0;
  let retryAt: EpochMs | null = null;

  function endCall(call: number, end: Parameters<RecordedCall['end']>[0]): void {
    if (!open.delete(call)) return;
    ended = { tokens: addTokens(ended.tokens, end.tokens), microUsd: ended.microUsd + end.microUsd };
    if (last.call === call) last = { call, how: end.how };
    if (end.how === 'ok') {
      failures = 0;
      // The agent went on after the refusal, so the refusal did not end the session.
      if (stopped !== null && stopped.atCall < call) stopped = null;
    } else if (end.how !== null) {
      failures += 1;
      faults.set(end.how, (faults.get(end.how) ?? 0) + 1);
      retryAt = end.retryAt ?? retryAt;
    }
    onChange();
  }

  return {
    use: () => {
      const all = [ended, ...open.values()];
      return {
        calls: last.call,
        tokens: all.map(({ tokens }) => tokens).reduce(addTokens, NO_TOKENS),
        microUsd: all.reduce((sum, { microUsd }) => sum + microUsd, 0),
        ...refusals.seen(),
        stoppedBy: stopped?.by ?? null,
        faults: Object.fromEntries(faults),
        lastCall: last.how,
        retryAt,
      };
    },
    refuse: (why, scope, detail) => {
      refusals.add(why, detail);
      if (STOPPING.has(why)) stopped ??= { by: { why, scope, detail }, atCall: last.call };
      onChange();
    },
    beginCall: () => {
      const call = last.call + 1;
      last = { call, how: null };
      open.set(call, { tokens: NO_TOKENS, microUsd: 0 });
      onChange();
      return {
        note: (tokens, microUsd) => {
          if (!open.has(call)) return;
          open.set(call, { tokens, microUsd });
          onChange();
        },
        end: (end) => endCall(call, end),
      };
    },
    failures: () => failures,
  };
}

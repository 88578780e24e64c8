import { toError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { TokenUse, UpstreamFault } from '../../core/model/model-use.ts';
import type { SpendAlert } from '../../core/model/spend.ts';
import { toCallCharge } from '../../core/models/to-call-charge.ts';
import { NO_TOKENS, toCost, toHighestCost } from '../../core/models/token-price.ts';
import type { Metered } from '../../core/models/usage-meter.ts';
import type { Reservation } from '../../ports/spend-store.ts';
import type { GatewayRefused } from './answer-agent.ts';
import type { SessionContext } from './session-context.ts';

/** How a call ended. */
export interface CallEnd {
  readonly status: number | null;
  /** null if the agent did not wait for the end. */
  readonly how: 'ok' | UpstreamFault | null;
  /** What the answer said about its use; null: the model did not begin an answer, so nothing is charged. */
  readonly metered: Metered | null;
  readonly retryAt: EpochMs | null;
}

/** A call in the ledger and in the record of the session. */
export interface OpenCall {
  /** Call when more of the answer is known. */
  readonly note: (metered: Metered) => void;
  readonly end: (end: CallEnd) => void;
}

/** A call that costs nothing and is not recorded: it counts tokens. */
export const FREE_CALL: OpenCall = { note: () => undefined, end: () => undefined };

/** Reserves a call with the upper bound `bound` in all budgets. @throws what the ledger throws. */
export function openCall(
  context: SessionContext,
  bound: TokenUse,
): { readonly kind: 'open'; readonly call: OpenCall } | { readonly kind: 'refused'; readonly refused: GatewayRefused } {
  const { session, price, ledger, clock, budgets } = context;
  const reservation = ledger.reserveCall(
    {
      sessionId: session.sessionId,
      key: session.key,
      repositoryId: session.repositoryId,
      installationId: session.installationId,
      agent: session.endpoint.name,
      model: session.model,
      startedAt: clock.now(),
      reservedMicroUsd: toHighestCost(bound, price),
      reserved: bound,
    },
    budgets,
  );
  if (reservation.kind === 'refused') return { kind: 'refused', refused: toRefused(reservation) };
  for (const alert of reservation.alerts) warn(context, alert);
  return { kind: 'open', call: trackCall(context, reservation.callId, bound) };
}

function trackCall(context: SessionContext, callId: number, bound: TokenUse): OpenCall {
  const { ledger, clock, limits, price, record } = context;
  const recorded = record.beginCall();
  let notedAt = Number.NEGATIVE_INFINITY;
  return {
    note: ({ tokens, isSeen }) => {
      const now = clock.now();
      if (!isSeen || now - notedAt < limits.noteMs) return;
      notedAt = now;
      const seen = { tokens, microUsd: toCost(tokens, price) };
      recorded.note(seen.tokens, seen.microUsd);
      writeLedger(context, () => ledger.noteCall(callId, seen));
    },
    end: ({ status, how, metered, retryAt }) => {
      const charge =
        metered === null
          ? { state: 'settled' as const, tokens: NO_TOKENS, microUsd: 0 }
          : toCallCharge(bound, price, metered);
      recorded.end({ ...charge, how, retryAt });
      const fault = how === 'ok' ? null : how;
      writeLedger(context, () => ledger.endCall(callId, { ...charge, endedAt: clock.now(), status, fault }));
      context.log.debug({ ...charge.tokens, status, fault, microUsd: charge.microUsd }, 'a call to a model ended');
    },
  };
}

/** A row that could not be written keeps its reservation, which is never too little. */
function writeLedger(context: SessionContext, write: () => void): void {
  try {
    write();
  } catch (error) {
    context.log.error({ err: toError(error) }, 'the use of a model could not be stored; its reservation stays');
  }
}

function toRefused({ scope, what, limit, used }: Extract<Reservation, { kind: 'refused' }>): GatewayRefused {
  const name = scope.replace('_', ' ');
  if (what === 'calls')
    return { why: 'budget_calls', scope, detail: `all ${limit} calls of the budget per ${name} are used` };
  const [could, amount] =
    what === 'usd' ? ['cost', `${toUsd(used)} of ${toUsd(limit)} USD`] : ['use', `${used} of ${limit} tokens`];
  const detail = `the call could ${could} more than is left of the budget per ${name}: ${amount} are spent or reserved`;
  return { why: `budget_${what}`, scope, detail };
}

function toUsd(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(4);
}

function warn({ log, session }: SessionContext, { scope, what, limit, used }: SpendAlert): void {
  log.warn(
    { scope, what, limit, used, repositoryId: session.repositoryId, installationId: session.installationId },
    'a budget for models is nearly used up',
  );
}

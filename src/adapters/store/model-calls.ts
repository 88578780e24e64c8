import { and, eq, sql } from 'drizzle-orm';
import { CALL_UNITS } from '../../core/model/model-use.ts';
import { type Charge, isNoChange, toChange, toHigher } from '../../core/spend/charge.ts';
import { findExceeded } from '../../core/spend/check-limits.ts';
import { toScopesOf } from '../../core/spend/scope-key.ts';
import type { LedgerStore, NewModelCall, Reservation } from '../../ports/spend-store.ts';
import { type Database, inRelaxedTransaction } from './database.ts';
import { modelCalls } from './spend-schema.ts';
import { createTotals, toColumns, toLimited, toTokens } from './spend-totals.ts';

type Call = typeof modelCalls.$inferSelect;

type CallLedger = Pick<LedgerStore, 'reserveCall' | 'noteCall' | 'endCall' | 'settleOpenCalls' | 'spent'>;

/** Creates the writer of `model_calls` on `db`. */
export function createModelCalls(db: Database): CallLedger {
  const totals = createTotals(db);
  const calls = createCalls(db);

  /** Changes what a call is charged, in its row and in all totals. */
  function charge(call: Call, next: Charge, end: CallEnd | null): void {
    calls.update(call.id, next, end);
    const change = toChange(toCharge(call), next);
    for (const scope of toScopesOf({ ...call, key: call.workspaceKey })) {
      totals.add(scope, { ...change, calls: 0, timeMs: 0, at: end?.endedAt ?? call.startedAt });
    }
  }

  return {
    reserveCall: (call, limits) =>
      inRelaxedTransaction(db, (): Reservation => {
        const scopes = toScopesOf(call);
        const reserved = { microUsd: call.reservedMicroUsd, tokens: call.reserved };
        const spent = { ...reserved, calls: 1, timeMs: 0 };
        const exceeded = findExceeded(toLimited(scopes, limits, totals.read), CALL_UNITS, spent);
        if (exceeded !== null) return { kind: 'refused', ...exceeded };
        const callId = calls.insert(call);
        for (const scope of scopes) totals.add(scope, { ...spent, at: call.startedAt });
        const alerts = totals.raise(scopes, limits, { units: CALL_UNITS, at: call.startedAt });
        return { kind: 'reserved', callId, alerts };
      }),
    noteCall: (callId, seen) => {
      const call = calls.open(callId);
      if (call === null) return;
      const next = toHigher(toCharge(call), seen);
      if (isNoChange(toChange(toCharge(call), next))) return;
      inRelaxedTransaction(db, () => charge(call, next, null));
    },
    endCall: (callId, { microUsd, tokens, ...end }) => {
      inRelaxedTransaction(db, () => {
        const call = calls.open(callId);
        if (call !== null) charge(call, { microUsd, tokens }, end);
      });
    },
    settleOpenCalls: (now) =>
      inRelaxedTransaction(db, () => {
        const open = calls.allOpen();
        const end = { state: 'estimated', endedAt: now, status: null, fault: null } as const;
        for (const call of open) calls.update(call.id, toCharge(call), end);
        return open.length;
      }),
    spent: totals.read,
  };
}

function toCharge(call: Call): Charge {
  return { microUsd: call.microUsd, tokens: toTokens(call) };
}

type CallEnd = Pick<Call, 'state' | 'status' | 'fault'> & { readonly endedAt: number };

interface Calls {
  readonly insert: (call: NewModelCall) => number;
  readonly update: (id: number, charge: Charge, end: CallEnd | null) => void;
  readonly open: (id: number) => Call | null;
  readonly allOpen: () => readonly Call[];
}

function createCalls(db: Database): Calls {
  const isOpen = sql`state = 'open'`;
  const one = db
    .select()
    .from(modelCalls)
    .where(and(eq(modelCalls.id, sql.placeholder('id')), isOpen))
    .prepare();
  return {
    insert: ({ key, reserved, reservedMicroUsd, ...call }) =>
      db
        .insert(modelCalls)
        .values({
          ...{ ...call, workspaceKey: key, state: 'open', reservedMicroUsd, microUsd: reservedMicroUsd },
          ...toColumns(reserved),
        })
        .returning({ id: modelCalls.id })
        .get().id,
    update: (id, { microUsd, tokens }, end) => {
      db.update(modelCalls)
        .set({ microUsd, ...toColumns(tokens), ...end })
        .where(eq(modelCalls.id, id))
        .run();
    },
    open: (id) => one.get({ id }) ?? null,
    allOpen: () => db.select().from(modelCalls).where(isOpen).all(),
  };
}

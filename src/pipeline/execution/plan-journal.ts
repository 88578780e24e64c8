import type { StructuredPlan } from '../../core/model/structured-plan.ts';
import type { Clock, NewId } from '../../ports/clock.ts';
import type {
  NewPlanRun,
  PlanStepEnd,
  PlanStepStart,
  StoredPlanRun,
  StoredPlanStep,
} from '../../ports/plan-run-store.ts';
import type { Store } from '../../ports/store.ts';

/** Where the state of a run is kept, so that another process can go on with it. */
export interface PlanJournal {
  /** What an earlier process left; empty for a new run. */
  readonly recorded: readonly StoredPlanStep[];
  /** Fires when another process has taken over. */
  readonly lost: AbortSignal;
  readonly start: (start: PlanStepStart) => Promise<void>;
  readonly end: (ends: readonly PlanStepEnd[]) => Promise<void>;
  /** `isWhole`: each step has ended for good. Otherwise the run can be resumed. */
  readonly close: (isWhole: boolean) => Promise<void>;
}

export interface JournalDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A run that this process holds. */
export interface OpenPlanRunRecord {
  readonly run: NewPlanRun;
  readonly journal: PlanJournal;
}

/** How long a process may be silent before another one may take its run over. */
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 10_000;
const FOREVER = Number.MAX_SAFE_INTEGER;
/** Another process may hold the database for so long. */
const MAX_WAIT_MS = 60_000;

/** Stores a new run. Its lease is renewed until its journal is closed. */
export async function beginPlanRun(
  deps: JournalDeps,
  run: Omit<NewPlanRun, 'id' | 'startedAt' | 'budgetUsd'> & { readonly plan: StructuredPlan },
): Promise<OpenPlanRunRecord> {
  const { store, clock, newId } = deps;
  const leaseId = newId();
  const begun = { ...run, id: newId(), startedAt: clock.now(), budgetUsd: run.plan.budget_usd };
  await store.onceWritable(() => {
    store.beginPlanRun(begun, { id: leaseId, until: clock.now() + LEASE_MS });
  }, MAX_WAIT_MS);
  return { run: begun, journal: openJournal(deps, { id: begun.id, leaseId, recorded: [] }) };
}

/**
 * Takes over a run whose process has ended. `unknown`: there is none; `busy`: a process is running it. `isHolderDead`: the caller knows
 * that the process is dead (it has its lock), so nobody has to wait for its lease to run out.
 */
export async function resumePlanRun(
  deps: JournalDeps,
  id: string,
  { isHolderDead = false }: { readonly isHolderDead?: boolean } = {},
): Promise<({ readonly kind: 'resumed' } & OpenPlanRunRecord) | { readonly kind: 'unknown' | 'busy' }> {
  const { store, clock, newId } = deps;
  const leaseId = newId();
  const now = clock.now();
  const isTaken = await store.onceWritable(
    // The lease of a dead process holds nobody up, also where the clock was set back since.
    () => store.leasePlanRun(id, { id: leaseId, now: isHolderDead ? FOREVER : now, until: now + LEASE_MS }),
    MAX_WAIT_MS,
  );
  const run: StoredPlanRun | null = store.planRun(id);
  if (run === null) return { kind: 'unknown' };
  if (!isTaken) return { kind: run.status === 'archived' ? 'unknown' : 'busy' };
  const left = { id, leaseId, recorded: store.planSteps(id) };
  return { kind: 'resumed', run, journal: openJournal(deps, left) };
}

function openJournal(
  { store, clock }: JournalDeps,
  { id, leaseId, ...left }: { readonly id: string; readonly leaseId: string } & Pick<PlanJournal, 'recorded'>,
): PlanJournal {
  const lost = new AbortController();
  const write = (work: () => void): Promise<void> => store.onceWritable(work, MAX_WAIT_MS);
  const heartbeat = setInterval(() => {
    const renew = (): void => {
      if (!store.renewPlanLease(id, { id: leaseId, until: clock.now() + LEASE_MS })) lost.abort();
    };
    write(renew).catch(() => {
      lost.abort();
    });
  }, HEARTBEAT_MS);
  return {
    ...left,
    lost: lost.signal,
    start: (start) =>
      write(() => {
        store.startPlanStep(id, leaseId, start);
      }),
    end: (ends) =>
      write(() => {
        store.endPlanSteps(id, leaseId, ends);
      }),
    close: async (isWhole) => {
      clearInterval(heartbeat);
      await write(() => {
        if (isWhole) store.endPlanRun(id, leaseId, clock.now());
        else store.releasePlanRun(id, leaseId);
      });
    },
  };
}

import type { EpochMs } from '../core/model/ids.ts';
import type { StepResult } from '../core/model/plan-run.ts';
import type { StructuredPlan } from '../core/model/structured-plan.ts';
import type { Compensation } from './execution.ts';

/** `active`: it may still run. `completed`: each step has ended. `archived`: the same, and it is not shown any more. */
export const PLAN_RUN_STATUSES = ['active', 'completed', 'archived'] as const;
export type PlanRunStatus = (typeof PLAN_RUN_STATUSES)[number];

export interface NewPlanRun {
  readonly id: string;
  readonly plan: StructuredPlan;
  /** What the plan may cost, in USD. */
  readonly budgetUsd: number;
  /** Who it belongs to, in the words of the caller (a folder, a pull request). */
  readonly owner: string;
  /** The place that it works on, in the words of the caller. */
  readonly place: string;
  readonly startedAt: EpochMs;
}

export interface StoredPlanRun extends NewPlanRun {
  readonly status: PlanRunStatus;
  /** Key of the step whose failure undoes the run; null: it is not being undone. */
  readonly rollbackOf: string | null;
  /** null: its steps have not all ended. */
  readonly endedAt: EpochMs | null;
  /** Of all its steps so far. */
  readonly costUsd: number;
}

/** A step that has started or ended. */
export interface StoredPlanStep {
  readonly key: string;
  readonly actionType: string;
  /** Order of the starts in the run, from 1; null: it never started. */
  readonly sequence: number | null;
  /** How to undo what it did; null: there is nothing, or it was undone. */
  readonly compensation: Compensation | null;
  /** null: it has started, and not ended. */
  readonly result: StepResult | null;
  /** How often its action has started. */
  readonly attempts: number;
  /** What it was charged. Of a step that has not ended: all its estimates so far. */
  readonly costUsd: number;
}

/** A start of a step. It replaces an earlier one of the step. */
export type PlanStepStart = Omit<StoredPlanStep, 'result' | 'sequence'> & { readonly sequence: number };

/** How a step ended, or what became of it when it was undone. */
export interface PlanStepEnd {
  readonly key: string;
  readonly actionType: string;
  readonly result: StepResult;
  /** Of its cost, what was measured; null: nothing. Later estimates are made from it. */
  readonly measuredUsd: number | null;
  /** Whether nothing is left to undo. */
  readonly isUndone: boolean;
}

/** Runs of plans and their steps (004.R26). A lease stands for a lock file: who writes must hold it (resolution S40). */
export interface PlanRunStore {
  /** Stores a new active run with the lease of its process. */
  readonly beginPlanRun: (run: NewPlanRun, lease: { readonly id: string; readonly until: EpochMs }) => void;
  /** null: there is none, or it was deleted. */
  readonly planRun: (id: string) => StoredPlanRun | null;
  /** Of an owner, newest first, without archived ones. */
  readonly planRuns: (owner: string, limit: number) => readonly StoredPlanRun[];
  /** Active runs whose process has died: no lease is alive. Oldest first. */
  readonly abandonedPlanRuns: (now: EpochMs, limit: number) => readonly StoredPlanRun[];
  /** Steps that have started or ended, in the order of their starts, then those that never started. */
  readonly planSteps: (id: string) => readonly StoredPlanStep[];
  /** Takes over a run that is not archived. False if there is none, or if a lease of another process is alive. */
  readonly leasePlanRun: (
    id: string,
    lease: { readonly id: string; readonly now: EpochMs; readonly until: EpochMs },
  ) => boolean;
  /** False if the lease was lost. */
  readonly renewPlanLease: (id: string, lease: { readonly id: string; readonly until: EpochMs }) => boolean;
  /** @throws InvariantError, like all writes with a lease, if it is not held. */
  readonly startPlanStep: (id: string, leaseId: string, start: PlanStepStart) => void;
  /** In one transaction. */
  readonly endPlanSteps: (id: string, leaseId: string, ends: readonly PlanStepEnd[]) => void;
  /** From now on the run is undone, also by the process that resumes it. */
  readonly beginPlanRollback: (id: string, leaseId: string, stepKey: string) => void;
  /** Ends the run and gives the lease back. */
  readonly endPlanRun: (id: string, leaseId: string, at: EpochMs) => void;
  /** Gives the lease back. The run stays active and can be resumed. */
  readonly releasePlanRun: (id: string, leaseId: string) => void;
  /** The newest measured costs of completed steps with that action type, of all runs of an owner, in USD. */
  readonly planStepCosts: (owner: string, actionType: string, limit: number) => readonly number[];
  /** Archives runs that ended before then. Returns how many. */
  readonly archivePlanRuns: (before: EpochMs) => number;
  /**
   * Deletes archived runs that ended before then, and active ones that began before then and that nobody holds. At most `limit`;
   * returns how many.
   */
  readonly prunePlanRuns: (before: EpochMs, now: EpochMs, limit: number) => number;
}

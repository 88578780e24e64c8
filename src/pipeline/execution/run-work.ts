import { InvariantError, toError } from '../../core/model/errors.ts';
import { DEFAULT_TIMEOUT_SECONDS, type StructuredPlan, type StructuredStep } from '../../core/model/structured-plan.ts';
import type { ActionAdapter } from '../../ports/execution.ts';
import { executePlan } from './execute-plan.ts';
import { createExecutionToolRegistry } from './execution-tool-registry.ts';
import type { PlanExecution } from './plan-execution.ts';
import type { PlanJournal } from './plan-journal.ts';

/** A step of Ratchet's own work. */
export interface WorkStep {
  /** Unique in the work. */
  readonly id: string;
  readonly actionType: string;
  /** What people read. */
  readonly description?: string;
  /** Steps that must have completed. */
  readonly after: readonly string[];
  /** Returns what it cost in USD; undefined: nothing. What it throws ends the whole work. */
  readonly act: (signal: AbortSignal) => Promise<number | undefined>;
}

interface WorkExecution extends Pick<PlanExecution<Work>, 'clock' | 'maxConcurrent' | 'signal' | 'watch'> {
  /** Keeps how the steps end, for people. Nobody resumes such work: it is done again from the current state. */
  readonly openJournal?: (plan: StructuredPlan) => Promise<PlanJournal>;
}

type Work = ReadonlyMap<string, WorkStep>;

/** Each part of the work has limits of its own, which are shorter. */
const MAX_STEP_SECONDS = 24 * 60 * 60;
/** Work that is stopped ends its processes first. */
const MAX_STOP_MS = DEFAULT_TIMEOUT_SECONDS * 1000;
/** The most that a plan can say. What the parts of the work may cost is guarded by the ledger of the gateway. */
const NO_LIMIT_USD = 10_000;

/**
 * Runs Ratchet's own work as a plan: steps at the same time as far as they do not depend on each other. After a step that throws,
 * nothing more starts, what runs is stopped, and its error is thrown.
 * @throws the reason of `signal` once it has fired and no step is running, unless all of them have completed.
 */
export async function runWork(
  steps: readonly WorkStep[],
  { openJournal, signal, watch = () => {}, ...execution }: WorkExecution,
): Promise<void> {
  if (steps.length === 0) return;
  const broken = new AbortController();
  const errors: Error[] = [];
  const types = new Set(steps.map(({ actionType }) => actionType));
  const registry = createExecutionToolRegistry([...types].map((actionType) => toAdapter(actionType, errors)));
  const plan = { steps: steps.map(toStep), budget_usd: NO_LIMIT_USD };
  const journal = (await openJournal?.(plan)) ?? null;
  const { stats } = await executePlan(plan, {
    ...{ ...execution, registry, graceMs: MAX_STOP_MS },
    place: new Map(steps.map((step) => [step.id, step])),
    signal: AbortSignal.any([signal, broken.signal]),
    watch: (change) => {
      watch(change);
      const cause = change.kind === 'ended' && change.result.state === 'failed' ? change.result.cause : null;
      if (cause !== null)
        broken.abort(errors[0] ?? new InvariantError(`${change.key} did not complete: ${cause.message}`));
    },
    // Nothing of it is left to resume.
    journal: journal === null ? null : { ...journal, close: () => journal.close(true) },
  });
  // What was done is done, even if the signal has fired since.
  if (stats.completed === steps.length) return;
  signal.throwIfAborted();
  broken.signal.throwIfAborted();
}

function toAdapter(actionType: string, errors: Error[]): ActionAdapter<Work> {
  return {
    ...{ actionType, toolName: actionType, estimateUsd: 0 },
    prepareUndo: async () => null,
    act: async ({ step_id }, { place }, signal) => {
      try {
        const costUsd = (await place.get(String(step_id))?.act(signal)) ?? 0;
        return { kind: 'completed', output: '', costUsd };
      } catch (error) {
        errors.push(toError(error));
        throw error;
      }
    },
    undo: async () => ({ note: null }),
  };
}

function toStep({ id, actionType, description = '', after }: WorkStep): StructuredStep {
  return {
    ...{ step_id: id, action_type: actionType, description, depends_on: after, params: {}, when: null },
    ...{ rollback_on_fail: false, max_retries: 0, timeout_seconds: MAX_STEP_SECONDS, estimate_usd: 0 },
  };
}

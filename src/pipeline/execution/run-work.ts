import { InvariantError, toError } from '../../core/model/errors.ts';
import { DEFAULT_TIMEOUT_SECONDS, type StructuredStep } from '../../core/model/structured-plan.ts';
import type { ActionAdapter } from '../../ports/execution.ts';
import { executePlan } from './execute-plan.ts';
import { createExecutionToolRegistry } from './execution-tool-registry.ts';
import type { PlanExecution } from './plan-execution.ts';

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

type Work = ReadonlyMap<string, WorkStep>;

/** Each part of the work has limits of its own, which are shorter. */
const MAX_STEP_SECONDS = 24 * 60 * 60;
/** Work that is stopped ends its processes first. */
const MAX_STOP_MS = DEFAULT_TIMEOUT_SECONDS * 1000;
/** What the parts of the work may cost is up to whoever does them. */
const NO_LIMIT_USD = 1_000_000;

/**
 * Runs Ratchet's own work as a plan: steps at the same time as far as they do not depend on each other. After a step that throws,
 * nothing more starts, what runs is stopped, and its error is thrown. Nobody resumes such work: it is done again from the current state.
 * @throws the reason of `signal` once it has fired and no step is running.
 */
export async function runWork(
  steps: readonly WorkStep[],
  execution: Pick<PlanExecution<Work>, 'clock' | 'maxConcurrent' | 'signal' | 'watch'>,
): Promise<void> {
  if (steps.length === 0) return;
  const errors: Error[] = [];
  const types = new Set(steps.map(({ actionType }) => actionType));
  const registry = createExecutionToolRegistry([...types].map((actionType) => toAdapter(actionType, errors)));
  const plan = { steps: steps.map(toStep), budget_usd: NO_LIMIT_USD };
  const place: Work = new Map(steps.map((step) => [step.id, step]));
  const { results } = await executePlan(plan, { ...execution, registry, place, graceMs: MAX_STOP_MS });
  execution.signal.throwIfAborted();
  const [error] = errors;
  if (error !== undefined) throw error;
  for (const [id, { cause }] of results) {
    if (cause !== null) throw new InvariantError(`${id} did not complete: ${cause.message}`);
  }
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
    // Nothing is undone: it stops the rest.
    ...{ rollback_on_fail: true, max_retries: 0, timeout_seconds: MAX_STEP_SECONDS, estimate_usd: 0 },
  };
}

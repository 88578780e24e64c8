import { toReason } from '../../core/execution/apply-undo.ts';
import { toStepKey } from '../../core/execution/step-key.ts';
import { type EndedStep, toSkipped } from '../../core/execution/track-plan.ts';
import { InvariantError, toError } from '../../core/model/errors.ts';
import type { StepCause } from '../../core/model/plan-run.ts';
import type { StepId, StructuredStep } from '../../core/model/structured-plan.ts';
import type { PlanRun } from './open-plan-run.ts';
import type { RunStepEnd } from './run-step.ts';
import { createStepStarter, type StepStarter } from './start-step.ts';

/** The steps that are at work, and what became of the run. */
interface Loop {
  readonly run: Pick<PlanRun<unknown>, 'tracker' | 'recorder'> & {
    readonly execution: Pick<PlanRun<unknown>['execution'], 'journal' | 'maxConcurrent' | 'watch'>;
  };
  readonly starter: StepStarter;
  readonly running: Map<string, AbortController>;
  /** Wait for running steps to leave some of the budget. */
  readonly parked: StructuredStep[];
  nextParked: number;
  /** The step whose failure undoes the run. */
  failed: StepId | null;
  broken: Error | null;
  readonly done: () => void;
}

const STOPPED: StepCause = { code: 'CANCELLED', step: null, message: 'The run was stopped before its turn.' };

/**
 * Runs the steps of a plan until each has ended. Returns the step whose failure undoes the run; null: there is none.
 * @throws what the journal throws, once no step is running.
 */
export async function runSteps<Place>(run: PlanRun<Place>): Promise<StepId | null> {
  const { signal, journal } = run.execution;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const done = (): void => {
    resolve(undefined);
  };
  const loop: Loop = {
    ...{ run, done, starter: createStepStarter(run), running: new Map() },
    ...{ parked: [], nextParked: 0, failed: null, broken: null },
  };
  const cancel = (): void => {
    stop(loop, STOPPED);
  };
  const lose = (): void => {
    breakOff(loop, new InvariantError('the plan is run by another process now'));
  };
  signal.addEventListener('abort', cancel);
  journal?.lost.addEventListener('abort', lose);
  const { rollbackOf = null } = journal ?? {};
  if (rollbackOf !== null) undoOnly(loop, rollbackOf);
  if (signal.aborted) cancel();
  if (journal?.lost.aborted === true) lose();
  fill(loop);
  await promise;
  signal.removeEventListener('abort', cancel);
  journal?.lost.removeEventListener('abort', lose);
  if (loop.broken !== null) throw loop.broken;
  return loop.failed;
}

/** Starts as many steps as may run. */
function fill(loop: Loop): void {
  while (loop.running.size < loop.run.execution.maxConcurrent) {
    const step = takeAffordable(loop);
    if (step === null) break;
    void work(loop, step);
  }
  if (loop.running.size === 0) loop.done();
}

/** The next step that fits into the budget, with its estimate reserved. */
function takeAffordable(loop: Loop): StructuredStep | null {
  const { run, starter, parked } = loop;
  for (let step = run.tracker.takeNext(); step !== null; step = run.tracker.takeNext()) {
    if (starter.reserve(step)) return step;
    if (loop.running.size === 0) refuse(loop, step);
    else parked.push(step);
  }
  for (let step = parked[loop.nextParked]; step !== undefined; step = parked[loop.nextParked]) {
    const isReserved = starter.reserve(step);
    if (!isReserved && loop.running.size > 0) return null;
    loop.nextParked += 1;
    if (isReserved) return step;
    refuse(loop, step);
  }
  return null;
}

function refuse({ run, starter }: Loop, step: StructuredStep): void {
  tell(run, run.tracker.end(toStepKey(step.step_id), starter.toRefused(step)));
}

async function work(loop: Loop, step: StructuredStep): Promise<void> {
  const { starter, running } = loop;
  const key = toStepKey(step.step_id);
  const controller = new AbortController();
  running.set(key, controller);
  try {
    await settle(loop, step, await starter.start(step, controller.signal));
  } catch (error) {
    breakOff(loop, toError(error));
  }
  running.delete(key);
  fill(loop);
}

/** The run is undone: no step starts any more. */
function undoOnly(loop: Loop, failed: StepId): void {
  loop.failed = failed;
  stop(loop, { code: 'ROLLBACK', step: failed, message: toReason(failed) });
}

/** Stores how a step ended, and passes it on. */
async function settle(loop: Loop, step: StructuredStep, { result, measuredUsd }: RunStepEnd): Promise<void> {
  const { run } = loop;
  const { step_id, rollback_on_fail } = step;
  const key = toStepKey(step_id);
  const undoesRun = result.state === 'failed' && result.cause?.code !== 'CANCELLED' && rollback_on_fail;
  const isFirst = undoesRun && loop.failed === null;
  if (isFirst) {
    undoOnly(loop, step_id);
    await run.execution.journal?.beginRollback(key);
  }
  await run.recorder.save([{ key, result, measuredUsd }]);
  const [, ...skipped] = run.tracker.end(key, result);
  run.execution.watch({ kind: 'ended', key, result });
  tell(run, skipped);
}

/** Skips all steps that have not started, and stops those that run. */
function stop(loop: Loop, cause: StepCause): void {
  const { run, running, parked } = loop;
  // Otherwise ends of parked steps would make others ready.
  tell(run, run.tracker.skipRest(cause));
  for (const step of parked.slice(loop.nextParked)) {
    tell(run, run.tracker.end(toStepKey(step.step_id), toSkipped(cause)));
  }
  loop.nextParked = parked.length;
  for (const controller of running.values()) controller.abort();
}

function breakOff(loop: Loop, error: Error): void {
  loop.broken ??= error;
  stop(loop, STOPPED);
}

/** Tells of ends. They are stored with the next ones: a run that is resumed finds them again. */
function tell({ recorder, execution }: Loop['run'], ends: readonly EndedStep[]): void {
  recorder.later(ends);
  for (const { key, result } of ends) execution.watch({ kind: 'ended', key, result });
}

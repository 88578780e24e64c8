import { InvariantError, toError } from '../../core/model/errors.ts';
import type { PullRequestKey, RunId } from '../../core/model/ids.ts';
import { findInterruption, type Interruption } from '../../core/runs/interruption.ts';
import type { Deps, Lease } from '../deps.ts';

/**
 * A run as its lifecycle sees it, for example a fixup or an engine run. The kind defines the work and how it is stored; only
 * `runToEnd` decides when and how often these functions are called.
 */
export interface Run<End> {
  readonly id: RunId;
  readonly key: PullRequestKey;
  /** The wake-up row whose lease the run holds. */
  readonly leased: { readonly queue: string; readonly key: string };
  /** Time limit of the work in milliseconds, from its beginning. */
  readonly limitMs: number;
  /** Records that the work begins. False if it had already begun, in a process that has ended. */
  readonly begin: () => boolean;
  /** Returns the end, or null if it planned an effect (an open intent). Everything it starts ends with the signal. */
  readonly work: (signal: AbortSignal) => Promise<End | null>;
  /** The effect whose intent is open; null: there is none. */
  readonly planned: () => PlannedEffect<End> | null;
  /** The end of a run that was interrupted before it planned an effect. null: the run stays open, and the queue runs it again. */
  readonly toEnd: (interruption: Interruption) => End | null;
  /** Takes `begin` back for a run that stays open, so that the next run does not take it for crashed. */
  readonly postpone?: () => void;
  /** Stores the end and everything that follows from it in one transaction. False if it had already ended. */
  readonly end: (end: End) => boolean;
  /** Work after the end outside of the database. If it fails, the end remains stored. */
  readonly afterEnd: (end: End) => Promise<void>;
}

/**
 * Makes an effect or recognises that it was made, and returns the end of the run. Idempotent. `isResumed`: an earlier run planned
 * it and may have made it. Throws while it cannot determine whether the effect was made.
 */
export type PlannedEffect<End> = (isResumed: boolean, signal: AbortSignal) => Promise<End>;

/** Another process may hold the database for so long before a run fails for it. */
const MAX_WAIT_MS = 60_000;

type RunDeps = Pick<Deps, 'clock' | 'git' | 'log' | 'newDeadline' | 'running' | 'store'>;

/**
 * The lifecycle of a run: settle what an earlier run left, work within the time limit, make the planned effect, end exactly once,
 * clean up. A run that throws stays open, and the next run settles it.
 */
export async function runToEnd<End>(deps: RunDeps, run: Run<End>, lease: Lease): Promise<void> {
  const end = await reachEnd(deps, run, lease.signal);
  const isFirst = await deps.store.onceWritable(() => {
    assertLease(deps, run, lease);
    return run.end(end);
  }, MAX_WAIT_MS);
  try {
    if (isFirst) await run.afterEnd(end);
  } finally {
    await removeTraces(deps, run);
  }
}

/**
 * Before an effect is planned, any error becomes an end of the run. Afterwards an error is thrown, because the effect may have
 * been made; the folders stay, because the next attempt needs them.
 */
async function reachEnd<End>(deps: RunDeps, run: Run<End>, signal: AbortSignal): Promise<End> {
  const left = run.planned();
  if (left !== null) return left(true, signal);
  try {
    const end = run.begin() ? await waitForEnd(deps, run, signal) : run.toEnd({ kind: 'crashed' });
    if (end !== null) return end;
  } catch (error) {
    await removeTraces(deps, run);
    throw error;
  }
  const planned = run.planned();
  if (planned === null) throw new InvariantError(`run ${run.id} planned nothing and has no end`);
  return planned(false, signal);
}

/**
 * Runs the work with a deadline (002.R26, R28). Returns its end, or null if it planned an effect. The signal fires at the
 * deadline, when the run is asked to stop, and at shutdown; which one fired determines the end.
 */
async function waitForEnd<End>(deps: RunDeps, run: Run<End>, signal: AbortSignal): Promise<End | null> {
  const registered = deps.running.open(run.id);
  // The deadline starts here, so time in the queue does not count.
  const deadline = deps.newDeadline(run.limitMs);
  const ended = AbortSignal.any([signal, registered.signal, deadline]);
  try {
    const end = await run.work(ended);
    // A planned effect is kept even if the signal has fired.
    if (end !== null) ended.throwIfAborted();
    return end;
  } catch (error) {
    const fired = { isShutDown: signal.aborted, isOverdue: deadline.aborted };
    const interruption = findInterruption(registered.stoppedBy(), fired) ?? { kind: 'failed', error };
    deps.log.warn({ runId: run.id, key: run.key, why: interruption.kind, error: toError(error) }, 'run interrupted');
    const end = run.toEnd(interruption);
    if (end !== null) return end;
    run.postpone?.();
    throw error;
  } finally {
    registered.close();
  }
}

/** A run that lost its lease must not write anything: another one has taken over. */
function assertLease<End>({ store }: Pick<Deps, 'store'>, { id, leased }: Run<End>, { leaseId }: Lease): void {
  if (store.holdsLease(leased.queue, leased.key, leaseId)) return;
  throw new InvariantError(`run ${id} is run by another process now`);
}

/** Folders that cannot be removed are left for the sweep. */
async function removeTraces<End>({ git, log, store }: RunDeps, run: Run<End>): Promise<void> {
  try {
    const repositoryId = store.workspace(run.key)?.repository.repositoryId;
    if (repositoryId !== undefined) await git.removeSession(run.id, repositoryId);
  } catch (error) {
    log.warn({ runId: run.id, key: run.key, error: toError(error) }, 'workspace left for the sweep');
  }
}

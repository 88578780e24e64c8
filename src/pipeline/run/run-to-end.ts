import { InvariantError, toError } from '../../core/model/errors.ts';
import type { PullRequestKey, RunId } from '../../core/model/ids.ts';
import { findInterruption, type Interruption } from '../../core/runs/interruption.ts';
import type { Deps, Lease } from '../deps.ts';

/**
 * One run of any kind, as its lifecycle sees it: a fixup, the engines over a head, and what comes next. The kind says what its work
 * is and how it is stored; when and how often each of these is called is the business of `runToEnd` alone.
 */
export interface Run<End> {
  readonly id: RunId;
  readonly key: PullRequestKey;
  /** The row whose lease the run is made under. */
  readonly leased: { readonly queue: string; readonly key: string };
  /** Time that the work has, in milliseconds, counted from its beginning. */
  readonly limitMs: number;
  /** Stores that the work begins; false where it had begun before, so that a process that ended left it behind. */
  readonly begin: () => boolean;
  /** Its end; null where an effect is planned instead, by an open intent. All that it starts ends with the signal. */
  readonly work: (signal: AbortSignal) => Promise<End | null>;
  /** An effect whose intent is open; null: there is none. */
  readonly planned: () => PlannedEffect<End> | null;
  /** The end of a run that was interrupted before anything was planned; null: it stays open, and the queue brings it back. */
  readonly toEnd: (interruption: Interruption) => End | null;
  /** Stores the end with all that follows from it, in one transaction; false where it had ended before. */
  readonly end: (end: End) => boolean;
  /** What follows the end outside of the database. It may fail: the end stands. */
  readonly afterEnd: (end: End) => Promise<void>;
}

/**
 * Makes an effect, or recognises that it was made, and says how the run ended. Idempotent. `isResumed`: an earlier run planned it,
 * and may have made it. Throws while the world does not tell.
 */
export type PlannedEffect<End> = (isResumed: boolean, signal: AbortSignal) => Promise<End>;

type RunDeps = Pick<Deps, 'clock' | 'git' | 'log' | 'newDeadline' | 'running' | 'store'>;

/**
 * The life of a run: take it up where it stands, work within its limit, make what is planned, end exactly once, clean up. A run that
 * throws stays open, and whoever takes it up next settles what this one left.
 */
export async function runToEnd<End>(deps: RunDeps, run: Run<End>, lease: Lease): Promise<void> {
  const end = await reachEnd(deps, run, lease.signal);
  assertLease(deps, run, lease);
  const isFirst = run.end(end);
  try {
    if (isFirst) await run.afterEnd(end);
  } finally {
    await removeTraces(deps, run);
  }
}

/**
 * Before an effect is planned everything may be given up, and what went wrong becomes an end. After it only the world knows whether
 * it was made: an error there is thrown, and the traces stay, for the next try needs them.
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
 * The end of the work, which has a deadline (002.R26, R28); null where an effect is planned. The signal of the work fires at the
 * deadline, when the run is asked to end early, and when the process stops; what fired says how the run ended.
 */
async function waitForEnd<End>(deps: RunDeps, run: Run<End>, signal: AbortSignal): Promise<End | null> {
  const registered = deps.running.open(run.id);
  // From now on: the time in the queue is not the run's.
  const deadline = deps.newDeadline(run.limitMs);
  const ended = AbortSignal.any([signal, registered.signal, deadline]);
  try {
    const end = await run.work(ended);
    // What is planned stays planned.
    if (end !== null) ended.throwIfAborted();
    return end;
  } catch (error) {
    const fired = { isShutDown: signal.aborted, isOverdue: deadline.aborted };
    const interruption = findInterruption(registered.stoppedBy(), fired) ?? { kind: 'failed', error };
    deps.log.warn({ runId: run.id, key: run.key, why: interruption.kind, error: toError(error) }, 'run interrupted');
    const end = run.toEnd(interruption);
    if (end === null) throw error;
    return end;
  } finally {
    registered.close();
  }
}

/** A run that lost its lease is a zombie: another one has taken over, and nothing that this one knows may be written. */
function assertLease<End>({ store }: Pick<Deps, 'store'>, { id, leased }: Run<End>, { leaseId }: Lease): void {
  if (store.holdsLease(leased.queue, leased.key, leaseId)) return;
  throw new InvariantError(`run ${id} is run by another process now`);
}

/** What cannot be removed is left for the sweep. */
async function removeTraces<End>({ git, log, store }: RunDeps, run: Run<End>): Promise<void> {
  try {
    const repositoryId = store.workspace(run.key)?.repository.repositoryId;
    if (repositoryId !== undefined) await git.removeSession(run.id, repositoryId);
  } catch (error) {
    log.warn({ runId: run.id, key: run.key, error: toError(error) }, 'workspace left for the sweep');
  }
}

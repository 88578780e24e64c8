import { parseSha, type RunId, type Sha } from '../../core/model/ids.ts';
import type { TaskFinding } from '../../core/model/task.ts';
import type { Collection, TaskRunSummary } from '../../core/model/task-record.ts';
import type { Store } from '../../ports/store.ts';
import type { TaskRunGround } from './task-run.ts';

/** Where a run stands. The store has all of it, so another process can go on. */
export interface RunState {
  /** The commit with every change that was integrated. */
  head: Sha;
  /** The collections so far, in their order, each with its findings. */
  readonly collected: { readonly collection: Omit<Collection, 'at'>; readonly findings: readonly TaskFinding[] }[];
  /** The commit of the last collection; null: there is none, or it is not known. */
  collectedHead: Sha | null;
  succeededSince: number;
  lastCheckpointAt: number;
  /** How many engines ran in the last collection of this process; null: it made none. */
  ran: number | null;
  /** Why no further attempt is started; null: nothing stops the run. */
  stopped: string | null;
}

const EVENTS_AT_ONCE = 500;

/** Reads where an earlier process left the run; for a new run, its beginning. */
export function restoreState(
  { store, clock }: { readonly store: Store; readonly clock: { readonly now: () => number } },
  { runId, baseSha }: Pick<TaskRunGround, 'runId' | 'baseSha'>,
): RunState {
  const summary = store.taskRunSummary(runId);
  const collections = summary?.collections ?? [];
  return {
    head: summary === null ? baseSha : (findHead(store, runId, summary) ?? baseSha),
    collected: collections.map((collection) => ({ collection, findings: store.findingsOf(runId, collection.no) })),
    collectedHead: null,
    succeededSince: 0,
    lastCheckpointAt: clock.now(),
    ran: null,
    stopped: null,
  };
}

/** The last change that was integrated: integrations are stored in their order. */
function findHead(store: Pick<Store, 'eventsAfter'>, runId: RunId, { tasks }: TaskRunSummary): Sha | null {
  const commits = new Map<number, string>();
  for (const { task, attempts } of tasks) {
    const last = task.status === 'succeeded' ? attempts.findLast(({ status }) => status === 'succeeded') : undefined;
    if (last !== undefined && last.changeRef !== null) commits.set(last.id, last.changeRef);
  }
  let head: string | null = null;
  let seq = 0;
  for (;;) {
    const events = store.eventsAfter(runId, seq, EVENTS_AT_ONCE);
    for (const { type, attemptId } of events) {
      if (type === 'attempt_finished' && attemptId !== null) head = commits.get(attemptId) ?? head;
    }
    const last = events.at(-1);
    if (last === undefined) return head === null ? null : parseSha(head);
    seq = last.seq;
  }
}

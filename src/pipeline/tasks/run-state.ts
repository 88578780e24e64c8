import { type EpochMs, parseSha, type RunId, type Sha } from '../../core/model/ids.ts';
import type { TaskRunSummary } from '../../core/model/task-record.ts';
import type { Checkpoint } from '../../core/tasks/judge-progress.ts';
import type { TasksPlan } from '../../core/tasks/plan-tasks.ts';
import type { Store } from '../../ports/store.ts';
import type { Collected } from './collect-findings.ts';
import type { TaskRunGround } from './task-run.ts';

/** Where a run stands. The store has all that another process needs to go on. */
export interface RunState {
  /** The commit with every change that was integrated. */
  head: Sha;
  /** How many collections the store has. */
  collections: number;
  /** Whether the last one was the final one. */
  isFinal: boolean;
  /** What this process collected last, and of which commit; null: nothing yet. */
  last: { readonly collected: Collected; readonly head: Sha } | null;
  /** The collections of this process, oldest first. */
  readonly checkpoints: Checkpoint[];
  succeededSince: number;
  collectedAt: EpochMs;
  /** Lines that this process has integrated, inserted and deleted. */
  changedLines: number;
  /** Findings that no task is about, with the reason. */
  unplanned: TasksPlan['unplanned'];
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
    ...{ collections: collections.length, isFinal: collections.at(-1)?.stage === 'final' },
    ...{ last: null, checkpoints: [], succeededSince: 0, collectedAt: clock.now(), changedLines: 0 },
    ...{ unplanned: [], stopped: null },
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

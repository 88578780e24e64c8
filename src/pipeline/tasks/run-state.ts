import { type EpochMs, parseSha, type RunId, type Sha } from '../../core/model/ids.ts';
import type { RunEvent, TaskRunSummary } from '../../core/model/task-record.ts';
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
  /** Whether people were told so. */
  isStopTold: boolean;
  /** The engines that ran at the beginning, as `toEngineKey` names them. */
  expected: readonly string[];
}

const EVENTS_AT_ONCE = 500;

/** Reads where an earlier process left the run; for a new run, its beginning. */
export function restoreState(
  { store, clock }: { readonly store: Store; readonly clock: { readonly now: () => number } },
  { runId, baseSha }: Pick<TaskRunGround, 'runId' | 'baseSha'>,
): RunState {
  const summary = store.taskRunSummary(runId);
  const collections = summary?.collections ?? [];
  const isFinal = collections.at(-1)?.stage === 'final';
  const past = summary === null ? NO_PAST : readPast(store, runId, summary);
  return {
    head: past.head ?? baseSha,
    ...{ collections: collections.length, isFinal },
    ...{ last: null, checkpoints: [], succeededSince: 0, collectedAt: clock.now(), changedLines: 0 },
    ...{ unplanned: [], stopped: isFinal ? past.stopped : null, isStopTold: false, expected: past.expected },
  };
}

/** What a run notes for whoever resumes it. */
export const RUN_NOTES = { engines: 'engines', stopped: 'stopped' } as const;

interface Past extends Pick<RunState, 'stopped' | 'expected'> {
  /** The last change that was integrated; null: none was. */
  readonly head: Sha | null;
}

const NO_PAST: Past = { head: null, stopped: null, expected: [] };

/**
 * Reads the events of the run. Integrations are stored in their order, and each succeeded task follows its attempt; one whose findings
 * came back later was integrated all the same.
 */
function readPast(store: Pick<Store, 'eventsAfter'>, runId: RunId, { tasks }: TaskRunSummary): Past {
  const commits = new Map(tasks.flatMap(({ attempts }) => attempts.map(({ id, changeRef }) => [id, changeRef])));
  const finished = new Map<number, string | null>();
  let past = NO_PAST;
  let seq = 0;
  for (;;) {
    const events = store.eventsAfter(runId, seq, EVENTS_AT_ONCE);
    for (const { type, taskId, attemptId, payload } of events) {
      if (type === 'note') past = readNote(past, payload);
      if (taskId === null) continue;
      if (type === 'attempt_finished' && attemptId !== null) finished.set(taskId, commits.get(attemptId) ?? null);
      const commit = type === 'task_succeeded' ? finished.get(taskId) : null;
      if (typeof commit === 'string') past = { ...past, head: parseSha(commit) };
    }
    const last = events.at(-1);
    if (last === undefined) return past;
    seq = last.seq;
  }
}

function readNote(past: Past, payload: RunEvent['payload']): Past {
  const { [RUN_NOTES.engines]: engines, [RUN_NOTES.stopped]: stopped } = payload;
  if (Array.isArray(engines)) return { ...past, expected: engines.map(String) };
  return typeof stopped === 'string' ? { ...past, stopped } : past;
}

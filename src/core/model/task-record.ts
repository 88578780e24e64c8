import type { EpochMs, PullRequestKey, RunId, SessionId, Sha } from './ids.ts';
import type { Attempt, Task, TaskRun, TaskStatus } from './task.ts';

/** When the findings of a commit are collected. `checkpoint`: with the changes of some tasks. */
export const COLLECT_STAGES = ['baseline', 'checkpoint', 'final'] as const;
export type CollectStage = (typeof COLLECT_STAGES)[number];

/** The findings of a run at one time. */
export interface Collection {
  /** From 1, in the order of time. */
  readonly no: number;
  readonly stage: CollectStage;
  readonly at: EpochMs;
  /** Tools that did not end as they should. What they would have found is not known, which is not the same as nothing. */
  readonly incomplete: readonly string[];
  /** How many findings there are. */
  readonly findings: number;
}

/** What a run is begun with. */
export interface NewTaskRun extends Pick<TaskRun, 'id' | 'repoPath' | 'commit' | 'startedAt'> {
  /** null: it works on a local repository. */
  readonly workspaceKey: PullRequestKey | null;
  readonly sessionId: SessionId | null;
  /** What the commit is compared with. Another base gives blocked tasks another chance. */
  readonly baseSha: Sha;
  /** Tasks that earlier runs left blocked stay blocked, unless the run began before this time: a person asked for a fresh start. */
  readonly historySince: EpochMs;
  /** Its settings (001.R52). They do not change after the start. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** What is to be said of a run that has ended. */
export interface TaskRunResult {
  /** The branch with its result; null: there is none. */
  readonly branch: string | null;
  /** Why it ended, for people. */
  readonly reason: string;
}

export interface StoredTaskRun extends TaskRun, NewTaskRun {
  /** null: it has not ended. */
  readonly result: TaskRunResult | null;
}

/** Kinds of artifacts: those of document 001, and pictures (resolution S33). */
export const ARTIFACT_KINDS = ['report', 'log', 'diff', 'prompt', 'stdout', 'stderr', 'json', 'image'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** A file that a run produced. */
export interface Artifact {
  readonly id: number;
  /** Id of the engine; null: of no tool. */
  readonly tool: string | null;
  readonly kind: ArtifactKind;
  /** Relative to the folder of the run. */
  readonly path: string;
  /** Of the file as it was written: 64 hexadecimal digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly createdAt: EpochMs;
  readonly meta: Readonly<Record<string, unknown>>;
}

export const EVENT_LEVELS = ['info', 'warn', 'error'] as const;

/** What happens in a run. A change of state is recorded with the change itself; a `note` is what is to be known besides. */
export const RUN_EVENT_TYPES = [
  'run_started',
  'run_finished',
  'baseline',
  'checkpoint',
  'final',
  'task_queued',
  'task_running',
  'task_succeeded',
  'task_blocked',
  'task_abandoned',
  'attempt_started',
  'attempt_finished',
  'artifact_added',
  /** An entry of the transition log about the pull request of the run. */
  'transition',
  'note',
] as const;
export type RunEventType = (typeof RUN_EVENT_TYPES)[number];

/** One event of a run (001.R8). */
export interface RunEvent {
  /** Ascending within a run. */
  readonly seq: number;
  readonly at: EpochMs;
  readonly runId: RunId;
  readonly level: (typeof EVENT_LEVELS)[number];
  readonly type: RunEventType;
  readonly taskId: number | null;
  readonly attemptId: number | null;
  readonly tool: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An attempt with its name in the store. */
export interface StoredAttempt extends Attempt {
  readonly id: number;
  /** Paths of its artifacts, relative to the folder of the run. */
  readonly artifacts: readonly string[];
}

/** What became of a run, as it is stored. */
export interface TaskRunSummary {
  readonly run: StoredTaskRun;
  readonly collections: readonly Collection[];
  /** In the order of their creation, each with its attempts in their order. */
  readonly tasks: readonly { readonly task: Task; readonly attempts: readonly StoredAttempt[] }[];
  /** How many tasks stand how. */
  readonly counts: Readonly<Record<TaskStatus, number>>;
  /** Of all attempts. */
  readonly costUsd: number;
}

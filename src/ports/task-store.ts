import type { EpochMs, PullRequestKey, RunId } from '../core/model/ids.ts';
import type {
  Attempt,
  PlannedTask,
  Task,
  TaskCause,
  TaskFinding,
  TaskRunStatus,
  TaskStatus,
} from '../core/model/task.ts';
import type {
  Artifact,
  Collection,
  NewTaskRun,
  RunEvent,
  StoredAttempt,
  StoredTaskRun,
  TaskRunResult,
  TaskRunSummary,
} from '../core/model/task-record.ts';

/** A worker's right to one task. It is lost at `until`, unless it is renewed. */
export interface TaskClaim {
  readonly taskId: number;
  /** Unique for all time: a worker that comes back after a crash has another name. */
  readonly workerId: string;
}

/** What a task becomes. A cause belongs to `blocked` and `abandoned`; it is null for the other ones. */
export interface TaskStanding {
  readonly status: Exclude<TaskStatus, 'running'>;
  readonly cause: TaskCause | null;
  /** For people. May be untrusted. */
  readonly causeDetail: string;
}

/** How an attempt ended. */
export type AttemptEnd = Omit<Attempt, 'taskId' | 'attemptNo' | 'status' | 'startedAt' | 'finishedAt' | 'agentName'> & {
  readonly status: 'succeeded' | 'failed';
  readonly at: EpochMs;
  /** Paths of its artifacts, relative to the folder of the run. */
  readonly artifacts: readonly string[];
};

/** An event that is no change of state. */
export type RunNote = Pick<RunEvent, 'runId' | 'at' | 'level' | 'payload'> &
  Partial<Pick<RunEvent, 'taskId' | 'attemptId' | 'tool'>>;

/**
 * Runs, findings, tasks, attempts and artifacts (document 001). Every change of state stores its event in the same transaction, so
 * neither can be without the other. Where another process may write, call it by `onceWritable`.
 */
export interface TaskStore {
  readonly createTaskRun: (run: NewTaskRun) => void;
  readonly taskRun: (id: RunId) => StoredTaskRun | null;
  /** Runs that have not ended, oldest first. `owner`: a path of a repository, or a pull request. */
  readonly runningTaskRuns: (owner: string | PullRequestKey) => readonly StoredTaskRun[];
  /**
   * Ends a run once, and abandons what is left of its tasks (`RUN_ENDED`). Attempts that still run have failed (`INTERRUPTED`). False, and
   * no change, if it had ended.
   */
  readonly endTaskRun: (
    id: RunId,
    end: { readonly status: Exclude<TaskRunStatus, 'running'>; readonly result: TaskRunResult; readonly at: EpochMs },
  ) => boolean;

  /** Stores what was found. A collection is never changed. */
  readonly addCollection: (
    runId: RunId,
    collection: Omit<Collection, 'no' | 'findings'>,
    findings: readonly TaskFinding[],
  ) => void;
  /** The findings of a collection, in the order in which they were given. Empty if there is no such collection. */
  readonly findingsOf: (runId: RunId, collection: number) => readonly TaskFinding[];

  /**
   * Stores the tasks of a plan. One whose fingerprint the run has already is left as it stands, whatever became of it. One that an
   * earlier run on the same repository or pull request left blocked, with the same base, begins blocked; so does one that depends on a
   * blocked or abandoned task. Returns how many are new. @throws InvariantError if one depends on a task that does not exist.
   */
  readonly insertTasks: (runId: RunId, tasks: readonly PlannedTask[], at: EpochMs) => number;
  readonly tasks: (runId: RunId) => readonly Task[];
  /**
   * Claims the next task: queued, with all that it depends on succeeded or gone (`GONE`); the highest priority first, then the oldest.
   * null: there is none at the moment. Expired claims are recovered first.
   */
  readonly claimNextTask: (
    runId: RunId,
    claim: { readonly workerId: string; readonly now: EpochMs; readonly until: EpochMs },
  ) => Task | null;
  /** False: the claim is lost, and the work must stop. */
  readonly renewTaskClaim: (claim: TaskClaim, until: EpochMs) => boolean;
  /**
   * Claims that ended without being given back: the attempt has failed (`LEASE_EXPIRED`), and the task is queued again, unless that
   * happened too often (`settleAttempt`). `all`: also those that have time left; the caller knows that nobody has them. Returns how many
   * there were.
   */
  readonly recoverTaskClaims: (runId: RunId, now: EpochMs, which?: 'expired' | 'all') => number;
  /**
   * Changes how a task stands that nobody works on. What depends on a task that becomes blocked or abandoned becomes blocked, unless the
   * findings of that one are gone (`GONE`): then there is nothing left to wait for.
   * False, and no change, if a worker has it, or it does not exist.
   */
  readonly updateTaskStatus: (taskId: number, standing: TaskStanding, at: EpochMs) => boolean;

  /** Begins an attempt on a claimed task. @throws InvariantError if the claim is lost. */
  readonly createAttempt: (
    claim: TaskClaim,
    attempt: Pick<Attempt, 'agentName' | 'startedAt'>,
  ) => Pick<StoredAttempt, 'id' | 'attemptNo'>;
  /**
   * Ends an attempt and gives its task back, as one. What depends on the task: as in `updateTaskStatus`.
   * @throws InvariantError if the claim is lost: another worker has the task, and what this one did must not count.
   */
  readonly finishAttempt: (claim: TaskClaim, attemptId: number, end: AttemptEnd, standing: TaskStanding) => void;
  /** In the order of their start. */
  readonly attempts: (taskId: number) => readonly StoredAttempt[];

  /** Returns its id. It replaces one of the same path. */
  readonly addArtifact: (runId: RunId, artifact: Omit<Artifact, 'id'>) => number;
  /** Oldest first. */
  readonly artifacts: (runId: RunId) => readonly Artifact[];

  /** Records an event that is no change of state. */
  readonly noteEvent: (note: RunNote) => void;
  /** Events with a higher number, in their order, at most `limit`. */
  readonly eventsAfter: (runId: RunId, seq: number, limit: number) => readonly RunEvent[];

  /** null: there is no such run. */
  readonly taskRunSummary: (id: RunId) => TaskRunSummary | null;
}

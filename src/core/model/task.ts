import type { CommandSpec, SuccessCriteria, TASK_TYPES } from './agent-contract.ts';
import type { FindingKind, Severity } from './finding.ts';
import type { EpochMs, RunId, Sha } from './ids.ts';
import type { AgentUse } from './model-use.ts';
import { type DiffStat, REJECT_CODES } from './session.ts';

/** How a task run stands (001.R44). `aborted`: it was stopped, or its process died, before it came to its own end. */
export const TASK_RUN_STATUSES = ['running', 'succeeded', 'failed', 'aborted'] as const;
export type TaskRunStatus = (typeof TASK_RUN_STATUSES)[number];

/** One work on the findings of one commit (the run of document 001). Another commit needs another one (001.R57). */
export interface TaskRun {
  readonly id: RunId;
  readonly repoPath: string;
  readonly commit: Sha;
  readonly status: TaskRunStatus;
  readonly startedAt: EpochMs;
  /** null: it has not ended. */
  readonly finishedAt: EpochMs | null;
}

/** A finding that may lead to a task (001.R5). Texts are untrusted. */
export interface TaskFinding {
  /** Id of the engine. */
  readonly tool: string;
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** 64 hexadecimal digits; equal for the same problem in another run. */
  readonly fingerprint: string;
  readonly message: string;
  /** Relative to the root, with `/`; null: it is not in a file of the repository. */
  readonly filePath: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  /** The tool's name of the rule or error code. */
  readonly symbol: string | null;
  readonly testId: string | null;
  /** The artifact with the raw output; null: it was not kept. */
  readonly rawRef: string | null;
  readonly meta: FindingMeta;
}

/** What planning needs to know of a finding beyond the columns of document 001. */
export interface FindingMeta {
  /** Folder of the project whose run reported it; `.` is the root. */
  readonly project: string;
  /** Equal for findings that have one cause, in whatever file; null: nothing says so. */
  readonly signature: string | null;
  /** Covered percentage of the file, for a coverage gap; else null. */
  readonly percent: number | null;
}

/** How a task stands (001.R6). A quarantined test is a task of its own: `quarantine`. */
export const TASK_STATUSES = ['queued', 'running', 'succeeded', 'blocked', 'abandoned'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Why a task is `blocked` or `abandoned`. */
export const TASK_CAUSES = [
  /** blocked: all attempts that its retry policy allows have failed. */
  'RETRY_CAP',
  /** blocked: the agent said that it cannot be done, and why. */
  'AGENT_BLOCKED',
  /** blocked: its change is kept and waits for a person (resolution S28). */
  'HELD',
  /** blocked: a task that it depends on is blocked or abandoned. */
  'DEPENDENCY',
  /** abandoned: the head moved, or the pull request was closed. */
  'SUPERSEDED',
  /** abandoned: its findings were gone before it was tried. */
  'GONE',
  /** abandoned: the run ended first, by its time limit, its budget, or because nothing got better. */
  'RUN_ENDED',
] as const;
export type TaskCause = (typeof TASK_CAUSES)[number];

export interface TaskTargets {
  /** Paths relative to the root, sorted. */
  readonly files: readonly string[];
  /** Ids of tests, sorted. */
  readonly testIds: readonly string[];
  /** Source files whose coverage must grow, sorted. */
  readonly modules: readonly string[];
}

/** An engine whose findings judge a validation, beside the exit codes of its commands. */
export interface EngineCheck {
  readonly engine: string;
  readonly project: string;
  /** What it looks at: paths relative to the root. */
  readonly paths: readonly string[];
}

/** How a task is validated (001.R18). */
export interface ValidationSpec {
  /** In order. A `cwd` is relative to the root of the workspace; `.` is the root. */
  readonly commands: readonly CommandSpec[];
  /** null: the commands alone decide. */
  readonly check: EngineCheck | null;
  readonly successCriteria: SuccessCriteria;
}

/** How often a task is tried again. */
export interface RetryPolicy {
  /** Attempts after the first one (resolution C16). */
  readonly maxRetries: number;
}

/** What makes the change of a task: an agent, or the tool's own fixer without an agent. */
export const TASK_WORKERS = ['agent', 'fixer'] as const;
export type TaskWorker = (typeof TASK_WORKERS)[number];

/** A task as planning makes it. */
export interface PlannedTask {
  /** 64 hexadecimal digits, from its findings; unique in a run. */
  readonly fingerprint: string;
  /** Id of the engine, or `ci`. */
  readonly tool: string;
  readonly taskType: (typeof TASK_TYPES)[number];
  readonly worker: TaskWorker;
  /** The highest is claimed first. */
  readonly priority: number;
  /** Short, one line. Has paths and names of the repository: untrusted. */
  readonly title: string;
  /** Long. Untrusted. */
  readonly description: string;
  readonly targets: TaskTargets;
  readonly validation: ValidationSpec;
  readonly retryPolicy: RetryPolicy;
  /** Fingerprints of the tasks of the run that must succeed first, sorted. */
  readonly dependsOn: readonly string[];
  /** Fingerprints of its findings, sorted. */
  readonly findings: readonly string[];
}

/** A task of a run. */
export interface Task extends PlannedTask {
  readonly id: number;
  readonly runId: RunId;
  readonly status: TaskStatus;
  /** null: neither blocked nor abandoned. */
  readonly cause: TaskCause | null;
  /** What there is to say about the cause, for people. Untrusted. */
  readonly causeDetail: string;
}

export const ATTEMPT_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** Why an attempt failed: as the change of a fixup, or for a reason that only attempts have. */
export const ATTEMPT_CAUSES = [
  ...REJECT_CODES,
  /** The validation succeeded, but its result does not meet the criteria of success. */
  'CRITERIA_NOT_MET',
  /** Its process died: the lease ran out. */
  'LEASE_EXPIRED',
  /** The run ended while it worked. */
  'INTERRUPTED',
] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/** One work on a task: the agent's, or the fixer's, and the validation (001.R7, R58). */
export interface Attempt {
  readonly taskId: number;
  /** From 1. */
  readonly attemptNo: number;
  readonly status: AttemptStatus;
  /** null: it has not failed. */
  readonly cause: AttemptCause | null;
  /** For people and for the next attempt. Untrusted, cut. */
  readonly detail: string;
  /** null: no agent worked (a fixer did). */
  readonly agentName: string | null;
  readonly agentExitCode: number | null;
  readonly validationExitCode: number | null;
  readonly startedAt: EpochMs;
  readonly finishedAt: EpochMs | null;
  /** The agent's summary: untrusted. */
  readonly summary: string;
  readonly diffStat: DiffStat | null;
  /** The commit with its change in the control repository; null: none was kept. */
  readonly changeRef: string | null;
  /** What it used of a model; null: nothing. */
  readonly use: AgentUse | null;
}

import { z } from 'zod';
import { type CommandSpec, RUNNERS, type SuccessCriteria } from '../../core/model/agent-contract.ts';
import type { AgentUse } from '../../core/model/model-use.ts';
import {
  ATTEMPT_CAUSES,
  type Attempt,
  type EngineCheck,
  type FindingMeta,
  type RetryPolicy,
  type TaskTargets,
  type ValidationSpec,
} from '../../core/model/task.ts';
import { COLLECT_STAGES, type Collection, type TaskRunResult } from '../../core/model/task-record.ts';
import { StoredAgentUse } from './json-columns.ts';

const Strings: z.ZodType<readonly string[]> = z.array(z.string());

/** Stored form of `Task.dependsOn` and of the artifacts of an attempt. */
export const StoredStrings = Strings;

/** Stored form of a JSON object whose content is not of ours. */
export const StoredRecord: z.ZodType<Readonly<Record<string, unknown>>> = z.record(z.string(), z.unknown());

/** Stored form of the collections of a run. The number of findings is counted. */
export const StoredCollections: z.ZodType<readonly Omit<Collection, 'no' | 'findings'>[]> = z.array(
  z.strictObject({ stage: z.enum(COLLECT_STAGES), at: z.number(), incomplete: Strings }),
);

/** Stored form of what is said of a run that has ended. */
export const StoredResult: z.ZodType<TaskRunResult> = z.strictObject({
  branch: z.string().nullable(),
  reason: z.string(),
});

/** Stored form of `TaskFinding.meta`. */
export const StoredFindingMeta: z.ZodType<FindingMeta> = z.strictObject({
  project: z.string(),
  signature: z.string().nullable(),
  percent: z.number().nullable(),
});

/** Stored form of `Task.targets`. */
export const StoredTargets: z.ZodType<TaskTargets> = z.strictObject({
  files: Strings,
  testIds: Strings,
  modules: Strings,
});

const StoredCommand: z.ZodType<CommandSpec> = z.strictObject({
  runner: z.enum(RUNNERS),
  args: Strings,
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  timeout_seconds: z.number(),
});

const StoredCheck: z.ZodType<EngineCheck> = z.strictObject({ engine: z.string(), project: z.string(), paths: Strings });

const StoredCriteria: z.ZodType<SuccessCriteria> = z.strictObject({
  require_exit_code_0: z.boolean(),
  max_new_findings: z.number().nullable(),
  min_coverage_delta: z.number().nullable(),
});

/** Stored form of `Task.validation`. */
export const StoredValidation: z.ZodType<ValidationSpec> = z.strictObject({
  commands: z.array(StoredCommand),
  check: StoredCheck.nullable(),
  successCriteria: StoredCriteria,
});

/** Stored form of `Task.retryPolicy`. */
export const StoredRetryPolicy: z.ZodType<RetryPolicy> = z.strictObject({ maxRetries: z.number() });

/** What `attempts.summary_json` holds. */
export type AttemptNotes = Pick<Attempt, 'cause' | 'detail' | 'summary' | 'changeRef'> & {
  readonly use: AgentUse | null;
};

/** Stored form of what there is to say about an attempt. */
export const StoredNotes: z.ZodType<AttemptNotes> = z.strictObject({
  cause: z.enum(ATTEMPT_CAUSES).nullable(),
  detail: z.string(),
  summary: z.string(),
  changeRef: z.string().nullable(),
  use: StoredAgentUse.nullable(),
});

import type { AgentRequest } from '../model/agent-contract.ts';
import type { RunId, SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { Task } from '../model/task.ts';
import type { ValidationPlan } from '../validation/plan-validation.ts';
import { type FixupTool, toReadOnlyPaths, toTaskId } from './task-limits.ts';

/** Input of every request. */
interface RequestInput {
  readonly prompt: string;
  /** Evidence files inside the sandbox. */
  readonly evidence: readonly string[];
  /** Files inside the sandbox about the attempt before. */
  readonly previousEvidence: readonly string[];
  readonly policy: Policy;
  /** Path of the workspace inside the sandbox. */
  readonly workspacePath: string;
}

/** Input of the request for one fixup. */
export interface AgentRequestInput extends RequestInput {
  readonly sessionId: SessionId;
  readonly tool: FixupTool;
  /** Files that the task is about; empty if the agent has to find out. */
  readonly targetFiles: readonly string[];
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
}

/** Input of the request for one task of a run. */
export interface TaskRequestInput extends RequestInput {
  readonly runId: RunId;
  readonly task: Pick<Task, 'id' | 'taskType' | 'tool' | 'targets' | 'validation'>;
}

/** The request for one fixup (001 section 5.1). The prompt repeats all of it that an agent has to know. */
export function toAgentRequest(fixup: AgentRequestInput): AgentRequest {
  const { sessionId, tool, targetFiles, policy, validation, workspacePath } = fixup;
  return toRequest(fixup, {
    run_id: sessionId,
    task_id: toTaskId(sessionId, tool),
    task_type: 'fix',
    tool,
    targets: { files: targetFiles, test_ids: [], modules: [] },
    validation: {
      commands: validation.commands.map((command) => ({
        runner: 'generic',
        args: ['/bin/sh', '-c', command],
        env: {},
        cwd: workspacePath,
        timeout_seconds: Math.ceil(policy.validateTimeoutMinutes * 60),
      })),
      success_criteria: { require_exit_code_0: true, max_new_findings: null, min_coverage_delta: null },
    },
  });
}

/** The request for one task of a run (001 section 5.1). */
export function toTaskRequest(input: TaskRequestInput): AgentRequest {
  const { runId, task, workspacePath } = input;
  const { targets, validation } = task;
  return toRequest(input, {
    run_id: runId,
    task_id: toTaskId(runId, `t${task.id}`),
    task_type: task.taskType,
    tool: task.tool,
    targets: { files: targets.files, test_ids: targets.testIds, modules: targets.modules },
    validation: {
      commands: validation.commands.map((command) => ({
        ...command,
        cwd: command.cwd === '.' ? workspacePath : `${workspacePath}/${command.cwd}`,
      })),
      success_criteria: validation.successCriteria,
    },
  });
}

type OwnPart = Pick<AgentRequest, 'run_id' | 'task_id' | 'task_type' | 'tool' | 'targets' | 'validation'>;

function toRequest(
  { policy, prompt, evidence, previousEvidence, workspacePath }: RequestInput,
  own: OwnPart,
): AgentRequest {
  const { run_id, task_id, task_type, tool, targets, validation } = own;
  return {
    schema_version: 1,
    ...{ run_id, task_id, task_type, tool },
    repo_path: workspacePath,
    workspace_path: workspacePath,
    allowed_paths: policy.changes.allowedPaths ?? ['**'],
    read_only_paths: toReadOnlyPaths(policy.changes),
    targets,
    context: { baseline_summary_ref: null, findings_refs: evidence, previous_attempt_refs: previousEvidence },
    instructions: { task_prompt: prompt },
    validation,
    constraints: {
      max_files_changed: policy.changes.maxFiles,
      max_lines_changed: policy.changes.maxLines,
      forbid_delete_paths: ['test/', 'tests/', '**/*.test.*', '**/*.spec.*', '**/test_*.py'],
    },
  };
}

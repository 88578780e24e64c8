import type { AgentRequest } from '../model/agent-contract.ts';
import type { SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { ValidationPlan } from '../validation/plan-validation.ts';
import { type TaskTool, toReadOnlyPaths, toTaskId } from './task-limits.ts';

/** Input of the request for one fixup. */
export interface AgentRequestInput {
  readonly sessionId: SessionId;
  readonly tool: TaskTool;
  readonly prompt: string;
  /** Files that the task is about; empty if the agent has to find out. */
  readonly targetFiles: readonly string[];
  /** Evidence files inside the sandbox. */
  readonly evidence: readonly string[];
  /** Files inside the sandbox about the attempt before. */
  readonly previousEvidence: readonly string[];
  readonly policy: Policy;
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
  /** Path of the workspace inside the sandbox. */
  readonly workspacePath: string;
}

/** The request for one fixup (001 section 5.1). The prompt repeats all of it that an agent has to know. */
export function toAgentRequest(task: AgentRequestInput): AgentRequest {
  const { policy, validation } = task;
  return {
    schema_version: 1,
    run_id: task.sessionId,
    task_id: toTaskId(task.sessionId, task.tool),
    task_type: 'fix',
    tool: task.tool,
    repo_path: task.workspacePath,
    workspace_path: task.workspacePath,
    allowed_paths: policy.changes.allowedPaths ?? ['**'],
    read_only_paths: toReadOnlyPaths(policy.changes),
    targets: { files: task.targetFiles, test_ids: [], modules: [] },
    context: {
      baseline_summary_ref: null,
      findings_refs: task.evidence,
      previous_attempt_refs: task.previousEvidence,
    },
    instructions: { task_prompt: task.prompt },
    validation: {
      commands: validation.commands.map((command) => ({
        runner: 'generic',
        args: ['/bin/sh', '-c', command],
        env: {},
        cwd: task.workspacePath,
        timeout_seconds: Math.ceil(policy.validateTimeoutMinutes * 60),
      })),
      success_criteria: { require_exit_code_0: true, max_new_findings: null, min_coverage_delta: null },
    },
    constraints: {
      max_files_changed: policy.changes.maxFiles,
      max_lines_changed: policy.changes.maxLines,
      forbid_delete_paths: ['test/', 'tests/', '**/*.test.*', '**/*.spec.*', '**/test_*.py'],
    },
  };
}

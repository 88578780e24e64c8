import { toAgentPrompt } from '../evidence/to-agent-prompt.ts';
import { PROTECTED_PATHS } from '../judge/protected-paths.ts';
import type { AgentRequest } from '../model/agent-contract.ts';
import type { SessionId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { CheckResult, PullRequestFacts } from '../model/pull-request.ts';
import type { Fixup, Session } from '../model/session.ts';
import type { ValidationPlan } from '../validation/plan-validation.ts';

/** What the request of one CI fixup is made from. */
export interface AgentTask {
  readonly sessionId: SessionId;
  readonly fixup: Fixup;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly evidence: readonly { readonly check: CheckResult; readonly path: string }[];
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
  /** Ended sessions of this pull request, newest first. */
  readonly previous: readonly Session[];
  /** Where the workspace is inside the sandbox. */
  readonly workspacePath: string;
  /** Random text that fences quoted, untrusted data in the prompt. */
  readonly delimiter: string;
}

/** The request of 001 section 5.1 for one CI fixup: names files as evidence, quotes as little as possible. */
export function toAgentRequest(task: AgentTask): AgentRequest {
  const { policy, fixup, evidence, validation } = task;
  return {
    schema_version: 1,
    run_id: task.sessionId,
    task_id: `${task.sessionId}-ci`,
    task_type: 'fix',
    tool: 'ci',
    repo_path: task.workspacePath,
    workspace_path: task.workspacePath,
    allowed_paths: policy.changes.allowedPaths ?? ['**'],
    read_only_paths: ['.git/', ...PROTECTED_PATHS, ...policy.changes.protectedPaths],
    targets: { files: [], test_ids: [], modules: [] },
    context: { baseline_summary_ref: null, findings_refs: evidence.map(({ path }) => path), previous_attempt_refs: [] },
    instructions: {
      task_prompt: toAgentPrompt({
        facts: task.facts,
        failing: evidence,
        validationCommands: validation.commands,
        attempt: fixup.attempt,
        previous: task.previous,
        delimiter: task.delimiter,
      }),
    },
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

import type { AgentRequest } from '../../../src/core/model/agent-contract.ts';

/** A request with good defaults. */
export function aRequest(change?: Partial<AgentRequest>): AgentRequest {
  return {
    schema_version: 1,
    run_id: 'run-1',
    task_id: 'task-1',
    task_type: 'fix',
    tool: 'ci',
    repo_path: '/workspace',
    workspace_path: '/workspace',
    allowed_paths: ['**'],
    read_only_paths: ['.git/'],
    targets: { files: [], test_ids: [], modules: [] },
    context: { baseline_summary_ref: null, findings_refs: [], previous_attempt_refs: [] },
    instructions: { task_prompt: 'Make the tests pass.' },
    validation: {
      commands: [],
      success_criteria: { require_exit_code_0: true, max_new_findings: null, min_coverage_delta: null },
    },
    constraints: { max_files_changed: 10, max_lines_changed: 100, forbid_delete_paths: [] },
    ...change,
  };
}

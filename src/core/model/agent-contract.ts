import type { AgentQuestion, ReviewAnswer } from './session.ts';

/** What starts a command: an interpreter of the repository, or the program itself. */
export const RUNNERS = ['python', 'node', 'generic'] as const;
/** What a task asks for (001.R6). `refactor`: one cause of the faults of many files (resolution C13). */
export const TASK_TYPES = ['fix', 'add_test', 'remove_skip', 'quarantine', 'suppress', 'refactor'] as const;
export const RESULT_STATUSES = ['success', 'failure', 'blocked'] as const;

/** One exact command (document 001, section 3.1). */
export interface CommandSpec {
  readonly runner: (typeof RUNNERS)[number];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeout_seconds: number;
}

/** What a validation must show (001.R18). null: not asked; 0 asks for none. */
export interface SuccessCriteria {
  readonly require_exit_code_0: boolean;
  /** The most findings that may be new. */
  readonly max_new_findings: number | null;
  /** By how many percentage points the coverage of the target files must grow. */
  readonly min_coverage_delta: number | null;
}

/** The request to an agent (001.R34): JSON on its stdin, with the names of document 001. */
export interface AgentRequest {
  readonly schema_version: 1;
  readonly run_id: string;
  readonly task_id: string;
  readonly task_type: (typeof TASK_TYPES)[number];
  readonly tool: string;
  readonly repo_path: string;
  readonly workspace_path: string;
  readonly allowed_paths: readonly string[];
  readonly read_only_paths: readonly string[];
  readonly targets: {
    readonly files: readonly string[];
    readonly test_ids: readonly string[];
    readonly modules: readonly string[];
  };
  readonly context: {
    readonly baseline_summary_ref: string | null;
    readonly findings_refs: readonly string[];
    readonly previous_attempt_refs: readonly string[];
  };
  readonly instructions: { readonly system_prompt?: string; readonly task_prompt: string };
  readonly validation: {
    readonly commands: readonly CommandSpec[];
    readonly success_criteria: SuccessCriteria;
  };
  readonly constraints: {
    readonly max_files_changed: number;
    readonly max_lines_changed: number;
    readonly forbid_delete_paths: readonly string[];
  };
}

/** The fields of an agent's result that Ratchet reads (001.R37). Only the tree is authoritative (001.R38). */
export interface AgentResult {
  readonly schema_version: 1;
  readonly run_id: string;
  readonly task_id: string;
  readonly status: (typeof RESULT_STATUSES)[number];
  readonly summary: string;
  /** For a review fixup: one answer per item of the prompt. */
  readonly answers?: readonly {
    readonly id: string;
    readonly status: ReviewAnswer['status'];
    readonly reason: string;
  }[];
  /** With the status `blocked`: what a person has to decide first. The agent is started again with the answer. */
  readonly question?: Omit<AgentQuestion, 'answer'>;
}

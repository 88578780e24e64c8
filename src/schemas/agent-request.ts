import { z } from 'zod';
import { type AgentRequest as AgentRequestModel, RUNNERS, TASK_TYPES } from '../core/model/agent-contract.ts';

const Strings = z.array(z.string()).readonly();

const CommandSpec = z.strictObject({
  runner: z.enum(RUNNERS),
  args: Strings,
  env: z.record(z.string(), z.string()).readonly(),
  cwd: z.string(),
  timeout_seconds: z.number().positive(),
});

/** The complete request to an agent, as sent to its stdin (001.R34). */
export const AgentRequest = z.strictObject({
  schema_version: z.literal(1),
  run_id: z.string().min(1),
  task_id: z.string().min(1),
  task_type: z.enum(TASK_TYPES),
  tool: z.string(),
  repo_path: z.string(),
  workspace_path: z.string(),
  allowed_paths: Strings,
  read_only_paths: Strings,
  targets: z.strictObject({ files: Strings, test_ids: Strings, modules: Strings }),
  context: z.strictObject({
    baseline_summary_ref: z.string().nullable(),
    findings_refs: Strings,
    previous_attempt_refs: Strings,
  }),
  instructions: z.strictObject({ system_prompt: z.string().exactOptional(), task_prompt: z.string().min(1) }),
  validation: z.strictObject({
    commands: z.array(CommandSpec).readonly(),
    success_criteria: z.strictObject({
      require_exit_code_0: z.boolean(),
      max_new_findings: z.number().nullable(),
      min_coverage_delta: z.number().nullable(),
    }),
  }),
  constraints: z.strictObject({
    max_files_changed: z.number(),
    max_lines_changed: z.number(),
    forbid_delete_paths: Strings,
  }),
}) satisfies z.ZodType<AgentRequestModel>;

/** The JSON Schema of a request, as docs/agent-request.schema.json holds it. */
export function toAgentRequestSchemaText(): string {
  const schema = z.toJSONSchema(AgentRequest, { target: 'draft-7' });
  return `${JSON.stringify({ title: 'AgentRequest: what an agent gets on its stdin', ...schema }, null, 2)}\n`;
}

/** A parsed request. */
export type AgentRequest = z.infer<typeof AgentRequest>;

/** Returns the text for an agent's stdin. Throws `ZodError` for an invalid request, which is a bug in Ratchet. */
export function renderAgentRequest(request: AgentRequestModel): string {
  return `${JSON.stringify(AgentRequest.parse(request))}\n`;
}

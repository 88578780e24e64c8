import { extractResult } from '../../core/agents/extract-result.ts';
import type { AgentRequest } from '../../core/model/agent-contract.ts';
import type { AgentOutput } from '../../ports/agent.ts';
import { parseAgentResult } from '../../schemas/agent-result.ts';

/** Reads what an agent printed: its result must be the last JSON object and answer exactly this request. */
export function parseOutput(stdout: string, request: AgentRequest): AgentOutput {
  const extracted = extractResult(stdout);
  if (extracted.kind === 'invalid') return extracted;
  const parsed = parseAgentResult(extracted.value);
  if (parsed.kind === 'invalid') return parsed;
  const { result } = parsed;
  if (result.run_id !== request.run_id || result.task_id !== request.task_id) {
    return { kind: 'invalid', why: 'it answers another request (run_id or task_id differ)' };
  }
  return { kind: 'result', result };
}

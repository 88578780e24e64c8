import { extractResult } from '../../core/agents/extract-result.ts';
import type { AgentRequest } from '../../core/model/agent-contract.ts';
import type { AgentOutput, AgentPrinted } from '../../ports/agent.ts';
import { parseAgentResult } from '../../schemas/agent-result.ts';

/**
 * Parses an agent's result, which must answer this request. A result file takes precedence over the output, even if
 * invalid: an agent that started to write it and did not finish has not succeeded.
 */
export function parseOutput({ stdout, file }: AgentPrinted, request: AgentRequest): AgentOutput {
  const extracted = file === undefined ? extractResult(stdout) : parseFile(file);
  if (extracted.kind === 'invalid') return extracted;
  const parsed = parseAgentResult(extracted.value);
  if (parsed.kind === 'invalid') return parsed;
  const { result } = parsed;
  if (result.run_id !== request.run_id || result.task_id !== request.task_id) {
    return { kind: 'invalid', why: 'it answers another request (run_id or task_id differ)' };
  }
  return { kind: 'result', result };
}

function parseFile(
  text: string | null,
): Exclude<AgentOutput, { readonly kind: 'result' }> | { readonly kind: 'found'; readonly value: unknown } {
  if (text === null) return { kind: 'invalid', why: 'its file is no regular file of at most 64 KiB in UTF-8' };
  try {
    return { kind: 'found', value: JSON.parse(text) };
  } catch {
    return { kind: 'invalid', why: 'its file is not one JSON object' };
  }
}

import { type ExtractedResult, extractResult } from '../../core/agents/extract-result.ts';
import { type JsonObject, parseJsonObject } from '../../core/json/parse-json-object.ts';
import type { AgentRequest } from '../../core/model/agent-contract.ts';
import type { AgentOutput, AgentPrinted } from '../../ports/agent.ts';
import { parseAgentResult } from '../../schemas/agent-result.ts';

/**
 * Parses an agent's result, which must answer this request. A result file takes precedence over the output, even if
 * invalid: an agent that started to write it and did not finish has not succeeded.
 */
export function parseOutput({ stdout, file }: AgentPrinted, request: AgentRequest): AgentOutput {
  const extracted = file === undefined ? extractResult(stdout) : parseFile(file);
  return extracted.kind === 'invalid' ? extracted : checkResult(extracted.value, request);
}

/**
 * Parses the result of an agent that prints lines of JSON and says its result in its last message. The message may leave out what
 * the agent does not decide: the version and the ids.
 */
export function parseMessage(
  { stdout, file }: AgentPrinted,
  request: AgentRequest,
  findMessage: (lines: readonly JsonObject[]) => string | null,
): AgentOutput {
  const extracted = file === undefined ? extractMessage(stdout, findMessage) : parseFile(file);
  if (extracted.kind === 'invalid') return extracted;
  const { run_id, task_id } = request;
  const { value } = extracted;
  return checkResult(typeof value === 'object' ? { schema_version: 1, run_id, task_id, ...value } : value, request);
}

function extractMessage(stdout: string, findMessage: (lines: readonly JsonObject[]) => string | null): ExtractedResult {
  const message = findMessage(
    stdout
      .split('\n')
      .map(parseJsonObject)
      .filter((line) => line !== null),
  );
  return message === null ? { kind: 'invalid', why: 'the agent printed no last message' } : extractResult(message);
}

function checkResult(value: unknown, request: AgentRequest): AgentOutput {
  const parsed = parseAgentResult(value);
  if (parsed.kind === 'invalid') return parsed;
  const { result, dropped } = parsed;
  if (result.run_id !== request.run_id || result.task_id !== request.task_id) {
    return { kind: 'invalid', why: 'it answers another request (run_id or task_id differ)' };
  }
  return { kind: 'result', result, dropped };
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

import type { AgentRequest } from '../model/agent-contract.ts';

/** The one text that a command line of an agent reads on its stdin. It is complete: it repeats all that the request says. */
export function renderPrompt({ instructions }: Pick<AgentRequest, 'instructions'>): string {
  const { system_prompt: system, task_prompt: task } = instructions;
  return system === undefined ? task : `${system}\n\n${task}`;
}

import type { AgentEventReader } from '../../ports/agent.ts';

/** The reader of an agent that prints no events. */
export function noEvents(): AgentEventReader {
  return { push: () => [] };
}

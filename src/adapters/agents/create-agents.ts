import type { Agents } from '../../ports/agent.ts';
import type { HostAgent } from './host-agent.ts';

/** The first agent is the default one. */
export function createAgents(all: readonly [HostAgent, ...HostAgent[]]): Agents {
  const [first] = all;
  return { all, find: (name) => (name === null ? first : (all.find((agent) => agent.name === name) ?? null)) };
}

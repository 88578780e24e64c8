import type { Agent } from '../../ports/agent.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';

/** The agent that a fixup was launched with, if it can be started. */
export async function takeAgent({ agents }: Pick<Deps, 'agents'>, name: string): Promise<OrEnded<Agent>> {
  const agent = agents.find(name);
  if (agent === null) return rejected('AGENT_UNAVAILABLE', `No agent with the name "${name}" is configured.`);
  const able = await agent.check();
  return able.kind === 'unavailable' ? rejected('AGENT_UNAVAILABLE', able.why) : ok(agent);
}

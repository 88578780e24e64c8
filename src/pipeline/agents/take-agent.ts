import type { Agent } from '../../ports/agent.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { type ChosenAgent, chooseAgent } from './agent-standing.ts';

/** An agent that can be started. */
export interface TakenAgent extends ChosenAgent {
  readonly agent: Agent;
  readonly version: string | null;
}

/** The agent of that name (null: the default one), if it can be started. */
export async function takeAgent(
  deps: Pick<Deps, 'agents' | 'gateway' | 'log'>,
  name: string | null,
): Promise<OrEnded<TakenAgent>> {
  const chosen = await chooseAgent(deps, name);
  const { agent } = chosen;
  if (agent === null) return rejected('AGENT_UNAVAILABLE', `No agent with the name "${chosen.name}" is configured.`);
  const able = await agent.check();
  if (able.kind === 'unavailable') return rejected('AGENT_UNAVAILABLE', able.why);
  return ok({ ...chosen, agent, version: able.version });
}

import { describeStanding } from '../../core/decide/agent-hold.ts';
import type { Agent } from '../../ports/agent.ts';
import { type ChosenAgent, chooseAgent, readStanding } from '../agents/agent-standing.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** An agent that can be started. */
export interface TakenAgent extends ChosenAgent {
  readonly agent: Agent;
  readonly version: string | null;
}

/** The agent that a fixup was launched with, if it can be started. */
export async function takeAgent(
  deps: Pick<Deps, 'agents' | 'gateway' | 'log'>,
  name: string,
): Promise<OrEnded<TakenAgent>> {
  const chosen = await chooseAgent(deps, name);
  const { agent } = chosen;
  if (agent === null) return rejected('AGENT_UNAVAILABLE', `No agent with the name "${name}" is configured.`);
  const able = await agent.check();
  if (able.kind === 'unavailable') return rejected('AGENT_UNAVAILABLE', able.why);
  return ok({ ...chosen, agent, version: able.version });
}

/** Checks again, at the last moment, that the agent may be launched: a fixup may have waited for long. */
export function checkStanding(
  deps: Pick<Deps, 'clock' | 'settings' | 'store'>,
  { session, policy }: Pick<PreparedFixup, 'session' | 'policy'>,
  taken: TakenAgent,
): OrEnded<null> {
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) return rejected('AGENT_HELD', 'The pull request is not known any more.');
  const standing = readStanding(deps, taken, { workspace, policy, now: deps.clock.now(), self: session.id });
  const why = describeStanding(standing);
  return why === null ? ok(null) : rejected('AGENT_HELD', why);
}

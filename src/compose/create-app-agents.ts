import { createAgents } from '../adapters/agents/create-agents.ts';
import { createCommandAgent } from '../adapters/agents/create-command-agent.ts';
import { createFakeAgent } from '../adapters/agents/create-fake-agent.ts';
import type { HostAgent } from '../adapters/agents/find-program.ts';
import type { Tools } from '../adapters/sandbox/prepare-tools-dir.ts';
import { ROOT } from '../adapters/sites/create-sandbox-sites.ts';
import type { Environment } from '../config/environment.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { Agents } from '../ports/agent.ts';

/** The agents, and the mounts of each by its name. */
export interface AppAgents {
  readonly agents: Agents;
  readonly programs: Readonly<Record<string, HostAgent['mounts']>>;
}

/**
 * Creates the operator's agents, the default first.
 * @throws ConfigError that names each agent whose files are missing.
 */
export async function createAppAgents(
  {
    environment,
    agents,
  }: { readonly environment: Pick<Environment, 'agents'>; readonly agents: readonly AgentSettings[] },
  tools: Tools,
): Promise<AppAgents> {
  const [first, ...others] = agents.map((settings) => createAgent(settings, tools));
  if (first === undefined) throw new ConfigError(['no agent is configured']);
  const all = [first, ...others] as const;
  const checks = await Promise.all(all.map(async (agent) => ({ agent, able: await agent.check() })));
  const problems = checks.flatMap(({ agent, able }) => {
    if (able.kind === 'ok') return [];
    return [
      environment.agents.kind === 'one'
        ? `RATCHET_AGENT: ${able.why}`
        : `RATCHET_AGENTS_FILE: the agent ${agent.name}: ${able.why}`,
    ];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    agents: createAgents(all),
    programs: Object.fromEntries(all.map((agent) => [agent.name, agent.mounts])),
  };
}

/** Throws `ConfigError` if agents of that kind are not built in. */
export function createAgent(settings: AgentSettings, { nodePath, programPaths: [programPath = ''] }: Tools): HostAgent {
  const { name } = settings;
  switch (settings.kind) {
    case 'command':
      return createCommandAgent({ name, argv: settings.argv, env: {}, siteRoot: ROOT });
    case 'fake':
      return createFakeAgent({ scriptPath: settings.script, nodePath, programPath, env: {} });
    default:
      throw new ConfigError([`agents of the kind ${settings.kind} are not built into this version`]);
  }
}

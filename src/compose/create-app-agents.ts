import { basename } from 'node:path';
import { createAgents } from '../adapters/agents/create-agents.ts';
import { createHostAgent } from '../adapters/agents/create-host-agent.ts';
import type { HostAgent } from '../adapters/agents/host-agent.ts';
import type { Tools } from '../adapters/sandbox/prepare-tools-dir.ts';
import { INPUTS, ROOT } from '../adapters/sites/create-sandbox-sites.ts';
import type { Environment } from '../config/environment.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { Agents } from '../ports/agent.ts';
import type { Log } from '../ports/log.ts';
import { SEARCH_PATH } from '../system/find-program.ts';
import { createVersionReader } from '../system/read-version.ts';

/** The agents, and the mounts of each by its name. */
export interface AppAgents {
  readonly agents: Agents;
  readonly programs: Readonly<Record<string, HostAgent['mounts']>>;
}

/**
 * Creates the operator's agents, the default first; none if none is configured.
 * @throws ConfigError that names each agent whose files are missing.
 */
export async function createAppAgents(
  {
    environment,
    agents,
  }: {
    /** null: no agent is configured. */ readonly environment: { readonly agents: Environment['agents'] | null };
    readonly agents: readonly AgentSettings[];
  },
  { tools, log }: { readonly tools: Tools; readonly log: Log },
): Promise<AppAgents> {
  const [first, ...others] = agents.map((settings) => createAgent(settings, tools));
  if (first === undefined) return { agents: { all: [], find: () => null }, programs: {} };
  const all = [first, ...others] as const;
  const checks = await Promise.all(all.map(async (agent) => ({ agent, able: await agent.check() })));
  const problems = checks.flatMap(({ agent, able }) => {
    if (able.kind === 'ok') {
      const { name, kind, endpoint } = agent;
      const found = { agent: name, kind, version: able.version, model: endpoint?.models[0] ?? null };
      if (able.isNewer) log.warn(found, 'agent found, newer than the versions that were tried');
      else log.info(found, 'agent found');
      return [];
    }
    return [
      environment.agents?.kind === 'one'
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

/** Creates an agent of the operator's. `check` says whether it can be started. */
export function createAgent(settings: AgentSettings, { nodePath, programPaths }: Tools): HostAgent {
  const readVersion = createVersionReader(nodePath);
  const place = { siteRoot: ROOT, readable: [INPUTS], searchPath: SEARCH_PATH, readVersion };
  const find = (name: string): string => programPaths.find((path) => basename(path) === name) ?? '';
  return createHostAgent(settings, {
    ...{ ...place, nodePath },
    fakeAgentProgram: find('fake-agent-program.mjs'),
    acpClientProgram: find('acp-client-program.mjs'),
    plannerProgram: find('planner-program.mjs'),
  });
}

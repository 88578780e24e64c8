import type { AgentSettings } from '../../core/model/agent-settings.ts';
import { CLI_PROFILES } from './cli-profiles.ts';
import { createAcpAgent } from './create-acp-agent.ts';
import { type AgentPlace, createCliAgent } from './create-cli-agent.ts';
import { createCommandAgent } from './create-command-agent.ts';
import { createFakeAgent } from './create-fake-agent.ts';
import { createPlannerAgent } from './create-planner-agent.ts';
import type { HostAgent } from './host-agent.ts';

/** Where the agents of this machine run, and the programs of Ratchet's own that some need. */
export interface HostAgentsPlace extends AgentPlace {
  /** `bin/node` of the tools folder. */
  readonly nodePath: string;
  /** `fake-agent-program.mjs`, or a copy of it. */
  readonly fakeAgentProgram: string;
  /** `acp-client-program.mjs` of the tools folder. */
  readonly acpClientProgram: string;
  /** `planner-program.mjs` of the tools folder. */
  readonly plannerProgram: string;
}

/** Creates an agent that the operator configured. `check` says whether it can be started. */
export function createHostAgent(settings: AgentSettings, place: HostAgentsPlace): HostAgent {
  const { name } = settings;
  switch (settings.kind) {
    case 'claude':
    case 'codex':
    case 'gemini':
    case 'opencode':
      return createCliAgent(CLI_PROFILES[settings.kind], settings, place);
    case 'acp':
      return createAcpAgent({ ...place, ...settings });
    case 'planner':
      return createPlannerAgent({ ...place, ...settings });
    case 'command':
      return createCommandAgent({ ...settings, env: {}, siteRoot: place.siteRoot });
    case 'fake':
      return createFakeAgent({
        ...{ name, scriptPath: settings.script, nodePath: place.nodePath },
        ...{ programPath: place.fakeAgentProgram, env: {} },
      });
  }
}

import type { AgentSettings } from '../../core/model/agent-settings.ts';
import { ConfigError } from '../../core/model/errors.ts';
import { CLI_PROFILES } from './cli-profiles.ts';
import { type AgentPlace, createCliAgent } from './create-cli-agent.ts';
import { createCommandAgent } from './create-command-agent.ts';
import { createFakeAgent } from './create-fake-agent.ts';
import type { HostAgent } from './find-program.ts';

/** Where the agents of this machine run, and what the scripted one is made of. */
export interface HostAgentsPlace extends AgentPlace {
  /** `bin/node` of the tools folder. */
  readonly nodePath: string;
  /** `fake-agent-program.mjs`, or a copy of it. */
  readonly fakeAgentProgram: string;
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
      throw new ConfigError(['agents of the kind acp are not built into this version']);
    case 'command':
      return createCommandAgent({ ...settings, env: {}, siteRoot: place.siteRoot });
    case 'fake':
      return createFakeAgent({
        ...{ name, scriptPath: settings.script, nodePath: place.nodePath },
        ...{ programPath: place.fakeAgentProgram, env: {} },
      });
  }
}

import { z } from 'zod';
import { ConfigError } from '../core/model/errors.ts';
import { AGENT_FIELDS, type AgentEnvironment, findAgentContradictions, toAgentEnvironment } from './agent-variables.ts';
import { PROXY_FIELDS, type Proxy, toProxy } from './proxy-variables.ts';
import { SETUP_FIELDS, type SetupSettings, toSetupSettings } from './registry-variables.ts';
import { SANDBOX_FIELDS, type SandboxSettings, toSandboxSettings } from './sandbox-variables.ts';

/** What a run on a checkout takes from the variables of the App. It needs nothing about GitHub. */
export interface LocalEnvironment extends Omit<AgentEnvironment, 'agents'>, SetupSettings, SandboxSettings {
  /** null: no agent is configured. */
  readonly agents: AgentEnvironment['agents'] | null;
  readonly proxy: Proxy | null;
}

const Fields = z.object({ ...AGENT_FIELDS, ...SETUP_FIELDS, ...SANDBOX_FIELDS, ...PROXY_FIELDS });

/** @throws ConfigError that lists all problems at once. An empty value counts as not set. */
export function parseLocalEnvironment(variables: Readonly<Record<string, string | undefined>>): LocalEnvironment {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const hasAgent = given['RATCHET_AGENT'] !== undefined || given['RATCHET_AGENTS_FILE'] !== undefined;
  const fields = Fields.safeParse(given);
  const problems = [
    ...(fields.success ? [] : fields.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`)),
    ...(hasAgent ? findAgentContradictions(given) : []),
    ...(given['RATCHET_SANDBOX'] === 'unsafe-demo'
      ? ['RATCHET_SANDBOX=unsafe-demo is no sandbox: a run needs one']
      : []),
  ];
  if (!fields.success || problems.length > 0) throw new ConfigError(problems);
  const { data } = fields;
  const { agents, ...ofAgents } = toAgentEnvironment(data);
  return {
    ...{ ...ofAgents, ...toSetupSettings(data), ...toSandboxSettings(data) },
    ...{ agents: hasAgent ? agents : null, proxy: toProxy(data) },
  };
}

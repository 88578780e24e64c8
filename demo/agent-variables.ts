import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { OWNER } from './scenarios/scenario.ts';

/** The agents that the demo knows by name, with the model that each calls by default. */
const KNOWN = {
  claude: { api: 'anthropic', model: 'claude-sonnet-5-5' },
  codex: { api: 'openai', model: 'gpt-6-sol' },
  gemini: { api: 'gemini', model: 'gemini-3.8-flash' },
  opencode: { api: 'anthropic', model: 'claude-sonnet-5-5' },
} as const;

/** Options of the command line about the agent. */
export interface AgentOptions {
  /** One of the known agents, or a JSON array: program and arguments. */
  readonly agent: string;
  readonly 'key-file'?: string | undefined;
  readonly 'agent-path'?: string | undefined;
  readonly api?: string | undefined;
  readonly model?: string | undefined;
  readonly 'model-url'?: string | undefined;
  readonly usd: string;
}

export type AgentVariables =
  | { readonly kind: 'ok'; readonly variables: Readonly<Record<string, string>>; readonly said: string }
  | { readonly kind: 'bad'; readonly why: string };

/** The variables of the App for an agent that is not the scripted one. `path`: where programs are searched. */
export function toAgentVariables(options: AgentOptions, path: string): AgentVariables {
  const { agent, 'key-file': keyFile, 'agent-path': agentPath, 'model-url': modelUrl } = options;
  const known = Object.entries(KNOWN).find(([name]) => name === agent)?.[1];
  if (known === undefined) {
    if (!agent.startsWith('[')) {
      return {
        kind: 'bad',
        why: `--agent takes ${Object.keys(KNOWN).join(', ')}, or a JSON array: program and arguments`,
      };
    }
    const variables = { RATCHET_AGENT: 'command', RATCHET_AGENT_COMMAND: agent };
    return { kind: 'ok', variables, said: `The agent is ${agent}.` };
  }
  if (keyFile === undefined)
    return { kind: 'bad', why: `--agent ${agent} needs --key-file, a file with the API's key` };
  const program = agentPath === undefined ? find(agent, path) : resolve(agentPath);
  if (program === null)
    return { kind: 'bad', why: `there is no ${agent} on the PATH: install it, or name it with --agent-path` };
  const api = options.api ?? known.api;
  const model = options.model ?? known.model;
  const variables = {
    RATCHET_AGENT: agent,
    RATCHET_AGENT_PATH: program,
    RATCHET_AGENT_REPOSITORIES: OWNER,
    RATCHET_MODEL_API: api,
    RATCHET_MODEL_KEY_FILE: resolve(keyFile),
    RATCHET_MODELS: model,
    RATCHET_FIXUP_USD: options.usd,
    ...(modelUrl === undefined ? {} : { RATCHET_MODEL_URL: modelUrl }),
  };
  return { kind: 'ok', variables, said: `The agent is ${agent} with ${model}. A fixup may cost ${options.usd} USD.` };
}

function find(name: string, path: string): string | null {
  const isProgram = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

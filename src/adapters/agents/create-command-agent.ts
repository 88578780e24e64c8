import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import { renderAgentRequest } from '../../schemas/agent-request.ts';
import type { HostAgent } from './host-agent.ts';
import { toModelEnvironment } from './model-environment.ts';
import { noEvents } from './no-events.ts';
import { parseOutput } from './parse-output.ts';
import { checkLaunch, requireLaunch, resolveLaunch } from './resolve-launch.ts';

/** Options of `createCommandAgent`. */
export interface CommandAgentOptions {
  readonly name: string;
  /** The program (an absolute path or a bare name) and its arguments. Absolute paths of files are mounted. */
  readonly argv: readonly string[];
  /** Added to the environment of the site. */
  readonly env: Readonly<Record<string, string>>;
  /** The model that it calls through Ratchet; null: none. */
  readonly endpoint: ModelEndpoint | null;
  /** Root of its site. No program may come from there. */
  readonly siteRoot: string;
}

/**
 * Creates an agent from any program. It reads the request as JSON on stdin and writes its result to the file named by
 * RATCHET_RESULT_FILE, or as the last JSON object on stdout (001.R36). If it has a model, RATCHET_MODEL_ADDRESS, RATCHET_MODEL_TOKEN
 * and RATCHET_MODEL say how to call it. Its files are resolved on creation; `check`
 * reports a missing one.
 */
export function createCommandAgent(options: CommandAgentOptions): HostAgent {
  const launch = resolveLaunch(options.argv, options.siteRoot);
  return {
    name: options.name,
    kind: 'command',
    endpoint: options.endpoint,
    newEventReader: noEvents,
    check: () => Promise.resolve(checkLaunch(launch)),
    mounts: () => requireLaunch(launch).mounts,
    command: (request, model) => {
      const { argv } = requireLaunch(launch);
      const env = { ...options.env, ...(model === null ? {} : toModelEnvironment(model)) };
      return { argv, env, stdin: renderAgentRequest(request), homeFiles: {} };
    },
    parseOutput,
  };
}

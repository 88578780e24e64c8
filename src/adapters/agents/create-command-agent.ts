import { isAbsolute } from 'node:path';
import { InvariantError } from '../../core/model/errors.ts';
import type { AgentCommand } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import type { Mount } from '../../ports/sandbox.ts';
import { renderAgentRequest } from '../../schemas/agent-request.ts';
import { findProgram, type HostAgent, resolveFile, toProgramMount } from './find-program.ts';
import { toModelEnvironment } from './model-environment.ts';
import { noEvents } from './no-events.ts';
import { parseOutput } from './parse-output.ts';

/** Options of `createCommandAgent`. */
export interface CommandAgentOptions {
  readonly name: string;
  /** The program (an absolute path or a bare name) and its arguments. Absolute paths of files are mounted. */
  readonly argv: readonly string[];
  /** Added to the environment of the site. */
  readonly env: Readonly<Record<string, string>>;
  /** The model that it calls through Ratchet; null: none. */
  readonly endpoint?: ModelEndpoint | null;
  /** Root of its site. No program may come from there. */
  readonly siteRoot: string;
}

/** How to start the agent, resolved once. */
type Launch =
  | { readonly kind: 'ok'; readonly command: Pick<AgentCommand, 'argv' | 'env'>; readonly mounts: readonly Mount[] }
  | { readonly kind: 'bad'; readonly why: string };

/** Folders searched for a bare program name, as on the sandbox's PATH. */
export const SEARCH_PATH = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

/**
 * Creates an agent from any program. It reads the request as JSON on stdin and writes its result to the file named by
 * RATCHET_RESULT_FILE, or as the last JSON object on stdout (001.R36). If it has a model, RATCHET_MODEL_ADDRESS, RATCHET_MODEL_TOKEN
 * and RATCHET_MODEL say how to call it. Its files are resolved on creation; `check`
 * reports a missing one.
 */
export function createCommandAgent(options: CommandAgentOptions): HostAgent {
  const launch = toLaunch(options);
  const launched = (): Launch & { readonly kind: 'ok' } => {
    if (launch.kind === 'bad') throw new InvariantError(`check the agent before you start it: ${launch.why}`);
    return launch;
  };
  return {
    name: options.name,
    kind: 'command',
    endpoint: options.endpoint ?? null,
    newEventReader: noEvents,
    check: () =>
      Promise.resolve(
        launch.kind === 'ok' ? { kind: 'ok', version: null, isNewer: false } : { kind: 'unavailable', why: launch.why },
      ),
    mounts: () => launched().mounts,
    command: (request, model) => {
      const { argv, env } = launched().command;
      const ofModel = model === null ? {} : toModelEnvironment(model);
      return { argv, env: { ...env, ...ofModel }, stdin: renderAgentRequest(request), homeFiles: {} };
    },
    parseOutput,
  };
}

function toLaunch(options: CommandAgentOptions): Launch {
  const [name, ...args] = options.argv;
  if (name === undefined || name === '') return { kind: 'bad', why: 'the agent command is empty' };
  if (isWithin(name, options.siteRoot)) {
    return { kind: 'bad', why: `the agent's program ${name} would come from the pull request itself` };
  }
  const program = findProgram(name, SEARCH_PATH);
  if (program === null) {
    return { kind: 'bad', why: `the agent's program ${name} was not found, or cannot be executed` };
  }
  const files = args.map((arg) => (isAbsolute(arg) && !isWithin(arg, options.siteRoot) ? resolveFile(arg) : null));
  const found = [program, ...files].flatMap((path) => (path === null ? [] : [toProgramMount(path)]));
  return {
    kind: 'ok',
    command: {
      argv: [program, ...args.map((arg, index) => files[index] ?? arg)],
      env: options.env,
    },
    mounts: uniqueByTarget(found.filter((mount) => mount !== null)),
  };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function uniqueByTarget(mounts: readonly Mount[]): readonly Mount[] {
  return [...new Map(mounts.map((mount) => [mount.target, mount])).values()];
}

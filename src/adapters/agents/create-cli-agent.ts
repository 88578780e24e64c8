import { gt, lt } from 'semver';
import { InvariantError } from '../../core/model/errors.ts';
import { renderPrompt } from '../../core/prompts/render-prompt.ts';
import type { AgentCheck } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import { findProgram, toProgramMount } from '../../system/find-program.ts';
import type { ReadVersion } from '../../system/read-version.ts';
import type { CliProfile } from './cli-profile.ts';
import { createEventReader } from './create-event-reader.ts';
import type { HostAgent } from './host-agent.ts';
import { parseMessage } from './parse-output.ts';

/** Where an agent runs, and what it is made of on this machine. */
export interface AgentPlace {
  /** Root of its site. No program may come from there. */
  readonly siteRoot: string;
  /** Folders outside of the tree that it has to read in its site: those of evidence. */
  readonly readable: readonly string[];
  /** Folders to search for a program without a path. */
  readonly searchPath: readonly string[];
  readonly readVersion: (program: string) => Promise<ReadVersion>;
}

/** Options of `createCliAgent`. */
export interface CliAgentOptions {
  readonly name: string;
  /** Its program; null: the usual one of its kind, on the search path. */
  readonly path: string | null;
  readonly endpoint: ModelEndpoint;
}

/** Creates the agent of a command line that Ratchet knows. Its program is looked for at each check. */
export function createCliAgent(profile: CliProfile, options: CliAgentOptions, place: AgentPlace): HostAgent {
  const wanted = options.path ?? profile.program;
  const find = (): string | null => findProgram(wanted, place.searchPath);
  const found = (): string => {
    const program = find();
    if (program === null) throw new InvariantError(`check the agent before you start it: ${wanted} is missing`);
    return program;
  };
  return {
    name: options.name,
    kind: profile.kind,
    endpoint: options.endpoint,
    check: async () => {
      const program = find();
      if (program === null) return { kind: 'unavailable', why: describeMissing(profile, wanted) };
      return toCheck(profile, program, await place.readVersion(program));
    },
    mounts: () => [toProgramMount(found())].filter((mount) => mount !== null),
    command: (request, model) => {
      if (model === null) throw new InvariantError(`the agent ${options.name} was given no model`);
      const { dialect } = options.endpoint;
      return profile.toCommand({
        ...{ program: found(), model, dialect, prompt: renderPrompt(request) },
        readable: place.readable,
      });
    },
    newEventReader: () => createEventReader(profile.toEvents, place.siteRoot),
    parseOutput: (printed, request) => parseMessage(printed, request, profile.findMessage),
  };
}

function describeMissing({ npmPackage, tried }: CliProfile, wanted: string): string {
  return `the agent's program ${wanted} was not found, or cannot be executed; install ${npmPackage}@${tried.newest} from npm, or set its path`;
}

function toCheck({ program: name, npmPackage, tried }: CliProfile, program: string, read: ReadVersion): AgentCheck {
  if (read.kind === 'failed') return { kind: 'unavailable', why: read.why };
  const { version } = read;
  if (lt(version, tried.oldest)) {
    const why = `${name} ${version} (${program}) is too old: install ${npmPackage}@${tried.newest}`;
    return { kind: 'unavailable', why };
  }
  return { kind: 'ok', version, isNewer: gt(version, tried.newest) };
}

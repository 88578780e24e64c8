import { realpathSync } from 'node:fs';
import { InvariantError } from '../../core/model/errors.ts';
import { renderAgentRequest } from '../../schemas/agent-request.ts';
import { resolveFile } from '../../system/find-program.ts';
import type { HostAgent } from './host-agent.ts';
import { noEvents } from './no-events.ts';
import { parseOutput } from './parse-output.ts';

/** Options of `createFakeAgent`. All paths are on the host. */
export interface FakeAgentOptions {
  readonly name: string;
  /** JSON file with the steps, see `fake-agent-program.mjs`. The program reads it in every run. */
  readonly scriptPath: string;
  /** `bin/node` of the tools folder. Same path inside the sandbox. */
  readonly nodePath: string;
  /** `fake-agent-program.mjs`, or a copy of it. */
  readonly programPath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Paths of its two files inside the sandbox. */
const PROGRAM_TARGET = '/opt/ratchet/fake-agent-program.mjs';
const SCRIPT_TARGET = '/opt/ratchet/fake-agent-script.json';

/** Creates an agent without a model that follows a script deterministically. For the demo and tests. */
export function createFakeAgent(options: FakeAgentOptions): HostAgent {
  return {
    name: options.name,
    kind: 'fake',
    endpoint: null,
    newEventReader: noEvents,
    check: () => {
      const missing = [options.nodePath, options.programPath, options.scriptPath].find(
        (path) => resolveFile(path) === null,
      );
      return Promise.resolve(
        missing === undefined
          ? { kind: 'ok', version: null, isNewer: false }
          : { kind: 'unavailable', why: `the fake agent needs the file ${missing}` },
      );
    },
    command: (request) => ({
      argv: [options.nodePath, PROGRAM_TARGET, SCRIPT_TARGET],
      env: options.env,
      stdin: renderAgentRequest(request),
      homeFiles: {},
    }),
    mounts: () => [
      { source: toRealPath(options.programPath), target: PROGRAM_TARGET, writable: false },
      { source: toRealPath(options.scriptPath), target: SCRIPT_TARGET, writable: false },
    ],
    parseOutput,
  };
}

function toRealPath(path: string): string {
  if (resolveFile(path) === null) throw new InvariantError(`check the agent before you start it: ${path} is missing`);
  return realpathSync(path);
}

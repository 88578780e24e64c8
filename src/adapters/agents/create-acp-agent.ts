import type { JsonObject } from '../../core/json/parse-json-object.ts';
import { InvariantError } from '../../core/model/errors.ts';
import { renderPrompt } from '../../core/prompts/render-prompt.ts';
import type { AgentEvent } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import { resolveFile } from '../../system/find-program.ts';
import { createEventReader } from './create-event-reader.ts';
import type { HostAgent } from './host-agent.ts';
import { toModelEnvironment, toUsualEnvironment } from './model-environment.ts';
import { parseMessage } from './parse-output.ts';
import { anyTextAt, type ToolUses, textAt } from './read-line.ts';
import { checkLaunch, requireLaunch, resolveLaunch } from './resolve-launch.ts';

/** Options of `createAcpAgent`. */
export interface AcpAgentOptions {
  readonly name: string;
  /** The agent's program and its arguments. Absolute paths of files are mounted. */
  readonly argv: readonly string[];
  readonly endpoint: ModelEndpoint;
  readonly siteRoot: string;
  readonly readable: readonly string[];
  /** `bin/node` of the tools folder, and the client there: `acp-client-program.mjs`. */
  readonly nodePath: string;
  readonly acpClientProgram: string;
}

/** Backstops: the gateway counts calls and tokens, and the session has a deadline. */
const MAX_TOOL_CALLS = 2000;
const MAX_CONTEXT_TOKENS = 2_000_000;
const MAX_SECONDS = 4 * 60 * 60;

const DOING: ToolUses = {
  ...{ read: 'reading', search: 'reading', think: 'thinking', execute: 'running' },
  ...{ edit: 'editing', delete: 'editing', move: 'editing' },
};

/** Creates an agent from any program that speaks the Agent Client Protocol. The client runs beside it: `acp-client-program.ts`. */
export function createAcpAgent(options: AcpAgentOptions): HostAgent {
  const { name, endpoint, siteRoot, readable, nodePath, acpClientProgram } = options;
  const launch = resolveLaunch(options.argv, siteRoot);
  const limits = [MAX_TOOL_CALLS, MAX_CONTEXT_TOKENS, MAX_SECONDS].map(String);
  const client = [nodePath, acpClientProgram, siteRoot, readable.join(':'), ...limits];
  return {
    name,
    kind: 'acp',
    endpoint,
    check: () => {
      const check = checkLaunch(launch);
      if (check.kind === 'unavailable' || resolveFile(acpClientProgram) !== null) return Promise.resolve(check);
      return Promise.resolve({
        kind: 'unavailable',
        why: `the client of the protocol is missing: ${acpClientProgram}`,
      });
    },
    mounts: () => requireLaunch(launch).mounts,
    command: (request, model) => {
      if (model === null) throw new InvariantError(`the agent ${name} was given no model`);
      return {
        argv: [...client, ...requireLaunch(launch).argv],
        env: { ...toUsualEnvironment(endpoint.dialect, model), ...toModelEnvironment(model) },
        stdin: renderPrompt(request),
        homeFiles: {},
      };
    },
    newEventReader: () => createEventReader(toEvents, siteRoot),
    parseOutput: (printed, request) => parseMessage(printed, request, findMessage),
  };
}

function toEvents(line: JsonObject): readonly AgentEvent[] {
  if (line['type'] === 'tool') {
    const what = DOING[textAt(line, 'kind') ?? ''];
    return what === undefined ? [] : [{ kind: 'doing', what, detail: anyTextAt(line, ['path', 'title']) }];
  }
  if (line['type'] !== 'end') return [];
  return [{ kind: 'final', isError: line['ok'] !== true, detail: textAt(line, 'why') ?? '' }];
}

function findMessage(lines: readonly JsonObject[]): string | null {
  return textAt(
    lines.findLast(({ type }) => type === 'message'),
    'text',
  );
}

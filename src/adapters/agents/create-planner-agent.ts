import type { JsonObject } from '../../core/json/parse-json-object.ts';
import { InvariantError } from '../../core/model/errors.ts';
import { DEFAULT_BUDGET_USD } from '../../core/model/structured-plan.ts';
import { renderPrompt } from '../../core/prompts/render-prompt.ts';
import type { AgentEvent } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import { tryParseShownSteps } from '../../schemas/structured-plan.ts';
import { resolveFile } from '../../system/find-program.ts';
import { createEventReader } from './create-event-reader.ts';
import type { HostAgent } from './host-agent.ts';
import { toModelEnvironment } from './model-environment.ts';
import { parseMessage } from './parse-output.ts';
import { type ToolUses, textAt } from './read-line.ts';

/** Options of `createPlannerAgent`. */
export interface PlannerAgentOptions {
  readonly name: string;
  readonly endpoint: ModelEndpoint;
  readonly siteRoot: string;
  /** `bin/node` of the tools folder, and the program there: `planner-program.mjs`. */
  readonly nodePath: string;
  readonly plannerProgram: string;
}

const DOING: ToolUses = { thinking: 'thinking', reading: 'reading', editing: 'editing', running: 'running' };

/**
 * Creates Ratchet's own agent: its model writes a plan, and the program carries it out, in the agent's site and with nothing but its
 * rights. So whatever the plan says, the sandbox and the gate are those of every agent.
 */
export function createPlannerAgent(options: PlannerAgentOptions): HostAgent {
  const { name, endpoint, siteRoot, nodePath, plannerProgram } = options;
  return {
    name,
    kind: 'planner',
    endpoint,
    check: () => {
      if (resolveFile(plannerProgram) !== null) return Promise.resolve({ kind: 'ok', version: null, isNewer: false });
      return Promise.resolve({ kind: 'unavailable', why: `the program of the planner is missing: ${plannerProgram}` });
    },
    // Node and the program are in the tools folder, which every site shows.
    mounts: () => [],
    command: (request, model) => {
      if (model === null) throw new InvariantError(`the agent ${name} was given no model`);
      const task = {
        prompt: renderPrompt(request),
        targetFiles: request.targets.files,
        budgetUsd: model.maxUsd ?? DEFAULT_BUDGET_USD,
      };
      return {
        argv: [nodePath, plannerProgram, siteRoot, endpoint.dialect],
        env: toModelEnvironment(model),
        stdin: JSON.stringify(task),
        homeFiles: {},
      };
    },
    newEventReader: () => createEventReader(toEvents, siteRoot),
    parseOutput: (printed, request) => parseMessage(printed, request, findMessage),
  };
}

function toEvents(line: JsonObject): readonly AgentEvent[] {
  if (line['type'] === 'doing') {
    const what = DOING[textAt(line, 'what') ?? ''];
    return what === undefined ? [] : [{ kind: 'doing', what, detail: textAt(line, 'detail') ?? '' }];
  }
  if (line['type'] === 'plan') {
    const steps = tryParseShownSteps(line['steps']);
    return steps === null ? [] : [{ kind: 'plan', steps, detail: '' }];
  }
  return line['type'] === 'end' ? [{ kind: 'final', isError: false, detail: '' }] : [];
}

function findMessage(lines: readonly JsonObject[]): string | null {
  return textAt(
    lines.findLast(({ type }) => type === 'end'),
    'result',
  );
}

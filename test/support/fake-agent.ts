import type { AgentRequest, AgentResult } from '../../src/core/model/agent-contract.ts';
import type { Agent, AgentEvent, AgentModel } from '../../src/ports/agent.ts';
import type { ModelEndpoint } from '../../src/ports/model-gateway.ts';
import { ENDPOINT } from './fake-gateway.ts';

/** An agent whose answer a test decides; its program is called `agent`. */
export interface FakeAgent extends Agent {
  /** What it was asked, in order. */
  readonly requests: readonly AgentRequest[];
  readonly answer: (status: AgentResult['status'], summary?: string) => void;
  /** It is blocked until somebody answers. */
  readonly ask: (text: string, choices?: readonly string[]) => void;
  /** How it answers the items of a review from now on, in their order; the last entry serves all further ones. */
  readonly answerItems: (...answers: readonly ItemAnswer[]) => void;
  readonly setUnavailable: (why: string) => void;
  /** It is one that calls a model, and prints events. */
  readonly useModel: () => void;
  /** What it prints in every run from now on; a fine last event where nothing is said. */
  readonly print: (...events: readonly AgentEvent[]) => void;
  /** The models that it was given, in order. */
  readonly models: readonly (AgentModel | null)[];
}

/** An answer to one item; the reason is one where nothing is said. */
export interface ItemAnswer {
  readonly status: NonNullable<AgentResult['answers']>[number]['status'];
  readonly reason?: string;
}

/** An agent that claims success. */
export function createFakeAgent(): FakeAgent {
  const requests: AgentRequest[] = [];
  let result: Pick<AgentResult, 'status' | 'summary' | 'question'> = {
    status: 'success',
    summary: 'Corrected the sum.',
  };
  let unavailable: string | null = null;
  let itemAnswers: readonly ItemAnswer[] = [];
  let endpoint: ModelEndpoint | null = null;
  let events: readonly AgentEvent[] = [{ kind: 'final', isError: false, detail: '' }];
  const models: (AgentModel | null)[] = [];
  return {
    name: 'fake',
    get kind() {
      return endpoint === null ? 'fake' : 'claude';
    },
    get endpoint() {
      return endpoint;
    },
    newEventReader: () => ({ push: () => (endpoint === null ? [] : events) }),
    useModel: () => {
      endpoint = ENDPOINT;
    },
    print: (...printed) => {
      events = printed;
    },
    models,
    requests,
    answer: (status, summary = '') => {
      result = { status, summary };
    },
    ask: (text, choices = []) => {
      result = { status: 'blocked', summary: 'It depends.', question: { text, choices } };
    },
    answerItems: (...answers) => {
      itemAnswers = answers;
    },
    setUnavailable: (why) => {
      unavailable = why;
    },
    check: async () =>
      unavailable === null
        ? { kind: 'ok', version: endpoint === null ? null : '2.1.332', isNewer: false }
        : { kind: 'unavailable', why: unavailable },
    command: (request, model) => {
      requests.push(request);
      models.push(model);
      return { argv: ['agent'], env: {}, stdin: JSON.stringify(request), homeFiles: {} };
    },
    parseOutput: (_printed, request) => ({
      kind: 'result',
      result: {
        ...{ schema_version: 1, run_id: request.run_id, task_id: request.task_id, ...result },
        ...(itemAnswers.length === 0 ? {} : { answers: toAnswers(request, itemAnswers) }),
      },
    }),
  };
}

/** An item is named by its evidence file. */
function toAnswers({ context }: AgentRequest, answers: readonly ItemAnswer[]): NonNullable<AgentResult['answers']> {
  return context.findings_refs.map((path, index) => {
    const { status = 'fixed', reason = 'As asked.' } = answers[Math.min(index, answers.length - 1)] ?? {};
    return { id: path.replace(/^.*\/|\.json$/gu, ''), status, reason };
  });
}

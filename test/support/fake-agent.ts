import type { AgentRequest, AgentResult } from '../../src/core/model/agent-contract.ts';
import type { Agent } from '../../src/ports/agent.ts';

/** An agent whose answer a test decides; its program is called `agent`. */
export interface FakeAgent extends Agent {
  /** What it was asked, in order. */
  readonly requests: readonly AgentRequest[];
  readonly answer: (status: AgentResult['status'], summary?: string) => void;
  /** How it answers the items of a review from now on, in their order; the last entry serves all further ones. */
  readonly answerItems: (...answers: readonly ItemAnswer[]) => void;
  readonly setUnavailable: (why: string) => void;
}

/** An answer to one item; the reason is one where nothing is said. */
export interface ItemAnswer {
  readonly status: NonNullable<AgentResult['answers']>[number]['status'];
  readonly reason?: string;
}

/** An agent that claims success. */
export function createFakeAgent(): FakeAgent {
  const requests: AgentRequest[] = [];
  let result: Pick<AgentResult, 'status' | 'summary'> = { status: 'success', summary: 'Corrected the sum.' };
  let unavailable: string | null = null;
  let itemAnswers: readonly ItemAnswer[] = [];
  return {
    name: 'fake',
    kind: 'fake',
    endpoint: null,
    newEventReader: () => ({ push: () => [] }),
    requests,
    answer: (status, summary = '') => {
      result = { status, summary };
    },
    answerItems: (...answers) => {
      itemAnswers = answers;
    },
    setUnavailable: (why) => {
      unavailable = why;
    },
    check: async () =>
      unavailable === null ? { kind: 'ok', version: null, isNewer: false } : { kind: 'unavailable', why: unavailable },
    command: (request) => {
      requests.push(request);
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

import type { AgentRequest, AgentResult } from '../../src/core/model/agent-contract.ts';
import type { Agent } from '../../src/ports/agent.ts';

/** An agent whose answer a test decides; its program is called `agent`. */
export interface FakeAgent extends Agent {
  /** What it was asked, in order. */
  readonly requests: readonly AgentRequest[];
  readonly answer: (status: AgentResult['status'], summary?: string) => void;
  readonly setUnavailable: (why: string) => void;
}

/** An agent that claims success. */
export function createFakeAgent(): FakeAgent {
  const requests: AgentRequest[] = [];
  let result: Pick<AgentResult, 'status' | 'summary'> = { status: 'success', summary: 'Corrected the sum.' };
  let unavailable: string | null = null;
  return {
    name: 'fake',
    requests,
    answer: (status, summary = '') => {
      result = { status, summary };
    },
    setUnavailable: (why) => {
      unavailable = why;
    },
    check: async () => (unavailable === null ? { kind: 'ok' } : { kind: 'unavailable', why: unavailable }),
    command: (request) => {
      requests.push(request);
      return { argv: ['agent'], env: {}, stdin: JSON.stringify(request), mounts: [] };
    },
    parseOutput: (_stdout, { run_id, task_id }) => ({
      kind: 'result',
      result: { schema_version: 1, run_id, task_id, ...result },
    }),
  };
}

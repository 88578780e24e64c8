import { describe, expect, it } from 'vitest';
import { AgentRequest } from '../../src/schemas/agent-request.ts';
import { aRequest } from '../contract/agents/agent-request.ts';

describe('the type of a task', () => {
  it.each(['fix', 'add_test', 'remove_skip', 'quarantine', 'suppress', 'refactor'])('may be %s (C13)', (type) => {
    expect(AgentRequest.safeParse({ ...aRequest(), task_type: type }).success).toBe(true);
  });

  it.each(['rewrite', 'Fix', '', null])('is none of ours where it is %j (C13)', (type) => {
    expect(AgentRequest.safeParse({ ...aRequest(), task_type: type }).success).toBe(false);
  });
});

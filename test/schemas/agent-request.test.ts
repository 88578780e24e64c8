import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentRequest, toAgentRequestSchemaText } from '../../src/schemas/agent-request.ts';
import { aRequest } from '../contract/agents/agent-request.ts';

describe('the type of a task', () => {
  it.each(['fix', 'add_test', 'remove_skip', 'quarantine', 'suppress', 'refactor'])('may be %s (C13)', (type) => {
    expect(AgentRequest.safeParse({ ...aRequest(), task_type: type }).success).toBe(true);
  });

  it.each(['rewrite', 'Fix', '', null])('is none of ours where it is %j (C13)', (type) => {
    expect(AgentRequest.safeParse({ ...aRequest(), task_type: type }).success).toBe(false);
  });
});

describe('the JSON Schema of a request', () => {
  it('is the published one (001.R34)', () => {
    const published = readFileSync(new URL('../../docs/agent-request.schema.json', import.meta.url), 'utf8');

    expect(JSON.parse(published), 'docs/agent-request.schema.json is stale: npm run docs').toEqual(
      JSON.parse(toAgentRequestSchemaText()),
    );
  });

  it('has the names of the contract', () => {
    const { properties } = z
      .object({ properties: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(toAgentRequestSchemaText()));

    expect(Object.keys(properties)).toEqual([
      ...['schema_version', 'run_id', 'task_id', 'task_type', 'tool', 'repo_path', 'workspace_path', 'allowed_paths'],
      ...['read_only_paths', 'targets', 'context', 'instructions', 'validation', 'constraints'],
    ]);
  });
});

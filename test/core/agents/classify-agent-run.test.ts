import { describe, expect, it } from 'vitest';
import { type AgentRun, classifyAgentRun } from '../../../src/core/agents/classify-agent-run.ts';
import type { AgentResult } from '../../../src/core/model/agent-contract.ts';

const result = (status: AgentResult['status'], summary = ''): AgentRun['output'] => ({
  kind: 'result',
  result: { schema_version: 1, run_id: 'r', task_id: 't', status, summary },
});

const run: AgentRun = {
  ended: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 1,
  processesLeft: 0,
  output: result('success', 'done'),
};

describe('classifyAgentRun', () => {
  it('goes on to judge the tree only when the agent ended well and claims success', () => {
    expect(classifyAgentRun(run)).toEqual({ kind: 'judge_tree', summary: 'done', answers: [] });
  });

  it.each<[string, Partial<AgentRun>, string]>([
    ['a hang, even with a result that says success', { ended: 'timed_out', exitCode: null }, 'timed_out'],
    ['a sandbox that did not start', { ended: 'not_started', exitCode: null }, 'SANDBOX_UNAVAILABLE'],
    ['an agent that was stopped', { ended: 'aborted', exitCode: null }, 'AGENT_CRASHED'],
    ['a flood', { ended: 'output_flood', exitCode: null }, 'AGENT_OUTPUT_FLOOD'],
    ['an agent that took all memory', { ended: 'memory_limit', exitCode: null }, 'MEMORY_LIMIT'],
    ['an agent that forks without end', { ended: 'process_limit', exitCode: null }, 'PROCESS_LIMIT'],
    ['an agent that fills the disk', { ended: 'disk_quota', exitCode: null }, 'DISK_QUOTA'],
    ['an exceeded limit that left processes', { ended: 'memory_limit', processesLeft: 3 }, 'MEMORY_LIMIT'],
    ['processes left behind a good exit', { processesLeft: 2 }, 'PROCESSES_LEFT'],
    ['a crash with a result that says success', { exitCode: 3 }, 'AGENT_CRASHED'],
    ['a kill', { exitCode: null, signal: 'SIGSEGV' }, 'AGENT_CRASHED'],
    ['a result that cannot be used', { output: { kind: 'invalid', why: 'none found' } }, 'RESULT_INVALID'],
    ['an agent that says it failed', { output: result('failure', 'no idea') }, 'AGENT_FAILED'],
    ['an agent that gives no reason', { output: result('failure') }, 'AGENT_FAILED'],
    ['an agent that is blocked', { output: result('blocked', 'needs a key') }, 'AGENT_BLOCKED'],
  ])('refuses %s', (_title, change, expected) => {
    const verdict = classifyAgentRun({ ...run, ...change });

    expect(verdict.kind === 'rejected' ? verdict.code : verdict.kind).toBe(expected);
  });

  it('says which limit was exceeded', () => {
    expect(classifyAgentRun({ ...run, ended: 'disk_quota' })).toMatchObject({
      detail: 'The agent wrote more to the disk than it may and was killed.',
    });
  });

  it('tells what the agent said, or that it said nothing', () => {
    expect(classifyAgentRun({ ...run, output: result('failure', 'no idea') })).toMatchObject({
      detail: 'The agent says that it failed: no idea',
    });
    expect(classifyAgentRun({ ...run, output: result('blocked', ' ') })).toMatchObject({
      detail: 'The agent says that it cannot go on: no reason given',
    });
  });
});

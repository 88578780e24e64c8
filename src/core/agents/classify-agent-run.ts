import { findExceededLimit } from '../limits/exceeded-limit.ts';
import type { AgentResult } from '../model/agent-contract.ts';
import type { CommandEnd } from '../model/command-end.ts';
import type { RejectCode } from '../model/session.ts';

/** How the agent's process ended, and what its output says. */
export interface AgentRun extends Omit<CommandEnd, 'kind' | 'stdoutTail' | 'stderrTail'> {
  readonly ended: CommandEnd['kind'];
  readonly output:
    | { readonly kind: 'result'; readonly result: AgentResult }
    | { readonly kind: 'invalid'; readonly why: string };
}

/** Whether the tree that the agent left is judged further. */
export type AgentVerdict =
  | {
      readonly kind: 'judge_tree';
      readonly summary: string;
      readonly answers: NonNullable<AgentResult['answers']>;
    }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'rejected'; readonly code: RejectCode; readonly detail: string };

/**
 * The first two steps of enforcement: process outcome, then result. A reported success only leads to the gate and proves nothing
 * (001.R38). A reported failure is accepted, regardless of the tree.
 */
export function classifyAgentRun(run: AgentRun): AgentVerdict {
  if (run.ended === 'timed_out') return { kind: 'timed_out' };
  return classifyProcess(run) ?? classifyResult(run);
}

function classifyProcess(run: AgentRun): AgentVerdict | null {
  if (run.ended === 'not_started') return rejected('SANDBOX_UNAVAILABLE', 'The sandbox could not start the agent.');
  if (run.ended === 'aborted') return rejected('AGENT_CRASHED', 'The agent was stopped before it ended.');
  if (run.ended === 'output_flood') {
    return rejected('AGENT_OUTPUT_FLOOD', 'The agent printed more than it may and was stopped.');
  }
  const limit = findExceededLimit(run.ended);
  if (limit !== null) return rejected(limit.code, `The agent ${limit.did}.`);
  if (run.processesLeft > 0) {
    return rejected(
      'PROCESSES_LEFT',
      `${String(run.processesLeft)} processes of the agent outlived it; its tree is not to be trusted.`,
    );
  }
  if (run.exitCode !== 0) return rejected('AGENT_CRASHED', describeExit(run));
  return null;
}

function classifyResult(run: AgentRun): AgentVerdict {
  if (run.output.kind === 'invalid')
    return rejected('RESULT_INVALID', `The agent's result cannot be used: ${run.output.why}.`);
  const { status, summary, answers = [] } = run.output.result;
  if (status === 'failure') return rejected('AGENT_FAILED', `The agent says that it failed: ${orNothing(summary)}`);
  if (status === 'blocked')
    return rejected('AGENT_BLOCKED', `The agent says that it cannot go on: ${orNothing(summary)}`);
  return { kind: 'judge_tree', summary, answers };
}

function describeExit(run: AgentRun): string {
  if (run.signal !== null) return `The agent was killed by ${run.signal}.`;
  return `The agent crashed with exit code ${String(run.exitCode)}.`;
}

function orNothing(summary: string): string {
  return summary.trim() === '' ? 'no reason given' : summary;
}

function rejected(code: RejectCode, detail: string): AgentVerdict {
  return { kind: 'rejected', code, detail };
}

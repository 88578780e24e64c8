import { findExceededLimit } from '../limits/exceeded-limit.ts';
import type { AgentResult } from '../model/agent-contract.ts';
import type { CommandEnd } from '../model/command-end.ts';
import { assertNever } from '../model/errors.ts';
import type { BudgetScope, GatewayRefusal, ModelUse, UpstreamFault } from '../model/model-use.ts';
import type { AgentQuestion, RejectCode } from '../model/session.ts';
import type { TimeBudget } from '../model/spend.ts';
import { toTimeText } from '../text/words.ts';
import { findFault } from './find-fault.ts';

/** The last event of an agent, by its own words. */
export interface FinalEvent {
  readonly isError: boolean;
  /** Untrusted. */
  readonly detail: string;
}

/** The evidence about one run of an agent. */
export interface AgentRun {
  /** What the gateway saw; null: the agent has no model. */
  readonly use: ModelUse | null;
  readonly end: Pick<CommandEnd, 'kind' | 'exitCode' | 'signal' | 'processesLeft'>;
  /** null: it printed none. `not_printed`: agents of its kind never print one. */
  readonly final: FinalEvent | null | 'not_printed';
  readonly output:
    | { readonly kind: 'result'; readonly result: AgentResult }
    | { readonly kind: 'invalid'; readonly why: string };
  /** The budget that left it less than its time limit; null: none did. */
  readonly timeBudget: TimeBudget | null;
}

/** Whether the tree that the agent left is judged further. */
export type AgentVerdict =
  | {
      readonly kind: 'judge_tree';
      readonly summary: string;
      readonly answers: NonNullable<AgentResult['answers']>;
    }
  | { readonly kind: 'timed_out' }
  | {
      readonly kind: 'rejected';
      readonly code: RejectCode;
      readonly detail: string;
      readonly question?: AgentQuestion;
    };

type Row = (run: AgentRun) => AgentVerdict | null;

/** Longest quote of an agent or the gateway, in UTF-16 code units. */
const MAX_DETAIL = 500;

/**
 * The table by which a run is judged; the first row that matches wins. What the gateway saw comes first, what the agent says comes
 * later, and its exit code last: CLIs exit with 0, or report success, after errors of the model.
 */
const ROWS: readonly Row[] = [
  notStarted,
  stoppedByGateway,
  failedByModel,
  timedOut,
  refusedCall,
  noModelCall,
  outputFlood,
  limitExceeded,
  processesLeft,
  crashed,
  saysError,
];

/**
 * Judges a run by its evidence. A reported success only leads to the gate and proves nothing (001.R38). A reported failure is
 * accepted, regardless of the tree.
 */
export function judgeAgentRun(run: AgentRun): AgentVerdict {
  for (const row of ROWS) {
    const verdict = row(run);
    if (verdict !== null) return verdict;
  }
  return judgeResult(run);
}

function notStarted({ end }: AgentRun): AgentVerdict | null {
  // The reason names folders of the machine, so it is not told here.
  return end.kind === 'not_started'
    ? rejected('SANDBOX_UNAVAILABLE', 'The sandbox could not start the agent. Its artifact agent.stderr.log says why.')
    : null;
}

/** A budget, or the kill switch. */
function stoppedByGateway({ use }: AgentRun): AgentVerdict | null {
  const stop = use?.stoppedBy ?? null;
  switch (stop?.why) {
    case 'budget_usd':
    case 'budget_calls':
    case 'budget_tokens':
      return rejected(toBudgetCode(stop.scope), quote(stop.detail));
    case 'switched_off':
      return rejected('AGENTS_SWITCHED_OFF', quote(stop.detail));
    default:
      return null;
  }
}

function failedByModel({ use }: AgentRun): AgentVerdict | null {
  const fault = use === null ? null : findFault(use);
  const code = fault === null ? null : FAULT_CODES[fault];
  return fault === null || code === null ? null : rejected(code, FAULT_WORDS[fault]);
}

function timedOut({ end, timeBudget }: AgentRun): AgentVerdict | null {
  if (end.kind !== 'timed_out') return null;
  if (timeBudget === null) return { kind: 'timed_out' };
  const { scope, limit, used } = timeBudget;
  const left = `${toTimeText(limit - used)} of the ${toTimeText(limit)} of the budget per ${scope.replace('_', ' ')}`;
  return rejected(toBudgetCode(scope), `The agent was ended: it had used the ${left} that were left for it.`);
}

function toBudgetCode(scope: BudgetScope | null): RejectCode {
  return scope === 'day' || scope === 'month' ? 'BUDGET_PERIOD_EXHAUSTED' : 'BUDGET_EXHAUSTED';
}

/** An agent may go on without what was refused, so a run that succeeded all the same does not match. */
function refusedCall(run: AgentRun): AgentVerdict | null {
  const { use } = run;
  if (use === null) return null;
  if (use.lastCall === 'bad_request') return rejected('MODEL_REFUSED', FAULT_WORDS.bad_request);
  const stop = use.stoppedBy;
  if (stop !== null) return rejected('MODEL_REFUSED', quote(stop.detail));
  const refused = COUNTED_REFUSALS.filter((why) => (use.refused[why] ?? 0) > 0);
  if (refused.length === 0 || isSuccess(run)) return null;
  return rejected('MODEL_REFUSED', `The gateway refused calls of the agent: ${toRefusedText(use)}.`);
}

function noModelCall({ use }: AgentRun): AgentVerdict | null {
  if (use === null || use.calls > 0) return null;
  const refused = toRefusedText(use);
  const also = refused === '' ? '' : ` The gateway refused what it sent: ${refused}.`;
  return rejected('NO_MODEL_CALL', `The agent ended without a call to its model.${also}`);
}

function outputFlood({ end }: AgentRun): AgentVerdict | null {
  if (end.kind !== 'output_flood') return null;
  return rejected('AGENT_OUTPUT_FLOOD', 'The agent printed more than it may and was stopped.');
}

function limitExceeded({ end }: AgentRun): AgentVerdict | null {
  const limit = findExceededLimit(end.kind);
  return limit === null ? null : rejected(limit.code, `The agent ${limit.did}.`);
}

function processesLeft({ end }: AgentRun): AgentVerdict | null {
  if (end.processesLeft === 0) return null;
  const count = String(end.processesLeft);
  return rejected('PROCESSES_LEFT', `${count} processes of the agent outlived it; its tree is not to be trusted.`);
}

/** Stopped, or ended without its last event. Where no such event exists, the exit code has to do. */
function crashed({ end, final }: AgentRun): AgentVerdict | null {
  if (end.kind !== 'exited') return rejected('AGENT_CRASHED', 'The agent was stopped before it ended.');
  if (final !== null && (final !== 'not_printed' || end.exitCode === 0)) return null;
  return rejected('AGENT_CRASHED', describeExit(end));
}

function saysError({ final }: AgentRun): AgentVerdict | null {
  if (final === null || final === 'not_printed' || !final.isError) return null;
  return rejected('AGENT_FAILED', `The agent says that it failed: ${orNothing(quote(final.detail))}`);
}

function judgeResult({ output }: AgentRun): AgentVerdict {
  if (output.kind === 'invalid') return rejected('RESULT_INVALID', `The agent's result cannot be used: ${output.why}.`);
  const { status, summary, answers = [], question } = output.result;
  switch (status) {
    case 'failure':
      return rejected('AGENT_FAILED', `The agent says that it failed: ${orNothing(summary)}`);
    case 'blocked':
      if (question !== undefined) {
        const detail = `The agent asks: ${question.text}`;
        return { kind: 'rejected', code: 'ANSWER_NEEDED', detail, question: { ...question, answer: null } };
      }
      return rejected('AGENT_BLOCKED', `The agent says that it cannot go on: ${orNothing(summary)}`);
    case 'success':
      return { kind: 'judge_tree', summary, answers };
    default:
      return assertNever(status);
  }
}

/** Codes of faults that no agent can do anything about; null: see `refusedCall`. */
const FAULT_CODES: Readonly<Record<UpstreamFault, RejectCode | null>> = {
  auth: 'MODEL_AUTH',
  no_credit: 'MODEL_NO_CREDIT',
  rate_limited: 'MODEL_RATE_LIMITED',
  overloaded: 'MODEL_UNAVAILABLE',
  silent: 'MODEL_UNAVAILABLE',
  cut: 'MODEL_UNAVAILABLE',
  unreadable: 'MODEL_UNAVAILABLE',
  too_long: 'CONTEXT_TOO_LONG',
  bad_request: null,
};

/** What the model did, as a sentence. */
export const FAULT_WORDS: Readonly<Record<UpstreamFault, string>> = {
  auth: 'The model does not accept the key, or the key cannot be used.',
  no_credit: 'The account of the model has no credit left.',
  rate_limited: 'The model answers that there were too many calls.',
  overloaded: 'The model is overloaded or out of order.',
  silent: 'The model stopped answering.',
  cut: 'The connection to the model failed, or ended in the middle of an answer.',
  unreadable: 'What answers at the address of the model is no answer of its API.',
  too_long: 'The conversation does not fit into the context of the model.',
  bad_request: 'The model refuses what the agent sent.',
};

/** Refusals of the gateway that can keep an agent from its work. */
const COUNTED_REFUSALS: readonly GatewayRefusal[] = ['model_not_allowed', 'hosted_tool', 'too_large'];

function toRefusedText({ refused, lastRefusal }: ModelUse): string {
  const counts = Object.entries(refused)
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${why} (${String(count)})`)
    .join(', ');
  return lastRefusal === null ? counts : `${counts}; the last one: ${quote(lastRefusal)}`;
}

/** Whether all of them say so: the last call, the agent's last event, its result. */
function isSuccess(run: AgentRun): boolean {
  const { use, end, output } = run;
  if (use?.lastCall !== 'ok' || end.kind !== 'exited' || crashed(run) !== null || saysError(run) !== null) return false;
  return output.kind === 'result' && output.result.status === 'success';
}

function describeExit({ signal, exitCode }: AgentRun['end']): string {
  if (signal !== null) return `The agent was killed by ${signal}.`;
  if (exitCode === 0) return 'The agent ended without its last event.';
  return `The agent crashed with exit code ${String(exitCode)}.`;
}

function quote(text: string): string {
  return text.slice(0, MAX_DETAIL).toWellFormed();
}

function orNothing(summary: string): string {
  return summary.trim() === '' ? 'no reason given' : summary;
}

function rejected(code: RejectCode, detail: string): AgentVerdict {
  return { kind: 'rejected', code, detail };
}

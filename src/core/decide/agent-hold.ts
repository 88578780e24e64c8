import type { AgentStanding } from '../model/agent-standing.ts';
import type { DecisionCode } from '../model/decision.ts';
import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { BudgetUnit } from '../model/model-use.ts';
import type { TimeBudget } from '../model/spend.ts';
import { toMoneyText, toTimeText, toUtcMinute } from '../text/words.ts';
import { type Clause, toSentence } from './clause.ts';

/** The decision code for a standing, and the clause that continues a reason. */
export interface AgentHold {
  readonly code: DecisionCode;
  readonly clause: Clause;
}

/** Why no agent may be launched; null: one may. */
export function toAgentHold(standing: AgentStanding): AgentHold | null {
  switch (standing.kind) {
    case 'ready':
      return null;
    case 'unknown':
      return { code: 'AGENT_UNKNOWN', clause: `, but no agent with the name ${quote(standing.agent)} is configured.` };
    case 'model_unknown':
      return {
        code: 'AGENT_UNKNOWN',
        clause: `, but the agent ${quote(standing.agent)} may not use the model ${quote(standing.model)}.`,
      };
    case 'unpriced':
      return {
        code: 'MODEL_UNUSABLE',
        clause: `, but a budget in USD is set, and the model ${quote(standing.model)} has no price.`,
      };
    case 'owner_unknown':
      return { code: 'AGENT_NOT_ALLOWED', clause: ', but GitHub has not said yet which account owns the App.' };
    case 'not_allowed': {
      const clause =
        `, but the operator does not let the agent ${quote(standing.agent)} spend money in this repository.` as const;
      return { code: 'AGENT_NOT_ALLOWED', clause };
    }
    case 'switched_off':
      return { code: 'AGENTS_SWITCHED_OFF', clause: `, but ${toSwitchText(standing)}` };
    case 'over_budget':
      return standing.until === null
        ? { code: 'BUDGET_EXHAUSTED', clause: `, and ${toBudgetText(standing)}.` }
        : {
            code: 'BUDGET_AWAITED',
            clause: `, but ${toBudgetText(standing)}. ${toRenewalText(standing.what, toUtcMinute(standing.until))}`,
          };
    case 'circuit_open':
      return {
        code: standing.until === null ? 'MODEL_UNUSABLE' : 'MODEL_AWAITED',
        clause: `, but ${toCircuitText(standing)}`,
      };
    default:
      return assertNever(standing);
  }
}

/** When the obstacle of a standing is over by itself; null: that is not known. */
export function toAgentReady(standing: AgentStanding): EpochMs | null {
  if (standing.kind === 'over_budget') return standing.until;
  return standing.kind === 'circuit_open' && !standing.isTried ? standing.until : null;
}

/** A sentence about why no agent may be launched; null: one may. Contains untrusted text. */
export function describeStanding(standing: AgentStanding): string | null {
  const hold = toAgentHold(standing);
  return hold === null ? null : toSentence(hold.clause);
}

function toSwitchText({ isEverywhere, by, reason, since }: AgentStanding & { readonly kind: 'switched_off' }): string {
  const where = isEverywhere ? '' : ' for this repository';
  const why = reason.trim() === '' ? '' : `: ${reason.slice(0, MAX_REASON)}`;
  return `${by.slice(0, MAX_NAME)} switched agents off${where} at ${toUtcMinute(since)}${why}.`;
}

const MAX_NAME = 60;
const MAX_REASON = 200;

const SCOPE_WORDS = {
  pull_request: 'this pull request',
  day: 'this repository for today',
  month: 'this installation for this month',
} as const;

function toBudgetText({ scope, what, limit, used }: AgentStanding & { readonly kind: 'over_budget' }): string {
  const toText = UNIT_TEXTS[what];
  if (scope === 'fixup') return `the budget of a fixup is ${toText(limit)}${UNIT_WORDS[what]}`;
  const amount = `${toText(used)} of ${toText(limit)}${UNIT_WORDS[what]}`;
  return what === 'time'
    ? `the budget of ${SCOPE_WORDS[scope]} has less than a minute left (${amount} are used or reserved)`
    : `the budget of ${SCOPE_WORDS[scope]} is used up (${amount})`;
}

const UNIT_TEXTS: Readonly<Record<BudgetUnit, (amount: number) => string>> = {
  ...{ usd: toMoneyText, calls: String, tokens: String, time: toTimeText },
};
const UNIT_WORDS: Readonly<Record<BudgetUnit, string>> = {
  ...{ usd: '', calls: ' calls to models', tokens: ' tokens of models', time: " of agents' work" },
};

/** Agents at work give back what they did not need, perhaps sooner. */
function toRenewalText(what: BudgetUnit, at: string): string {
  return what === 'time' ? `It has time again at ${at} at the latest.` : `It is renewed at ${at}.`;
}

/** Why an agent may not start. */
export function describeTimeBudget(budget: TimeBudget): string {
  return toSentence(`, but ${toBudgetText({ kind: 'over_budget', ...budget, until: null })}.`);
}

/** What the model did, as the end of a sentence. */
const FAULT_WORDS: Readonly<Record<(AgentStanding & { readonly kind: 'circuit_open' })['fault'], string>> = {
  auth: 'does not accept the key',
  no_credit: 'has no credit left',
  rate_limited: 'accepts no more calls for now',
  overloaded: 'is overloaded or out of order',
  silent: 'has stopped answering',
  cut: 'cannot be reached, or breaks off its answers',
  unreadable: 'does not answer as its API should',
  too_long: 'does not take requests of this length',
  bad_request: 'refuses what the agent sends',
  key_file: 'has no key file that can be used',
};

function toCircuitText({ agent, fault, until, isTried }: AgentStanding & { readonly kind: 'circuit_open' }): string {
  const what = `the model of the agent ${quote(agent)} ${FAULT_WORDS[fault]}`;
  if (until === null) return `${what}. No agent starts until the operator changes its configuration.`;
  if (isTried) return `${what}. Another fixup tries it first.`;
  return `${what}. No agent starts until ${toUtcMinute(until)}.`;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

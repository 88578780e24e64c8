import type { AgentSettings, ModelEndpoint } from '../model/agent-settings.ts';
import type { AgentStanding, LASTING_SCOPES } from '../model/agent-standing.ts';
import type { EpochMs } from '../model/ids.ts';
import { BUDGET_SCOPES, BUDGET_UNITS, type BudgetUnit } from '../model/model-use.ts';
import type { Policy } from '../model/policy.ts';
import type { AgentSwitch, ReservedTime, SpendLimits, Spent } from '../model/spend.ts';
import { LEAST_CHARGE, NOTHING_SPENT } from './charge.ts';
import { findExceeded } from './check-limits.ts';
import { LEAST_TIME_MS } from './grant-time.ts';
import { maySpend, type SpendList } from './may-spend.ts';
import { toStartOfNextDay, toStartOfNextMonth } from './scope-key.ts';
import { hasUsdBudget, toSessionModel } from './session-limits.ts';

/** What is known before a launch. */
export interface LaunchFacts {
  /** The agent that the policy chooses; null: the operator has not configured it. */
  readonly agent: Pick<AgentSettings, 'name' | 'endpoint'> | null;
  readonly policy: Pick<Policy, 'agent'>;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly list: SpendList;
  readonly agentSwitch: AgentSwitch | null;
  /** See `toSpendLimits`. */
  readonly limits: SpendLimits;
  readonly spent: Readonly<Record<(typeof LASTING_SCOPES)[number], Spent>>;
  /** The time that agents at work reserve, of a day and of a month. */
  readonly reserved: Readonly<Record<'day' | 'month', ReservedTime>>;
  readonly now: EpochMs;
}

type Obstacle = Exclude<AgentStanding, { readonly kind: 'ready' }>;

/** Why no agent may be launched for a pull request; null: nothing but its circuit can forbid it. */
export function findObstacle(facts: LaunchFacts): Obstacle | null {
  const { agent, agentSwitch, policy } = facts;
  if (agentSwitch !== null) return toSwitchedOff(agentSwitch);
  if (agent === null) return { kind: 'unknown', agent: policy.agent.name ?? '' };
  const { name, endpoint } = agent;
  return endpoint === null
    ? findBudgetObstacle(facts, ['time'])
    : (findListObstacle(name, facts) ?? findModelObstacle(endpoint, facts) ?? findBudgetObstacle(facts, BUDGET_UNITS));
}

function toSwitchedOff({ repositoryId, by, reason, offSince }: AgentSwitch): Obstacle {
  return { kind: 'switched_off', isEverywhere: repositoryId === null, by, reason, since: offSince };
}

function findListObstacle(agent: string, { list, repository }: LaunchFacts): Obstacle | null {
  switch (maySpend(list, repository)) {
    case 'yes':
      return null;
    case 'no':
      return { kind: 'not_allowed', agent };
    case 'unknown':
      return { kind: 'owner_unknown' };
  }
}

function findModelObstacle(
  { name: agent, prices, models }: ModelEndpoint,
  { policy, limits }: LaunchFacts,
): Obstacle | null {
  const model = toSessionModel({ models }, policy.agent.model);
  if (model === null) return { kind: 'model_unknown', agent, model: policy.agent.model ?? '' };
  return hasUsdBudget(limits) && !Object.hasOwn(prices, model) ? { kind: 'unpriced', agent, model } : null;
}

/** A budget is used up where not even the cheapest call fits into it. That of a fixup is whole at first, and may be nothing. */
function findBudgetObstacle(
  { limits, spent, reserved, now }: LaunchFacts,
  units: readonly BudgetUnit[],
): Obstacle | null {
  const used = { ...spent, fixup: NOTHING_SPENT };
  const scopes = BUDGET_SCOPES.flatMap((scope) => {
    const limit = limits[scope];
    return limit === undefined ? [] : [{ scope, limit, used: used[scope] }];
  });
  const exceeded = findExceeded(scopes, units, { ...LEAST_CHARGE, calls: 1, timeMs: LEAST_TIME_MS });
  if (exceeded === null) return null;
  const { scope, what, limit, used: amount } = exceeded;
  if (scope === 'fixup' || scope === 'pull_request') return { kind: 'over_budget', ...exceeded, until: null };
  const start = { day: toStartOfNextDay(now), month: toStartOfNextMonth(now) }[scope];
  const { timeMs, until } = reserved[scope];
  const comesBack = what === 'time' && amount - timeMs + LEAST_TIME_MS <= limit;
  return { kind: 'over_budget', ...exceeded, until: comesBack ? Math.min(until, start) : start };
}

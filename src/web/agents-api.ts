import { toPullRequestKey } from '../core/model/ids.ts';
import type { RepositoryRef } from '../core/model/pull-request.ts';
import type { SpendLimits, SpendScope, Spent } from '../core/model/spend.ts';
import { toMinutes } from '../core/spend/session-limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { CircuitStore, SwitchStore } from '../ports/spend-store.ts';
import { type AgentsJson, AgentsSwitch, type SpendJson, SpendQuery } from '../schemas/admin-api.ts';
import { toIsoText } from '../schemas/instant.ts';
import { parseBySchema } from '../schemas/invalid-input.ts';
import {
  type ApiResponse,
  type Call,
  type FindRepository,
  findRepository,
  parseJson,
  unknownRepository,
} from './admin-call.ts';

/** What the admin API needs for agents and their costs. */
export interface AgentsApiDeps extends FindRepository {
  readonly clock: Clock;
  readonly agents: Pick<SwitchStore, 'agentSwitches' | 'switchAgentsOff' | 'switchAgentsOn'> &
    Pick<CircuitStore, 'circuits'> & {
      readonly repository: (repositoryId: number) => Pick<RepositoryRef, 'owner' | 'name'> | null;
      readonly spent: (scope: SpendScope) => Spent;
      /** The operator's limits. */
      readonly limits: SpendLimits;
    };
}

/** The switches that are off, and the circuits that are open. */
export function showAgents({ agents, clock }: AgentsApiDeps): ApiResponse {
  const now = clock.now();
  const toName = (repositoryId: number): string => {
    const repository = agents.repository(repositoryId);
    return repository === null ? String(repositoryId) : `${repository.owner}/${repository.name}`;
  };
  const body: AgentsJson = {
    switches: agents.agentSwitches().map(({ repositoryId, offSince, by, reason }) => ({
      repository: repositoryId === null ? null : toName(repositoryId),
      offSince: toIsoText(offSince),
      ...{ by, reason },
    })),
    circuits: agents
      .circuits()
      .filter(({ until }) => until === null || until > now)
      .map(({ agent, fault, failures, openedAt, until }) => ({
        ...{ agent, fault, failures },
        openedAt: toIsoText(openedAt),
        until: until === null ? null : toIsoText(until),
      })),
  };
  return { status: 200, body };
}

/** Turns the kill switch. */
export function switchAgents(deps: AgentsApiDeps, { body }: Call): ApiResponse {
  const { repository: name, enabled, by = 'the admin API', reason = '' } = parseBySchema(AgentsSwitch, parseJson(body));
  const repository = name === undefined ? null : findRepository(deps, name);
  if (name !== undefined && repository === null) return unknownRepository(name);
  const repositoryId = repository?.repositoryId ?? null;
  if (enabled) deps.agents.switchAgentsOn(repositoryId);
  else deps.agents.switchAgentsOff({ repositoryId, offSince: deps.clock.now(), by, reason });
  return showAgents(deps);
}

/** What was spent today and this month, and on a pull request. */
export function showSpend(deps: AgentsApiDeps, { query }: Call): ApiResponse {
  const { repository: name, number } = parseBySchema(SpendQuery, Object.fromEntries(query));
  const repository = findRepository(deps, name);
  if (repository === null) return unknownRepository(name);
  const { repositoryId, installationId } = repository;
  const at = deps.clock.now();
  const scopes: readonly SpendScope[] = [
    ...(number === undefined ? [] : [{ scope: 'pull_request' as const, key: toPullRequestKey(repositoryId, number) }]),
    { scope: 'day', repositoryId, at },
    { scope: 'month', installationId, at },
  ];
  const body: SpendJson = {
    spent: scopes.map((scope) => toSpendJson(scope.scope, deps.agents.spent(scope), deps.agents.limits)),
  };
  return { status: 200, body };
}

function toSpendJson(scope: SpendScope['scope'], spent: Spent, limits: SpendLimits): SpendJson['spent'][number] {
  const { maxMicroUsd = null, maxCalls = null, maxTokens = null, maxTimeMs = null } = limits[scope] ?? {};
  const { microUsd, calls, tokens, timeMs } = spent;
  return {
    scope,
    usd: toUsd(microUsd),
    maxUsd: maxMicroUsd === null ? null : toUsd(maxMicroUsd),
    calls,
    maxCalls,
    tokens,
    maxTokens,
    minutes: toMinutes(timeMs),
    maxMinutes: maxTimeMs === null ? null : toMinutes(maxTimeMs),
  };
}

function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

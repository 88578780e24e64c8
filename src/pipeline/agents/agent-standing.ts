import { findOpenCircuit } from '../../core/agents/find-open-circuit.ts';
import type { AgentStanding } from '../../core/model/agent-standing.ts';
import { ConfigError, InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, SessionId } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { ModelCircuit } from '../../core/model/spend.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { findObstacle, type LaunchFacts } from '../../core/spend/may-launch.ts';
import { toSpendLimits } from '../../core/spend/session-limits.ts';
import type { Agent } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import type { Deps } from '../deps.ts';

/** The agent of a pull request; null: the operator has configured none of that name. */
export interface ChosenAgent {
  /** Its name; as the policy has it, if the operator has configured none. */
  readonly name: string;
  readonly agent: Agent | null;
  /** Identity of its model's configuration, key included; null: it has no model, or its key cannot be used. */
  readonly fingerprint: string | null;
}

/** Finds the agent, and reads whether its configuration has changed. */
export async function chooseAgent(
  deps: Pick<Deps, 'agents' | 'gateway' | 'log'>,
  name: string | null,
): Promise<ChosenAgent> {
  const agent = deps.agents.find(name);
  const endpoint = agent?.endpoint ?? null;
  return {
    name: agent?.name ?? name ?? '',
    agent,
    fingerprint: endpoint === null ? null : await readFingerprint(deps, endpoint),
  };
}

async function readFingerprint(
  { gateway, log }: Pick<Deps, 'gateway' | 'log'>,
  endpoint: ModelEndpoint,
): Promise<string | null> {
  if (gateway === null) throw new InvariantError(`agent ${endpoint.name} has a model, but there is no gateway`);
  try {
    return await gateway.fingerprint(endpoint);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.warn({ agent: endpoint.name, error }, 'key of a model cannot be used');
    return null;
  }
}

/** What a standing is read for. */
export interface StandingOf {
  readonly workspace: Pick<Workspace, 'key' | 'repository'>;
  readonly policy: Policy;
  readonly now: EpochMs;
  /** The session that asks, if there is one already. */
  readonly self?: SessionId;
}

/** Whether the agent may be launched now: kill switch, allow-list, budgets, circuit. Makes no call and reads no file. */
export function readStanding(
  deps: Pick<Deps, 'settings' | 'store'>,
  { agent, fingerprint }: ChosenAgent,
  of: StandingOf,
): AgentStanding {
  const obstacle = findObstacle(toLaunchFacts(deps, agent, of));
  if (obstacle !== null) return obstacle;
  if (agent === null || agent.endpoint === null) return { kind: 'ready' };
  const circuit = fingerprint === null ? null : deps.store.circuit(fingerprint);
  const found = { agent: agent.name, isKeyUsable: fingerprint !== null, circuit, now: of.now };
  return findOpenCircuit({ ...found, isTried: isTried(deps, circuit, of) }) ?? { kind: 'ready' };
}

function toLaunchFacts(
  { settings, store }: Pick<Deps, 'settings' | 'store'>,
  agent: Agent | null,
  { workspace: { key, repository }, policy, now: at }: StandingOf,
): LaunchFacts {
  const { repositoryId, installationId } = repository;
  const spent = {
    pull_request: store.spent({ scope: 'pull_request', key }),
    day: store.spent({ scope: 'day', repositoryId, at }),
    month: store.spent({ scope: 'month', installationId, at }),
  };
  const reserved = {
    day: store.reservedTime({ scope: 'day', repositoryId, at }),
    month: store.reservedTime({ scope: 'month', installationId, at }),
  };
  const limits = toSpendLimits(settings.spend.limits, policy.agent.budget);
  const agentSwitch = store.agentSwitch(repositoryId);
  return { agent, policy, repository, list: settings.spend.list(), agentSwitch, limits, spent, reserved, now: at };
}

/** Whether a fixup is on its way that was launched after the time of the circuit was over. */
function isTried(
  { store }: Pick<Deps, 'store'>,
  circuit: ModelCircuit | null,
  { self, now }: Pick<StandingOf, 'self' | 'now'>,
): boolean {
  const until = circuit?.until ?? null;
  if (circuit === null || until === null || until > now) return false;
  return store
    .allLiveSessions()
    .some(({ id, fixup, startedAt }) => id !== self && fixup?.agent === circuit.agent && startedAt >= until);
}

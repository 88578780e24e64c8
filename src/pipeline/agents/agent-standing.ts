import { toAgentStanding } from '../../core/agents/to-agent-standing.ts';
import type { AgentStanding } from '../../core/model/agent-standing.ts';
import { ConfigError, InvariantError } from '../../core/model/errors.ts';
import type { EpochMs, SessionId } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { ModelCircuit } from '../../core/model/spend.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { Agent } from '../../ports/agent.ts';
import type { ModelEndpoint } from '../../ports/model-gateway.ts';
import type { Deps } from '../deps.ts';

/** The agent of a pull request; null: the operator has configured none of that name. */
export interface ChosenAgent {
  /** Its name, as the policy has it; null: the policy names none, so it is the default one. */
  readonly name: string | null;
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
  return { name, agent, fingerprint: endpoint === null ? null : await readFingerprint(deps, endpoint) };
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
  { settings, store }: Pick<Deps, 'settings' | 'store'>,
  { name, agent, fingerprint }: ChosenAgent,
  of: StandingOf,
): AgentStanding {
  if (agent === null) return { kind: 'unknown', agent: name ?? '' };
  const { workspace, policy, now: at } = of;
  const { repositoryId, installationId } = workspace.repository;
  const circuit = fingerprint === null ? null : store.circuit(fingerprint);
  const model = {
    isAllowed: settings.spend.mayUse(workspace.repository),
    limits: settings.spend.limits(policy),
    spent: {
      pull_request: store.spent({ scope: 'pull_request', key: workspace.key }),
      day: store.spent({ scope: 'day', repositoryId, at }),
      month: store.spent({ scope: 'month', installationId, at }),
    },
    isKeyUsable: fingerprint !== null,
    circuit,
    isTried: isTried({ store }, circuit, of),
  };
  return toAgentStanding({
    agent: agent.name,
    model: agent.endpoint === null ? null : model,
    switchedOff: store.agentSwitch(repositoryId),
    now: at,
  });
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

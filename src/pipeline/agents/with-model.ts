import { InvariantError } from '../../core/model/errors.ts';
import type { SpendLimits } from '../../core/model/spend.ts';
import { toSessionModel, toUsd } from '../../core/spend/session-limits.ts';
import type { AgentModel } from '../../ports/agent.ts';
import type { GatewaySession, ModelEndpoint, OpenGateway } from '../../ports/model-gateway.ts';
import type { SiteRelay } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import type { TakenAgent } from './take-agent.ts';

/** The port of 127.0.0.1 inside the agent's site that leads to the gateway. */
const MODEL_PORT = 4880;

/** The model of one run of an agent. */
export interface OpenModel {
  readonly model: AgentModel;
  readonly relay: SiteRelay;
  readonly gateway: OpenGateway;
}

/** Who an agent works for, and what it may spend. */
export interface AgentAccount extends Omit<GatewaySession, 'endpoint' | 'model'> {
  /** All limits, for how long the agent may work. The gateway has its own. */
  readonly limits: SpendLimits;
  /** The model that is asked for; null: the agent's default one. */
  readonly wantedModel: string | null;
}

/**
 * Opens the gateway for one run of an agent, and closes it in all cases; null for an agent without a model. @throws ConfigError if
 * the key file cannot be used.
 */
export async function withModel<Result>(
  deps: Pick<Deps, 'gateway'>,
  { wantedModel, ...account }: AgentAccount,
  { agent: { endpoint } }: TakenAgent,
  work: (opened: OpenModel | null) => Promise<Result>,
): Promise<Result> {
  if (endpoint === null) return work(null);
  if (deps.gateway === null) throw new InvariantError('no gateway for an agent with a model');
  const model = toModel(endpoint, wantedModel);
  const { maxMicroUsd } = account;
  const gateway = await deps.gateway.open({ ...account, endpoint, model });
  try {
    const relay = { name: 'model', socketPath: gateway.socketPath, port: MODEL_PORT } as const;
    const address = `http://127.0.0.1:${String(MODEL_PORT)}`;
    const maxUsd = maxMicroUsd === null ? null : toUsd(maxMicroUsd);
    return await work({ model: { address, token: gateway.token, model, maxUsd }, relay, gateway });
  } finally {
    await gateway.close();
  }
}

function toModel(endpoint: ModelEndpoint, wanted: string | null): string {
  const model = toSessionModel(endpoint, wanted);
  if (model === null) throw new InvariantError(`agent ${endpoint.name} may not use the model of the policy`);
  return model;
}

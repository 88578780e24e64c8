import { addAgentUse, toUsed } from '../../core/agents/to-agent-use.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { FixupSession } from '../../core/model/session.ts';
import type { SpendLimit } from '../../core/model/spend.ts';
import { toSessionModel, toSpendLimits, toUsd } from '../../core/spend/session-limits.ts';
import type { AgentModel } from '../../ports/agent.ts';
import type { GatewaySession, ModelEndpoint, OpenGateway } from '../../ports/model-gateway.ts';
import type { SiteRelay } from '../../ports/site.ts';
import { recordTrial } from '../agents/record-trial.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';
import type { TakenAgent } from './take-agent.ts';

/** The port of 127.0.0.1 inside the agent's site that leads to the gateway. */
const MODEL_PORT = 4880;

/** The model of one run of an agent. */
export interface OpenModel {
  readonly model: AgentModel;
  readonly relay: SiteRelay;
  readonly gateway: OpenGateway;
}

/**
 * Opens the gateway for one run of an agent, and closes it in all cases; null for an agent without a model. @throws ConfigError if
 * the key file cannot be used.
 */
export async function withModel<Result>(
  deps: Pick<Deps, 'gateway' | 'settings' | 'store'>,
  prepared: Pick<PreparedFixup, 'session' | 'policy'>,
  { agent: { endpoint } }: TakenAgent,
  work: (opened: OpenModel | null) => Promise<Result>,
): Promise<Result> {
  if (endpoint === null) return work(null);
  const model = toModel(endpoint, prepared.policy);
  const { maxMicroUsd = null, maxCalls = null } = toFixupLimits(deps, prepared);
  const gateway = await openGateway(deps, prepared, { endpoint, model, maxMicroUsd, maxCalls });
  try {
    const relay = { name: 'model', socketPath: gateway.socketPath, port: MODEL_PORT } as const;
    const address = `http://127.0.0.1:${String(MODEL_PORT)}`;
    const maxUsd = maxMicroUsd === null ? null : toUsd(maxMicroUsd);
    return await work({ model: { address, token: gateway.token, model, maxUsd }, relay, gateway });
  } finally {
    await gateway.close();
  }
}

function toModel(endpoint: ModelEndpoint, { agent }: Policy): string {
  const model = toSessionModel(endpoint, agent.model);
  if (model === null) throw new InvariantError(`agent ${endpoint.name} may not use the model of the policy`);
  return model;
}

/** The lower of operator and policy. */
function toFixupLimits(
  { settings }: Pick<Deps, 'settings'>,
  { policy }: Pick<PreparedFixup, 'policy'>,
): Partial<SpendLimit> {
  return toSpendLimits(settings.spend.limits, policy.agent.budget).fixup ?? {};
}

async function openGateway(
  { gateway, store }: Pick<Deps, 'gateway' | 'store'>,
  { session }: Pick<PreparedFixup, 'session'>,
  of: Pick<GatewaySession, 'endpoint' | 'model' | 'maxMicroUsd' | 'maxCalls'>,
): Promise<OpenGateway> {
  const workspace = store.workspace(session.key);
  if (gateway === null || workspace === null) throw new InvariantError('no gateway for an agent with a model');
  const { repositoryId, installationId } = workspace.repository;
  const { id: sessionId, key } = session;
  return gateway.open({ ...of, sessionId, key, repositoryId, installationId });
}

/** Ends the calls of an agent that has ended, and stores what it used and what was seen of its model. */
export async function settleModel(
  deps: Pick<Deps, 'clock' | 'log' | 'store'>,
  session: FixupSession,
  { taken, opened, began }: { readonly taken: TakenAgent; readonly opened: OpenModel | null; readonly began: EpochMs },
): Promise<void> {
  const { agent, version, fingerprint } = taken;
  const durationMs = deps.clock.now() - began;
  // What its end cuts off says nothing about the model.
  const seen = opened?.gateway.use() ?? null;
  const use = (await opened?.gateway.close()) ?? null;
  const model = opened?.model.model ?? null;
  const run = { agent: agent.name, version, model, ...toUsed(use), durationMs };
  deps.store.saveAgentUse(session.id, addAgentUse(deps.store.session(session.id)?.agentUse ?? null, run));
  if (seen !== null) noteTrial(deps, session, { fingerprint, agent: agent.name, use: seen });
}

/** Closes the circuit with a call that succeeds, so that others need not wait for the end of the session. */
export function followTrial(
  deps: Pick<Deps, 'clock' | 'log' | 'store'>,
  session: FixupSession,
  { agent, fingerprint }: TakenAgent,
  use: ModelUse,
): void {
  if (use.lastCall === 'ok') noteTrial(deps, session, { fingerprint, agent: agent.name, use });
}

function noteTrial(
  deps: Pick<Deps, 'clock' | 'log' | 'store'>,
  session: FixupSession,
  { fingerprint, ...seen }: { readonly fingerprint: string | null; readonly agent: string; readonly use: ModelUse },
): void {
  if (fingerprint !== null) recordTrial(deps, session, { ...seen, fingerprint });
}

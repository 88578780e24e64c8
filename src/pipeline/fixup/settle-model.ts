import { addAgentUse, toUsed } from '../../core/agents/to-agent-use.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { ModelUse } from '../../core/model/model-use.ts';
import type { FixupSession } from '../../core/model/session.ts';
import { toSpendLimits } from '../../core/spend/session-limits.ts';
import { recordTrial } from '../agents/record-trial.ts';
import type { TakenAgent } from '../agents/take-agent.ts';
import type { AgentAccount, OpenModel } from '../agents/with-model.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** What a fixup may spend: the lower of operator and policy. */
export function toAccount(
  { settings, store }: Pick<Deps, 'settings' | 'store'>,
  { session, policy }: Pick<PreparedFixup, 'session' | 'policy'>,
): AgentAccount {
  const workspace = store.workspace(session.key);
  if (workspace === null) throw new InvariantError('the pull request of a fixup is not known');
  const { repositoryId, installationId } = workspace.repository;
  const { id: sessionId, key } = session;
  const limits = toSpendLimits(settings.spend.limits, policy.agent.budget);
  const { maxMicroUsd = null, maxCalls = null, maxTokens = null } = limits.fixup ?? {};
  return {
    sessionId,
    key,
    repositoryId,
    installationId,
    ...{ maxMicroUsd, maxCalls, maxTokens, limits },
    wantedModel: policy.agent.model,
  };
}

/** Ends the calls of an agent that has ended, and stores what it used and what was seen of its model. */
export async function settleModel(
  deps: Pick<Deps, 'clock' | 'log' | 'store'>,
  session: FixupSession,
  given: { readonly taken: TakenAgent; readonly opened: OpenModel | null; readonly durationMs: number },
): Promise<void> {
  const { taken, opened, durationMs } = given;
  const { agent, version, fingerprint } = taken;
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

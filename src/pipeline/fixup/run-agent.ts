import { toRunId } from '../../core/model/ids.ts';
import { type AgentEnd, type AgentOrder, type AgentWork, runAgent } from '../agents/run-agent.ts';
import { takeAgent } from '../agents/take-agent.ts';
import type { OpenModel } from '../agents/with-model.ts';
import type { Deps } from '../deps.ts';
import type { OrEnded } from '../prepare/or-ended.ts';
import { checkStanding } from './check-standing.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { keepAgentSteps } from './keep-steps.ts';
import { createProgressReport } from './report-progress.ts';
import { followTrial, settleModel, toAccount } from './settle-model.ts';

/** Runs the agent of a fixup. */
export async function runFixupAgent(
  deps: Deps,
  prepared: PreparedFixup,
  order: AgentOrder,
  signal: AbortSignal,
): Promise<OrEnded<AgentWork>> {
  const { session, policy, repository, masked, dependencies } = prepared;
  const found = await takeAgent(deps, session.fixup.agent);
  if (found.kind === 'ended') return found;
  const taken = found.value;
  const standing = checkStanding(deps, prepared, taken);
  if (standing.kind === 'ended') return standing;
  const errand = {
    ...{ repository, masked, dependencies, startedAt: session.startedAt },
    timeoutMs: Math.round(policy.sessionTimeoutMinutes * 60_000),
    account: toAccount(deps, prepared),
    logged: { sessionId: session.id, key: session.key },
    checkStanding: () => checkStanding(deps, prepared, taken),
    report: createProgressReport(deps, session),
    keepSteps: (steps: Parameters<typeof keepAgentSteps>[2]) => keepAgentSteps(deps, session, steps),
    onUse: (use: Parameters<typeof followTrial>[3]) => followTrial(deps, session, taken, use),
    settle: async (opened: OpenModel | null, { durationMs }: AgentEnd) => {
      deps.running.setProgress(toRunId(session.id), null);
      await settleModel(deps, session, { taken, opened, durationMs });
    },
  };
  return runAgent(deps, errand, { taken, order }, signal);
}

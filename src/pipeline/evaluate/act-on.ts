import { determineFixupAction } from '../../core/decide/determine-fixup-action.ts';
import type { Decision } from '../../core/model/decision.ts';
import { assertNever, InvariantError } from '../../core/model/errors.ts';
import { parseSessionId } from '../../core/model/ids.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import { EVALUATE_QUEUE, FIXUP_QUEUE } from '../../core/model/queues.ts';
import type { FixupKind, FixupSession } from '../../core/model/session.ts';
import { readStanding } from '../agents/agent-standing.ts';
import type { Deps } from '../deps.ts';
import { disarmAutoMerge } from '../fixup/disarm-auto-merge.ts';
import type { Look } from '../look/take-snapshot.ts';
import { toDecisionTransition } from './record-decision-of.ts';
import { rerunJobs } from './rerun-jobs.ts';
import { updateBranch } from './update-branch.ts';

/** Time for fetch and setup, on top of the limits of agent and validation. */
const PREPARATION_MS = 20 * 60_000;

/** Carries out the decided action, by the means that the decision names. */
export async function actOn(deps: Deps, look: Look, decision: Decision, signal: AbortSignal): Promise<void> {
  switch (decision.action) {
    case 'FIX_CI':
    case 'FIX_MERGE_CONFLICT':
    case 'FIX_REVIEW':
      await fix(deps, look, { ...decision, action: decision.action }, signal);
      return;
    case 'WAIT':
    case 'CLEANUP_ONLY':
    case 'DONE':
    case 'TERMINAL_FAILED':
      return;
    default:
      assertNever(decision.action);
  }
}

type FixDecision = Decision & { readonly action: FixupKind };

async function fix(deps: Deps, look: Look, decision: FixDecision, signal: AbortSignal): Promise<void> {
  const means = decision.means ?? 'agent';
  switch (means) {
    case 'rerun':
      await rerunJobs(deps, look, signal);
      return;
    case 'update-branch':
      await updateBranch(deps, look, signal);
      return;
    case 'agent':
      // If GitHub refuses, the check before the push ends the session.
      await disarmAutoMerge(deps, look.workspace, look.snapshot, signal);
      await launchFixup(deps, look, decision);
      return;
    default:
      assertNever(means);
  }
}

/** Launches a fixup in one transaction (002.R4), unless a session is working, then wakes the fixup queue. */
async function launchFixup(deps: Deps, look: Look, decision: FixDecision): Promise<void> {
  const { workspace, snapshot } = look;
  if (look.facts === null || snapshot.causeKey === null)
    throw new InvariantError('a fixup was decided without a pull request');
  if (!isStillDecided(deps, look, decision)) {
    deps.store.markWakeup(EVALUATE_QUEUE, workspace.key, null);
    return;
  }
  const session = toSession(deps, look, {
    action: decision.action,
    facts: look.facts,
    causeKey: snapshot.causeKey,
  });
  const launched = deps.store.launchSession({
    session,
    transition: toDecisionTransition(look, decision),
    patch: { activeSessionId: session.id, lastCiRunId: snapshot.ci.runId, staleCiSince: snapshot.now, stop: null },
    wake: { queue: FIXUP_QUEUE, key: session.id, notBefore: null },
  });
  if (!launched) return;
  deps.log.info(
    {
      sessionId: session.id,
      key: workspace.key,
      issue: decision.code,
      attempt: session.fixup.attempt,
      agent: session.fixup.agent,
    },
    'fixup launched',
  );
  await deps.fixupQueue.announce([session.id]);
}

/** Another launch, or an operator, may have changed since the look whether an agent may be launched. No call lies in between. */
function isStillDecided(deps: Pick<Deps, 'clock' | 'settings' | 'store'>, look: Look, decision: FixDecision): boolean {
  const { workspace, policy, snapshot } = look;
  const agent = readStanding(deps, look.agent, { workspace, policy, now: deps.clock.now() });
  return determineFixupAction({ ...snapshot, agent }).action === decision.action;
}

function toSession(
  deps: Pick<Deps, 'newId'>,
  look: Look,
  pinned: { readonly action: FixupKind; readonly facts: PullRequestFacts; readonly causeKey: string },
): FixupSession {
  const { workspace, snapshot, policy } = look;
  const limitMs = (policy.sessionTimeoutMinutes + policy.validateTimeoutMinutes) * 60_000 + PREPARATION_MS;
  return {
    id: parseSessionId(deps.newId()),
    key: workspace.key,
    kind: 'ratchet',
    status: 'working',
    fixup: {
      action: pinned.action,
      causeKey: pinned.causeKey,
      headSha: pinned.facts.headSha,
      headRef: pinned.facts.headRef,
      baseSha: pinned.facts.baseSha,
      attempt: workspace.consecutiveAttempts + 1,
      agent: look.agent.name,
      signature: toSignature(look, pinned.action),
    },
    label: null,
    startedAt: snapshot.now,
    heartbeatAt: snapshot.now,
    deadlineAt: snapshot.now + limitMs,
    endedAt: null,
    outcome: null,
    setup: null,
    agentUse: null,
  };
}

/** Signature of the diagnosed failure. A later launch compares with it. */
function toSignature({ workspace, snapshot }: Look, action: FixupKind): string | null {
  const { diagnosis } = workspace;
  return action === 'FIX_CI' && diagnosis?.ciRunId === snapshot.ci.runId ? diagnosis.signature : null;
}

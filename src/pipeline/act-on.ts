import type { Decision } from '../core/model/decision.ts';
import { assertNever, InvariantError } from '../core/model/errors.ts';
import { parseSessionId } from '../core/model/ids.ts';
import type { PullRequestFacts } from '../core/model/pull-request.ts';
import { type Deps, FIXUP_QUEUE } from './deps.ts';
import type { FixupSession } from './fixup-session.ts';
import type { Look } from './take-snapshot.ts';

/** Beyond the agent's own limit: fetch, setup, and the validation's limit come on top. */
const PREPARATION_MS = 20 * 60_000;

/** Carries out the one action of this iteration. */
export async function actOn(deps: Deps, look: Look, decision: Decision): Promise<void> {
  switch (decision.action) {
    case 'FIX_CI':
      await launchFixup(deps, look, decision);
      return;
    case 'FIX_MERGE_CONFLICT':
    case 'FIX_REVIEW':
      askPerson(deps, look, decision);
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

/** Records launch, session and stale clock in one transaction (002.R4), then wakes the fixup queue. Never a second session. */
async function launchFixup(deps: Deps, look: Look, decision: Decision): Promise<void> {
  const { workspace, snapshot } = look;
  if (look.facts === null || snapshot.causeKey === null)
    throw new InvariantError('a fixup was decided without a pull request');
  const session = toSession(deps, look, { facts: look.facts, causeKey: snapshot.causeKey });
  const launched = deps.store.launchSession({
    session,
    transition: {
      key: workspace.key,
      action: decision.action,
      code: decision.code,
      reason: decision.reason,
      snapshot,
      createdAt: snapshot.now,
    },
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

function toSession(
  deps: Pick<Deps, 'agent' | 'newId'>,
  look: Look,
  pinned: { readonly facts: PullRequestFacts; readonly causeKey: string },
): FixupSession {
  const { workspace, snapshot, policy } = look;
  const limitMs = (policy.sessionTimeoutMinutes + policy.validateTimeoutMinutes) * 60_000 + PREPARATION_MS;
  return {
    id: parseSessionId(deps.newId()),
    key: workspace.key,
    kind: 'ratchet',
    status: 'working',
    fixup: {
      action: 'FIX_CI',
      causeKey: pinned.causeKey,
      headSha: pinned.facts.headSha,
      headRef: pinned.facts.headRef,
      baseSha: pinned.facts.baseSha,
      attempt: workspace.consecutiveAttempts + 1,
      agent: deps.agent.name,
    },
    startedAt: snapshot.now,
    heartbeatAt: snapshot.now,
    deadlineAt: snapshot.now + limitMs,
    endedAt: null,
    outcome: null,
  };
}

/** Stops for this cause: what Ratchet does not do by itself needs a person, who is told once. */
function askPerson(deps: Pick<Deps, 'log' | 'store'>, look: Look, decision: Decision): void {
  const { causeKey } = look.snapshot;
  if (causeKey === null) return;
  deps.store.updateWorkspace(look.workspace.key, {
    state: 'stopped',
    stop: {
      causeKey,
      code: 'NEEDS_HUMAN',
      reason: `${decision.reason} This version of Ratchet leaves it to a person.`,
    },
  });
  deps.log.info({ key: look.workspace.key, code: decision.code }, 'person needed');
}

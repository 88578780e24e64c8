import { parseSessionId } from '../../core/model/ids.ts';
import type { Actor } from '../../core/model/pull-request.ts';
import { FIXUP_QUEUE } from '../../core/model/queues.ts';
import { type AcceptOrder, type FixupSession, REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { describeOutcome } from '../../core/runs/fixup-end.ts';
import { findHeld, findOtherHead, type Held } from '../../core/sessions/find-held.ts';
import { AT_WORK, findUnpushable } from '../../core/sessions/undo-words.ts';
import type { Deps } from '../deps.ts';
import { readBeside } from '../look/read-beside.ts';
import { readFacts } from '../look/read-facts.ts';
import { takeCi } from '../look/take-snapshot.ts';
import { AGES_AT_START, checkGround } from './check-ground.ts';

type AcceptDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'settings' | 'store'>;

/** `why` is part of a sentence. */
export type StartedAccept = { readonly kind: 'started' } | { readonly kind: 'refused'; readonly why: string };

/**
 * Starts the push of the change that waits for a person on this branch (resolution S28), as a session of its own that passes the gate
 * again, or says why not. Everything that could keep it from pushing is checked here, so that a person learns it at once.
 */
export async function startAccept(
  deps: AcceptDeps,
  workspace: Workspace,
  asker: Pick<AcceptOrder, 'by' | 'commandId'>,
  signal: AbortSignal,
): Promise<StartedAccept> {
  const { key } = workspace;
  if (deps.store.liveOnBranch(key).some(({ status }) => status === 'working')) return refuse(AT_WORK.why);
  const beside = readBeside(deps, key);
  const held = findHeld([workspace, ...beside], deps.store.endedSessions(key, REMEMBERED_SESSIONS));
  const owner = [workspace, ...beside].find((one) => one.key === held?.session.key);
  if (held === null || owner === undefined) return refuse('no change waits for a person here');
  const facts = await readFacts(deps, owner, signal);
  if (facts?.state !== 'open') return refuse('the pull request is not open');
  const moved = findOtherHead(held, facts.headSha);
  if (moved !== null) return refuse(moved);
  const { runId: ciRunId } = takeCi(deps, { facts, policy: facts.taken.policy, workspace: owner });
  const session = toSession(deps, held, { sessionId: held.session.id, ...asker, ciRunId });
  const why = await findObstacle(deps, session, signal);
  if (why !== null) return refuse(why);
  return launch(deps, session, asker.by);
}

function refuse(why: string): StartedAccept & { readonly kind: 'refused' } {
  return { kind: 'refused', why: why.replace(/\.$/u, '') };
}

/** Why nothing could be pushed now; null: nothing is in the way. */
async function findObstacle(deps: AcceptDeps, session: FixupSession, signal: AbortSignal): Promise<string | null> {
  const ground = await checkGround(deps, session, signal, { ...AGES_AT_START, permissionMs: 0 });
  if (ground.kind === 'ended') return describeOutcome(ground.outcome);
  return findUnpushable(ground.value.facts.taken.policy.mode, ground.value.unpushed);
}

async function launch(deps: AcceptDeps, session: FixupSession, by: Actor): Promise<StartedAccept> {
  const { id, key, startedAt: createdAt } = session;
  const reason = `The change that was held is accepted by @${by.login}: it is validated again and pushed.`;
  const isLaunched = deps.store.launchSession({
    session,
    transition: { key, action: 'COMMAND', code: 'ACCEPTED', reason, snapshot: null, createdAt },
    patch: { activeSessionId: id },
    wake: { queue: FIXUP_QUEUE, key: id, notBefore: null },
  });
  // Another look of the branch, or a person, was faster.
  if (!isLaunched) return refuse(AT_WORK.why);
  deps.log.info({ sessionId: id, key, authorId: by.id }, 'acceptance launched');
  await deps.fixupQueue.announce([id]);
  return { kind: 'started' };
}

function toSession(
  deps: Pick<AcceptDeps, 'clock' | 'newId'>,
  { session: { key, fixup, startedAt, deadlineAt } }: Held,
  accept: AcceptOrder,
): FixupSession {
  const now = deps.clock.now();
  return {
    id: parseSessionId(deps.newId()),
    ...{ key, kind: 'ratchet', status: 'working', label: null, startedAt: now, heartbeatAt: now },
    // As long as the fixup had: it sets up and validates as that did.
    ...{ deadlineAt: now + (deadlineAt - startedAt), endedAt: null, outcome: null, setup: null, agentUse: null },
    fixup: { ...fixup, accept },
  };
}

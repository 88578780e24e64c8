import { parseSessionId } from '../../core/model/ids.ts';
import type { Actor } from '../../core/model/pull-request.ts';
import { FIXUP_QUEUE } from '../../core/model/queues.ts';
import { type FixupSession, REMEMBERED_SESSIONS, type Session, type UndoOrder } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { describeOutcome } from '../../core/runs/fixup-end.ts';
import type { LastFixup } from '../../core/sessions/last-fixup.ts';
import {
  AT_WORK,
  findUndoable,
  findUnpushable,
  refuseMerge,
  toRevertCommands,
  type UndoRefusal,
} from '../../core/sessions/undo-words.ts';
import type { Deps } from '../deps.ts';
import { type ReadFacts, readFacts } from '../look/read-facts.ts';
import { takeCi } from '../look/take-snapshot.ts';
import { AGES_AT_START, checkGround } from './check-ground.ts';

/** Git only: fetch, merge, push. */
const UNDO_MS = 15 * 60_000;
const NOT_OPEN: UndoRefusal = {
  why: 'The pull request is not open, so Ratchet pushes nothing to its branch.',
  byHand: [],
};

type UndoDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'settings' | 'store'>;

/** Who asks for an undo, and by which command. */
interface Asker {
  /** null: an operator. */
  readonly by: Actor | null;
  readonly commandId: number | null;
}

export type StartedUndo =
  | { readonly kind: 'started'; readonly session: FixupSession }
  | (UndoRefusal & { readonly kind: 'refused' });

/**
 * Starts the revert of the last fixup of the branch (resolutions S18 and S26) as a session of its own, or says why not. Everything
 * that could keep it from pushing is checked here, so that a person learns it at once, and again before the push.
 */
export async function startUndo(
  deps: UndoDeps,
  workspace: Workspace,
  asker: Asker,
  signal: AbortSignal,
): Promise<StartedUndo> {
  const ended = deps.store.endedSessions(workspace.key, REMEMBERED_SESSIONS);
  const last = findUndoable(ended, isAtWork(deps, workspace));
  if ('why' in last) return { kind: 'refused', ...last };
  const facts = await readFacts(deps, workspace, signal);
  if (facts?.state !== 'open') return { kind: 'refused', ...NOT_OPEN };
  if (last.fixup.action === 'FIX_MERGE_CONFLICT') return { kind: 'refused', ...refuseMerge(last, facts) };
  const { runId: ciRunId } = takeCi(deps, { facts, policy: facts.taken.policy, workspace });
  const undo = { commitSha: last.outcome.commitSha, parentSha: last.fixup.headSha, ...asker, ciRunId };
  const session = toSession(deps, { workspace, last, facts, undo });
  const why = await findObstacle(deps, session, signal);
  if (why !== null) {
    return { kind: 'refused', why, byHand: toRevertCommands(facts.headRef, last.outcome) };
  }
  return launch(deps, session, undo);
}

function isAtWork({ store }: Pick<Deps, 'store'>, { key }: Workspace): boolean {
  return store.liveOnBranch(key).some(({ status }) => status === 'working');
}

/** Why nothing could be pushed now; null: nothing is in the way. */
async function findObstacle(deps: UndoDeps, session: FixupSession, signal: AbortSignal): Promise<string | null> {
  const ages = { ...AGES_AT_START, permissionMs: 0 };
  const ground = await checkGround(deps, session, signal, ages);
  if (ground.kind === 'ended') return describeOutcome(ground.outcome);
  return findUnpushable(ground.value.facts.taken.policy.mode, ground.value.unpushed);
}

async function launch(deps: UndoDeps, session: FixupSession, undo: UndoOrder): Promise<StartedUndo> {
  const { id, key, startedAt: createdAt } = session;
  const who = undo.by === null ? 'an operator' : `@${undo.by.login}`;
  const reason = `Undo of ${undo.commitSha}, asked for by ${who}.`;
  const isLaunched = deps.store.launchSession({
    session,
    transition: { key, action: 'COMMAND', code: 'UNDO', reason, snapshot: null, createdAt },
    patch: { activeSessionId: id },
    wake: { queue: FIXUP_QUEUE, key: id, notBefore: null },
  });
  // Another look of the branch, or a person, was faster.
  if (!isLaunched) return { kind: 'refused', ...AT_WORK };
  deps.log.info({ sessionId: id, key, commitSha: undo.commitSha }, 'undo launched');
  await deps.fixupQueue.announce([id]);
  return { kind: 'started', session };
}

function toSession(
  deps: UndoDeps,
  of: {
    readonly workspace: Workspace;
    readonly last: LastFixup;
    readonly facts: ReadFacts;
    readonly undo: UndoOrder;
  },
): FixupSession {
  const { workspace, last, facts, undo } = of;
  const { action, attempt, agent } = last.fixup;
  const now = deps.clock.now();
  const live = { heartbeatAt: now, deadlineAt: now + UNDO_MS, endedAt: null } satisfies Partial<Session>;
  return {
    id: parseSessionId(deps.newId()),
    key: workspace.key,
    ...{ kind: 'ratchet', status: 'working', label: null, startedAt: now, ...live },
    ...{ outcome: null, setup: null, agentUse: null },
    fixup: {
      ...{ action, attempt, agent, signature: null, causeKey: `undo:${undo.commitSha}` },
      ...{ headSha: facts.headSha, headRef: facts.headRef, baseSha: facts.baseSha },
      undo,
    },
  };
}

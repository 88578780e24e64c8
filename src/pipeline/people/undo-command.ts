import type { PullRequestKey, SessionId } from '../../core/model/ids.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import { REMEMBERED_SESSIONS, type Session, type UndoOrder } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { describeUndo, toRevertCommands, type UndoRefusal } from '../../core/sessions/undo-words.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { startUndo } from '../fixup/start-undo.ts';
import type { OrderProgress } from './order-progress.ts';

/** How far an undo is. */
type UndoProgress = { readonly kind: 'working' | 'done' } | (UndoRefusal & { readonly kind: 'refused' });

type UndoDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'settings' | 'store'>;

/** Finds the session that an earlier look started for the command: a command starts one at most. */
export function findUndo({ store }: Pick<Deps, 'store'>, workspace: Workspace, stored: StoredCommand): OrderProgress {
  const sessions = [...store.liveOnBranch(workspace.key), ...store.endedSessions(workspace.key, REMEMBERED_SESSIONS)];
  for (const session of sessions) {
    const undo = session.fixup?.undo;
    if (undo?.commandId === stored.id) return toOrderProgress(toUndoProgress(session, undo));
  }
  return { kind: 'new' };
}

/** Starts the undo of an allowed command. */
export async function beginUndo(
  deps: UndoDeps,
  workspace: Workspace,
  { id, author }: StoredCommand,
  signal: AbortSignal,
): Promise<OrderProgress> {
  const started = await startUndo(deps, workspace, { by: author, commandId: id }, signal);
  return toOrderProgress(started.kind === 'started' ? { kind: 'working' } : started);
}

function toOrderProgress(progress: UndoProgress): OrderProgress {
  if (progress.kind !== 'refused') return progress;
  const { why, byHand } = progress;
  return { kind: 'refused', reply: { kind: 'not_undone', why, byHand } };
}

/** How far the session of an undo is. */
function toUndoProgress({ fixup, outcome }: Session, undo: UndoOrder): UndoProgress {
  if (outcome === null) return { kind: 'working' };
  if (outcome.kind === 'pushed') return { kind: 'done' };
  const isOver = outcome.kind === 'rejected' && outcome.code === 'UNDO_GONE';
  const byHand = isOver || fixup === null ? [] : toRevertCommands(fixup.headRef, undo);
  return { kind: 'refused', why: describeUndo(undo, outcome), byHand };
}

/** How far an undo is, for the admin API. */
export interface UndoState {
  readonly state: 'working' | 'done' | 'refused';
  readonly session: SessionId | null;
  readonly text: string;
  readonly byHand: readonly string[];
}

/** How long the admin API may read GitHub for an undo. */
const MAX_BEGIN_MS = 12_000;

/** Starts an undo for an operator; null: the pull request is not known. The permission of whoever enabled Ratchet there counts. */
export async function undoForOperator(
  deps: UndoDeps & Pick<Deps, 'evaluateQueue' | 'newDeadline'>,
  key: PullRequestKey,
): Promise<UndoState | null> {
  const workspace = deps.store.workspace(key);
  if (workspace === null) return null;
  const started = await startUndo(deps, workspace, { by: null, commandId: null }, deps.newDeadline(MAX_BEGIN_MS));
  if (started.kind === 'refused') {
    return { state: 'refused', session: null, text: started.why, byHand: started.byHand };
  }
  deps.store.markWakeup(EVALUATE_QUEUE, key, null);
  await deps.evaluateQueue.announce([key]);
  return readUndo(deps, started.session.id);
}

/** How far the undo of this session is; null: there is no such undo. */
export function readUndo({ store }: Pick<Deps, 'store'>, id: SessionId): UndoState | null {
  const session = store.session(id);
  const undo = session?.fixup?.undo;
  if (session === null || undo === undefined) return null;
  const progress = toUndoProgress(session, undo);
  if (progress.kind === 'refused') {
    return { state: 'refused', session: id, text: progress.why, byHand: progress.byHand };
  }
  const { outcome } = session;
  return outcome === null
    ? { state: 'working', session: id, text: 'The undo is under way.', byHand: [] }
    : { state: 'done', session: id, text: describeUndo(undo, outcome), byHand: [] };
}

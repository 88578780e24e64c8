import { REMEMBERED_SESSIONS, type Session, type UndoOrder } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { describeUndo, toRevertCommands } from '../../core/sessions/undo-words.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { startUndo } from '../fixup/start-undo.ts';
import type { OwedReply } from './reply-to-commands.ts';

/** How far the command `undo` is. It stays pending until its session has ended, so that its reply says how. */
export type UndoProgress =
  | { readonly kind: 'new' | 'working' | 'done' }
  | { readonly kind: 'refused'; readonly owed: OwedReply };

type UndoDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'settings' | 'store'>;

/** Finds the session that an earlier look started for the command: a command starts one at most. */
export function findUndo({ store }: Pick<Deps, 'store'>, workspace: Workspace, stored: StoredCommand): UndoProgress {
  const sessions = [...store.liveOnBranch(workspace.key), ...store.endedSessions(workspace.key, REMEMBERED_SESSIONS)];
  for (const session of sessions) {
    const undo = session.fixup?.undo;
    if (undo?.commandId === stored.id) return toUndoProgress(session, undo);
  }
  return { kind: 'new' };
}

/** Starts the undo of an allowed command. */
export async function beginUndo(
  deps: UndoDeps,
  workspace: Workspace,
  { id, author }: StoredCommand,
  signal: AbortSignal,
): Promise<UndoProgress> {
  const started = await startUndo(deps, workspace, { by: author, commandId: id }, signal);
  if (started.kind === 'started') return { kind: 'working' };
  const { why, byHand } = started;
  return { kind: 'refused', owed: { kind: 'not_undone', why, byHand } };
}

/** How far the session of an undo is. */
export function toUndoProgress({ fixup, outcome }: Session, undo: UndoOrder): UndoProgress {
  if (outcome === null) return { kind: 'working' };
  if (outcome.kind === 'pushed') return { kind: 'done' };
  const isOver = outcome.kind === 'rejected' && outcome.code === 'UNDO_GONE';
  const byHand = isOver || fixup === null ? [] : toRevertCommands(fixup.headRef, undo);
  return { kind: 'refused', owed: { kind: 'not_undone', why: describeUndo(undo, outcome), byHand } };
}

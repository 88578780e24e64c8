import { REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { describeUnaccepted } from '../../core/runs/fixup-end.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { startAccept } from '../fixup/start-accept.ts';
import type { OrderProgress } from './order-progress.ts';

type AcceptDeps = Pick<Deps, 'clock' | 'fixupQueue' | 'github' | 'log' | 'newId' | 'settings' | 'store'>;

/** Finds the session that an earlier look started for the command: a command starts one at most. */
export function findAccept({ store }: Pick<Deps, 'store'>, workspace: Workspace, stored: StoredCommand): OrderProgress {
  const sessions = [...store.liveOnBranch(workspace.key), ...store.endedSessions(workspace.key, REMEMBERED_SESSIONS)];
  const session = sessions.find(({ fixup }) => fixup?.accept?.commandId === stored.id);
  if (session === undefined) return { kind: 'new' };
  const { outcome } = session;
  if (outcome === null) return { kind: 'working' };
  return outcome.kind === 'pushed' ? { kind: 'done' } : refuse(describeUnaccepted(outcome));
}

/** Starts the push of the change that an allowed command accepts. */
export async function beginAccept(
  deps: AcceptDeps,
  workspace: Workspace,
  { id, author }: StoredCommand,
  signal: AbortSignal,
): Promise<OrderProgress> {
  const started = await startAccept(deps, workspace, { by: author, commandId: id }, signal);
  return started.kind === 'started' ? { kind: 'working' } : refuse(started.why);
}

function refuse(why: string): OrderProgress {
  return { kind: 'refused', reply: { kind: 'cannot', name: 'accept', why } };
}

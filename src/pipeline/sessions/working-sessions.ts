import type { PullRequestKey } from '../../core/model/ids.ts';
import type { Session } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';
import { settleUserSessions } from './user-sessions.ts';

/**
 * The session that is actively at work on the pull request, a fixup or an announced person (002.R7; resolution S6); null when
 * none is. Idle ones block nothing.
 */
export function hasAnyWorkingSession(
  deps: Pick<Deps, 'clock' | 'settings' | 'store'>,
  key: PullRequestKey,
): Session | null {
  settleUserSessions(deps, key);
  const working = deps.store.liveSessions(key).filter((session) => session.status === 'working');
  return working.find(({ kind }) => kind === 'ratchet') ?? working[0] ?? null;
}

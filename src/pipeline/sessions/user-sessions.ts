import { type EpochMs, type PullRequestKey, parseSessionId, type SessionId } from '../../core/model/ids.ts';
import type { PullRequestRef } from '../../core/model/pull-request.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { Session } from '../../core/model/session.ts';
import { MAX_USER_SESSIONS, toSessionDeadline, toUserSession } from '../../core/sessions/user-session.ts';
import type { Deps } from '../deps.ts';

type SessionDeps = Pick<Deps, 'clock' | 'evaluateQueue' | 'log' | 'newId' | 'settings' | 'store'>;
type SettleDeps = Pick<Deps, 'clock' | 'settings' | 'store'>;

/** Result of an announcement. */
export type Announced =
  | { readonly kind: 'started' | 'continued'; readonly session: Session }
  | { readonly kind: 'too_many'; readonly max: number };

/**
 * Starts a session for a person or an outside agent. Meanwhile no fixup is launched (resolution S6); a working one continues.
 * Announcing the same label again is a heartbeat, and `minutes`, if given, count from now.
 */
export async function announceUserSession(
  deps: SessionDeps,
  ref: PullRequestRef,
  { label, minutes }: { readonly label: string; readonly minutes: number | null },
): Promise<Announced> {
  const { key } = deps.store.ensureWorkspace(ref);
  settleUserSessions(deps, key);
  const live = deps.store.liveSessions(key).filter(({ kind }) => kind === 'user');
  const known = live.find((session) => session.label === label);
  if (known !== undefined) {
    await beat(deps, known);
    if (minutes !== null) await renew(deps, known, toSessionDeadline(deps.clock.now(), minutes));
    return { kind: 'continued', session: deps.store.session(known.id) ?? known };
  }
  if (live.length >= MAX_USER_SESSIONS) return { kind: 'too_many', max: MAX_USER_SESSIONS };
  const session = toUserSession({ id: parseSessionId(deps.newId()), key, label, minutes, now: deps.clock.now() });
  deps.store.addUserSession(session);
  note(deps, session, {
    code: 'USER_SESSION_STARTED',
    reason: `${label} is at work: nothing is launched beside them.`,
  });
  await wake(deps, key);
  return { kind: 'started', session };
}

/** Records a heartbeat, which makes an idle session working again. False if the session is not live. */
export async function keepUserSession(deps: SessionDeps, id: SessionId): Promise<boolean> {
  const announced = deps.store.session(id);
  if (announced?.kind !== 'user') return false;
  settleUserSessions(deps, announced.key);
  const session = deps.store.session(id);
  if (session === null || session.status === 'ended') return false;
  await beat(deps, session);
  return true;
}

/** Ends a user session; false if no live one has that id. */
export async function endUserSession(deps: SessionDeps, id: SessionId): Promise<boolean> {
  const session = deps.store.session(id);
  if (session === null || !deps.store.endUserSession(id, deps.clock.now())) return false;
  note(deps, session, {
    code: 'USER_SESSION_ENDED',
    reason: `${session.label ?? 'Somebody'} is not at work any more.`,
  });
  await wake(deps, session.key);
  return true;
}

/** Ends user sessions past their deadline, and marks those without a recent heartbeat idle. */
export function settleUserSessions(deps: SettleDeps, key: PullRequestKey): void {
  const now = deps.clock.now();
  for (const { id, kind, deadlineAt } of deps.store.liveSessions(key)) {
    if (kind === 'user' && deadlineAt <= now) deps.store.endUserSession(id, now);
  }
  deps.store.idleUserSessions(key, now - deps.settings.userSessionIdleMs);
}

/**
 * The working session on the head branch: a fixup, else a user session (002.R7; resolutions S6, S18); null: none. Idle ones block
 * nothing.
 */
export function hasAnyWorkingSession(
  deps: Pick<Deps, 'clock' | 'settings' | 'store'>,
  key: PullRequestKey,
): Session | null {
  for (const one of deps.store.branchKeys(key)) settleUserSessions(deps, one);
  const working = deps.store.liveOnBranch(key).filter((session) => session.status === 'working');
  return working.find(({ kind }) => kind === 'ratchet') ?? working[0] ?? null;
}

/**
 * When the next session ends by time alone, or becomes idle without a heartbeat, since no event announces that. null: there is
 * none. A fixup past its deadline is settling its push, and its end wakes the pull request.
 */
export function nextSessionEndAt(
  { clock, settings, store }: Pick<Deps, 'clock' | 'settings' | 'store'>,
  key: PullRequestKey,
): EpochMs | null {
  const ends = store
    .liveOnBranch(key)
    .filter(({ kind, deadlineAt }) => kind === 'user' || deadlineAt > clock.now())
    .map(({ kind, status, heartbeatAt, deadlineAt }) =>
      kind === 'ratchet' || status === 'idle'
        ? deadlineAt
        : Math.min(heartbeatAt + settings.userSessionIdleMs + 1, deadlineAt),
    );
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Ends all user sessions, because the pull request is closed (resolution S9). */
export function endUserSessions({ clock, store }: Pick<Deps, 'clock' | 'store'>, key: PullRequestKey): void {
  for (const { id, kind } of store.liveSessions(key)) {
    if (kind === 'user') store.endUserSession(id, clock.now());
  }
}

async function beat(deps: SessionDeps, session: Session): Promise<void> {
  deps.store.heartbeat(session.id, deps.clock.now());
  if (session.status === 'idle') await wake(deps, session.key);
}

/** An earlier deadline needs an earlier check. */
async function renew(deps: SessionDeps, { id, key, deadlineAt }: Session, until: EpochMs): Promise<void> {
  deps.store.renewUserSession(id, until);
  if (until < deadlineAt) await wake(deps, key);
}

function note(
  { clock, log, store }: SessionDeps,
  { key, id }: Session,
  { code, reason }: { readonly code: string; readonly reason: string },
): void {
  store.appendTransition({ key, action: 'OBSERVED', code, reason, snapshot: null, createdAt: clock.now() });
  log.info({ key, sessionId: id }, code === 'USER_SESSION_STARTED' ? 'user session started' : 'user session ended');
}

async function wake(
  { store, evaluateQueue }: Pick<Deps, 'store' | 'evaluateQueue'>,
  key: PullRequestKey,
): Promise<void> {
  const keys = store.branchKeys(key);
  for (const one of keys) store.markWakeup(EVALUATE_QUEUE, one, null);
  await evaluateQueue.announce(keys);
}

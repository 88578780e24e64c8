import type { EpochMs, PullRequestKey, SessionId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';

/** A person or an outside agent that announced itself (resolution S6). */
export type UserSession = Session & { readonly kind: 'user'; readonly label: string };

/** Sessions of people that one pull request can have at a time. */
export const MAX_USER_SESSIONS = 20;

/** How long a session lasts at most where nobody says. */
const DEFAULT_SESSION_MINUTES = 480;

/** When a session that is announced at `now` is over; `minutes` null: nobody said. */
export function toSessionDeadline(now: EpochMs, minutes: number | null): EpochMs {
  return now + (minutes ?? DEFAULT_SESSION_MINUTES) * 60_000;
}

/** A new session of somebody called `label`, at work from `now` until it ends, falls silent, or `minutes` have passed. */
export function toUserSession(announced: {
  readonly id: SessionId;
  readonly key: PullRequestKey;
  readonly label: string;
  readonly minutes: number | null;
  readonly now: EpochMs;
}): UserSession {
  const { id, key, label, minutes, now } = announced;
  return {
    ...{ id, key, label, kind: 'user', status: 'working', fixup: null },
    startedAt: now,
    heartbeatAt: now,
    deadlineAt: toSessionDeadline(now, minutes),
    endedAt: null,
    outcome: null,
  };
}

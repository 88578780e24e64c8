import type { EpochMs, PullRequestKey, SessionId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';

/** The session of a person or an outside agent that announced itself (resolution S6). */
export type UserSession = Session & { readonly kind: 'user'; readonly label: string };

/** Most sessions of people on one pull request at a time. */
export const MAX_USER_SESSIONS = 20;

/** Longest session if no limit is given. */
const DEFAULT_SESSION_MINUTES = 480;

/** When a session that is announced at `now` ends at the latest. `minutes` is null if no limit is given. */
export function toSessionDeadline(now: EpochMs, minutes: number | null): EpochMs {
  return now + (minutes ?? DEFAULT_SESSION_MINUTES) * 60_000;
}

/** A new session with the name `label`, working from `now` until it ends, stops sending heartbeats, or reaches `minutes`. */
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
    setup: null,
    agentUse: null,
  };
}

import type { EpochMs, PullRequestKey, SessionId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';

/** A person or an outside agent that announced itself (resolution S6). */
export type UserSession = Session & { readonly kind: 'user'; readonly label: string };

/** Sessions of people that one pull request can have at a time. */
export const MAX_USER_SESSIONS = 20;

/** A new session of somebody called `label`, at work from `now` until it ends, falls silent, or `minutes` have passed. */
export function toUserSession(announced: {
  readonly id: SessionId;
  readonly key: PullRequestKey;
  readonly label: string;
  readonly minutes: number;
  readonly now: EpochMs;
}): UserSession {
  const { id, key, label, minutes, now } = announced;
  return {
    ...{ id, key, label, kind: 'user', status: 'working', fixup: null },
    startedAt: now,
    heartbeatAt: now,
    deadlineAt: now + minutes * 60_000,
    endedAt: null,
    outcome: null,
  };
}

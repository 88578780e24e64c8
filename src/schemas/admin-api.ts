import { z } from 'zod';
import { SESSION_KINDS, SESSION_STATUSES } from '../core/model/session.ts';

const MAX_PULL_REQUEST = 9_999_999_999;
const MAX_SESSION_MINUTES = 24 * 60;

/** `owner/name` of a repository; names of managed accounts have an underscore before their enterprise's. */
const RepositoryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, 'must be owner/name');

/** Which pull request is meant. */
export const PullRequestName = z.strictObject({
  repository: RepositoryName,
  number: z.coerce.number().int().min(1).max(MAX_PULL_REQUEST),
});

/** What announces a session: who it is, and how long at most; of one that is live, `minutes` count anew from then on. */
export const SessionStart = PullRequestName.extend({
  number: z.number().int().min(1).max(MAX_PULL_REQUEST),
  label: z.string().trim().min(1).max(100),
  minutes: z.number().min(1).max(MAX_SESSION_MINUTES).exactOptional(),
});

/** What a list of transitions is asked for by. */
export const TransitionsQuery = PullRequestName.extend({ limit: z.coerce.number().int().min(1).max(500).default(50) });

/** A session as the admin API tells it. */
export const SessionJson = z.object({
  id: z.string(),
  kind: z.enum(SESSION_KINDS),
  status: z.enum(SESSION_STATUSES),
  label: z.string().nullable(),
  startedAt: z.string(),
  heartbeatAt: z.string(),
  deadlineAt: z.string(),
});
export type SessionJson = z.infer<typeof SessionJson>;

/** Responses of the admin API that the command line reads. */
export const SessionResponse = z.object({ session: SessionJson });
export const SessionsResponse = z.object({ sessions: z.array(SessionJson) });
export const AnyResponse = z.unknown();
export const ErrorResponse = z.object({ error: z.string() });

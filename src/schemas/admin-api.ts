import { z } from 'zod';
import { AGENT_DOINGS } from '../core/model/agent-progress.ts';
import { BUDGET_SCOPES } from '../core/model/model-use.ts';
import { SESSION_KINDS, SESSION_STATUSES } from '../core/model/session.ts';

const MAX_PULL_REQUEST = 9_999_999_999;
const MAX_SESSION_MINUTES = 24 * 60;

/** `owner/name` of a repository. Managed user accounts end in `_` and the enterprise's short code. */
const RepositoryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/[A-Za-z0-9._-]{1,100}$/, 'must be owner/name');

/** Identifies a pull request. */
export const PullRequestName = z.strictObject({
  repository: RepositoryName,
  number: z.coerce.number().int().min(1).max(MAX_PULL_REQUEST),
});

/** Starts or renews a person's session: a label, and its maximum length. For a live session, `minutes` count from now. */
export const SessionStart = PullRequestName.extend({
  number: z.number().int().min(1).max(MAX_PULL_REQUEST),
  label: z.string().trim().min(1).max(100),
  minutes: z.number().min(1).max(MAX_SESSION_MINUTES).exactOptional(),
});

/** Parameters of the list of transitions. `before`: the id of a line; the list begins with the next older one. */
export const TransitionsQuery = PullRequestName.extend({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).exactOptional(),
});

/** A line of the transition log. */
const TransitionJson = z.object({
  id: z.int(),
  action: z.string(),
  code: z.string(),
  reason: z.string(),
  /** Input of a decision, as `ratchet explain decision` takes it; null for other lines. */
  snapshot: z.unknown(),
  createdAt: z.string(),
});
export type TransitionJson = z.infer<typeof TransitionJson>;

/** A session in the admin API. */
export const SessionJson = z.object({
  id: z.string(),
  kind: z.enum(SESSION_KINDS),
  status: z.enum(SESSION_STATUSES),
  label: z.string().nullable(),
  startedAt: z.string(),
  heartbeatAt: z.string(),
  deadlineAt: z.string(),
  /** What its agent does, by its own words, and what it has used of its model so far. */
  agent: z
    .object({
      name: z.string(),
      model: z.string().nullable(),
      doing: z.enum(AGENT_DOINGS).nullable(),
      detail: z.string().nullable(),
      calls: z.number(),
      tokens: z.object({ input: z.number(), cached: z.number(), written: z.number(), output: z.number() }),
      usd: z.number(),
    })
    .nullable()
    .default(null),
});
export type SessionJson = z.infer<typeof SessionJson>;

/** Turns the agents of a repository, or of all, off or on. */
export const AgentsSwitch = z.strictObject({
  repository: RepositoryName.exactOptional(),
  enabled: z.boolean(),
  /** Who does it and why, for people to see. */
  by: z.string().trim().min(1).max(100).exactOptional(),
  reason: z.string().trim().max(500).exactOptional(),
});

/** Parameters of what was spent: in a repository, and on one of its pull requests. */
export const SpendQuery = z.strictObject({
  repository: RepositoryName,
  number: PullRequestName.shape.number.exactOptional(),
});

/** Where agents are off, and which models are not called for a while. */
export const AgentsResponse = z.object({
  switches: z.array(
    z.object({
      /** null: everywhere. */
      repository: z.string().nullable(),
      offSince: z.string(),
      by: z.string(),
      reason: z.string(),
    }),
  ),
  circuits: z.array(
    z.object({
      agent: z.string(),
      fault: z.string(),
      failures: z.number(),
      openedAt: z.string(),
      /** null: until the configuration changes. */
      until: z.string().nullable(),
    }),
  ),
});
export type AgentsJson = z.infer<typeof AgentsResponse>;

const Tokens = z.object({ input: z.number(), cached: z.number(), written: z.number(), output: z.number() });

/** What was spent, with open reservations. */
export const SpendResponse = z.object({
  spent: z.array(
    z.object({
      scope: z.enum(BUDGET_SCOPES),
      usd: z.number(),
      /** null: there is no limit. */
      maxUsd: z.number().nullable(),
      calls: z.number(),
      maxCalls: z.number().nullable(),
      tokens: Tokens,
      /** Of all kinds of tokens together. */
      maxTokens: z.number().nullable(),
      /** How long agents worked, or still may. */
      minutes: z.number(),
      maxMinutes: z.number().nullable(),
    }),
  ),
});
export type SpendJson = z.infer<typeof SpendResponse>;

/** How far the undo of a fixup is. */
export const UndoResponse = z.object({
  state: z.enum(['working', 'done', 'refused']),
  /** Its session; null: none was started. */
  session: z.string().nullable(),
  text: z.string(),
  /** Commands with which a person can do it instead. */
  byHand: z.array(z.string()).readonly(),
});
export type UndoJson = z.infer<typeof UndoResponse>;

/** Responses of the admin API that the command line reads. */
export const SessionResponse = z.object({ session: SessionJson });
export const SessionsResponse = z.object({ sessions: z.array(SessionJson) });
export const TransitionsResponse = z.object({ transitions: z.array(TransitionJson) });
export const AnyResponse = z.unknown();
export const ErrorResponse = z.object({ error: z.string() });

import type { AgentProgress } from '../core/model/agent-progress.ts';
import { parseSessionId, type SessionId } from '../core/model/ids.ts';
import type { PullRequestRef } from '../core/model/pull-request.ts';
import type { Session } from '../core/model/session.ts';
import type { Log } from '../ports/log.ts';
import type { Transition } from '../ports/store.ts';
import { PullRequestName, type SessionJson, SessionStart, TransitionsQuery } from '../schemas/admin-api.ts';
import { toIsoText } from '../schemas/instant.ts';
import { InvalidInputError, parseBySchema } from '../schemas/invalid-input.ts';
import { toSnapshotJson } from '../schemas/snapshot.ts';
import { type ApiResponse, type Call, findRepository, parseJson, unknownRepository } from './admin-call.ts';
import { type AgentsApiDeps, showAgents, showSpend, switchAgents } from './agents-api.ts';
import { createBodyRoom } from './body-room.ts';
import { isAuthorized } from './is-authorized.ts';
import { readBody } from './read-body.ts';
import { type Refusal, refuse } from './refusal.ts';
import { ADMIN_MESSAGES, createRefusalLog, type RefusalLogLimits } from './refusal-log.ts';
import { type LingerLimits, sendJson, sendRefusal } from './send-response.ts';
import type { RequestHandler } from './server.ts';
import { beginUndo, showUndo, type UndoApiDeps } from './undo-api.ts';

/** Dependencies of the admin API. */
export interface AdminApiDeps extends AgentsApiDeps, UndoApiDeps {
  /** null: there is no admin API, and its paths do not exist. */
  readonly token: string | null;
  readonly log: Log;
  readonly sessions: {
    readonly announce: (
      ref: PullRequestRef,
      who: { readonly label: string; readonly minutes: number | null },
    ) => Promise<
      | { readonly kind: 'started' | 'continued'; readonly session: Session }
      | { readonly kind: 'too_many'; readonly max: number }
    >;
    readonly keep: (id: SessionId) => Promise<boolean>;
    readonly end: (id: SessionId) => Promise<boolean>;
    /** Sessions that have not ended. */
    readonly list: (ref: PullRequestRef) => readonly Session[];
    /** What the agent of a session does; null: none runs. */
    readonly progress: (id: SessionId) => AgentProgress | null;
  };
  /** Newest first; with `before`, those that are older than the line of that id. */
  readonly transitions: (ref: PullRequestRef, limit: number, before?: number) => readonly Transition[];
}

const MICRO = 1_000_000;
const ROOT = '/api/admin/';
const MAX_BODY_BYTES = 16 * 1024;
const ROOM = { maxBytes: 1024 * 1024, maxBodies: 100 };
/** Requests with guessed tokens must not fill the log or hold connections. */
const LIMITS: LingerLimits & RefusalLogLimits = {
  lingerMs: 500,
  lingerBytes: MAX_BODY_BYTES,
  windowMs: 60_000,
  linesPerWindow: 20,
};

/**
 * The API for operators and outside agents (002.R25; resolution S6): user sessions, the transition log of a pull request, what
 * agents spent, the kill switch, and the undo of a fixup. Every request needs the bearer token. Without a configured token the API does not exist.
 */
export function createAdminApi(deps: AdminApiDeps): RequestHandler {
  const room = createBodyRoom(ROOM, deps.clock);
  const logRefusal = createRefusalLog(deps.log, deps.clock, LIMITS, ADMIN_MESSAGES);

  return async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (deps.token === null || !path.startsWith(ROOT)) return false;
    if (!isAuthorized(request, deps.token)) {
      refuseRequest(refuse('TOKEN_WRONG'), 0);
      return true;
    }
    const read = await readBody(request, { maxBytes: MAX_BODY_BYTES, room }, () => undefined);
    read.leave();
    if (read.kind === 'refused') refuseRequest(read.refusal, read.bytes);
    if (read.kind !== 'body') return true;
    const body = Buffer.concat(read.chunks).toString('utf8');
    const call = { method: request.method ?? '', path: path.slice(ROOT.length), body };
    const made = await respond(deps, { ...call, query: new URLSearchParams(query) });
    if (made.allow !== undefined) response.setHeader('allow', made.allow);
    sendJson(response, made.status, made.body);
    return true;

    function refuseRequest(refusal: Refusal, bytes: number): void {
      logRefusal({ refusal, bytes, remoteAddress: request.socket.remoteAddress ?? null });
      sendRefusal(request, response, refusal, LIMITS);
    }
  };
}

async function respond(deps: AdminApiDeps, call: Call): Promise<ApiResponse> {
  try {
    return await route(deps, call);
  } catch (error) {
    if (error instanceof InvalidInputError) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

/** The handlers of one path, by method. */
type Actions = Readonly<Record<string, (deps: AdminApiDeps, call: Call) => ApiResponse | Promise<ApiResponse>>>;

const COLLECTIONS: ReadonlyMap<string, Actions> = new Map<string, Actions>([
  ['sessions', { GET: listSessions, POST: announce }],
  ['transitions', { GET: listTransitions }],
  ['agents', { GET: showAgents, PUT: switchAgents }],
  ['spend', { GET: showSpend }],
  ['undo', { POST: beginUndo }],
]);

async function route(deps: AdminApiDeps, call: Call): Promise<ApiResponse> {
  const actions = COLLECTIONS.get(call.path) ?? toSessionActions(call.path) ?? toUndoActions(call.path);
  if (actions === null) return { status: 404, body: { error: 'there is no such path' } };
  const act = Object.hasOwn(actions, call.method) ? actions[call.method] : undefined;
  if (act !== undefined) return act(deps, call);
  const allow = Object.keys(actions).join(', ');
  return { status: 405, body: { error: `this path takes ${allow}` }, allow };
}

/** The handlers of `sessions/ID` and `sessions/ID/heartbeat`; null for any other path. */
function toSessionActions(path: string): Actions | null {
  const [, id, heartbeat] = /^sessions\/([A-Za-z0-9_-]{1,64})(\/heartbeat)?$/.exec(path) ?? [];
  if (id === undefined) return null;
  const sessionId = parseSessionId(id);
  if (heartbeat !== undefined) return { POST: async ({ sessions }) => toFound(await sessions.keep(sessionId)) };
  return { DELETE: async ({ sessions }) => toFound(await sessions.end(sessionId)) };
}

/** The handler of `undo/ID`; null for any other path. */
function toUndoActions(path: string): Actions | null {
  const [, id] = /^undo\/([A-Za-z0-9_-]{1,64})$/.exec(path) ?? [];
  return id === undefined ? null : { GET: (deps) => showUndo(deps, id) };
}

async function announce(deps: AdminApiDeps, { body }: Call): Promise<ApiResponse> {
  const asked = parseBySchema(SessionStart, parseJson(body));
  const ref = findPullRequest(deps, asked);
  if (ref === null) return unknownRepository(asked.repository);
  const { label, minutes = null } = asked;
  const announced = await deps.sessions.announce(ref, { label, minutes });
  if (announced.kind === 'too_many') {
    return { status: 409, body: { error: `${announced.max} sessions are live on it already; end one first` } };
  }
  const status = announced.kind === 'started' ? 201 : 200;
  return { status, body: { session: toSessionJson(announced.session, null) } };
}

function listSessions(deps: AdminApiDeps, { query }: Call): ApiResponse {
  const asked = parseBySchema(PullRequestName, Object.fromEntries(query));
  const ref = findPullRequest(deps, asked);
  if (ref === null) return unknownRepository(asked.repository);
  return {
    status: 200,
    body: {
      sessions: deps.sessions.list(ref).map((session) => toSessionJson(session, deps.sessions.progress(session.id))),
    },
  };
}

function listTransitions(deps: AdminApiDeps, { query }: Call): ApiResponse {
  const asked = parseBySchema(TransitionsQuery, Object.fromEntries(query));
  const ref = findPullRequest(deps, asked);
  if (ref === null) return unknownRepository(asked.repository);
  const transitions = deps
    .transitions(ref, asked.limit, asked.before)
    .map(({ snapshot, createdAt, ...transition }) => ({
      ...transition,
      snapshot: snapshot === null ? null : toSnapshotJson(snapshot),
      createdAt: toIsoText(createdAt),
    }));
  return { status: 200, body: { transitions } };
}

function findPullRequest(
  deps: AdminApiDeps,
  { repository, number }: { readonly repository: string; readonly number: number },
): PullRequestRef | null {
  const found = findRepository(deps, repository);
  return found === null ? null : { repository: found, number };
}

function toFound(isFound: boolean): ApiResponse {
  return isFound ? { status: 200, body: {} } : { status: 404, body: { error: 'no session at work has that id' } };
}

function toSessionJson(
  { id, kind, status, label, startedAt, heartbeatAt, deadlineAt }: Session,
  progress: AgentProgress | null,
): SessionJson {
  return {
    ...{ id, kind, status, label },
    startedAt: toIsoText(startedAt),
    heartbeatAt: toIsoText(heartbeatAt),
    deadlineAt: toIsoText(deadlineAt),
    agent: progress === null ? null : toProgressJson(progress),
  };
}

function toProgressJson({ agent, model, doing, calls, tokens, microUsd }: AgentProgress): SessionJson['agent'] {
  const { what = null, detail = null } = doing ?? {};
  return { name: agent, model, doing: what, detail, calls, tokens: { ...tokens }, usd: microUsd / MICRO };
}

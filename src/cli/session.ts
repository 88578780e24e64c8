import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { toError } from '../core/model/errors.ts';
import {
  AnyResponse,
  ErrorResponse,
  PullRequestName,
  type SessionJson,
  SessionResponse,
  SessionsResponse,
} from '../schemas/admin-api.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';

/** Process input of `session`. */
export interface SessionInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Resolves after `ms` milliseconds, or at once when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly write: (text: string) => void;
}

const USAGE =
  'session start OWNER/REPO#N [--label TEXT] [--minutes N] [--hold] | list OWNER/REPO#N | end OWNER/REPO#N [ID]  [--json]';
const DEFAULT_URL = 'http://127.0.0.1:3000';
const ONLY_START = '--label, --minutes and --hold belong to session start';
const CALL_TIMEOUT_MS = 15_000;
const HEARTBEAT_MS = 60_000;
/** Consecutive heartbeats that may fail before the command gives up. */
const MAX_LOST_HEARTBEATS = 10;

/** Shown to the caller as one line. Exit code 2: the caller's mistake; 3: any other failure. */
class SessionFailure extends Error {
  readonly exitCode: 2 | 3;

  constructor(exitCode: 2 | 3, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * `ratchet session start | list | end`: tells a running server that a person or an outside agent works on a pull
 * request, so that Ratchet does not launch a session of its own. `start` again with the same label is a heartbeat. With
 * `--hold` it keeps running, sends heartbeats, and ends the session when interrupted.
 */
export async function runSession(args: readonly string[], input: SessionInput): Promise<CliResult> {
  try {
    const request = parseSessionArgs(args);
    const call = createCall(input);
    switch (request.action) {
      case 'start':
        return await start(request, input, call);
      case 'list':
        return toResult(await list(request, call), request.json);
      case 'end':
        return await end(request, call);
    }
  } catch (error) {
    if (!(error instanceof SessionFailure)) throw error;
    return fail(error.exitCode, `ratchet: ${error.message}\n`);
  }
}

interface SessionRequest {
  readonly action: 'start' | 'list' | 'end';
  readonly repository: string;
  readonly number: number;
  readonly id: string | null;
  readonly label: string | null;
  readonly minutes: number | null;
  readonly hold: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  label: { type: 'string' },
  minutes: { type: 'string' },
  hold: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

function parseSessionArgs(args: readonly string[]): SessionRequest {
  const { values, positionals } = readArgs(args);
  const [action, name = '', ...rest] = positionals;
  if (action !== 'start' && action !== 'list' && action !== 'end') throw new SessionFailure(2, `usage: ${USAGE}`);
  const pullRequest = readPullRequest(action, name);
  const [id = null] = action === 'end' ? rest.splice(0, 1) : [];
  if (rest[0] !== undefined) {
    throw new SessionFailure(2, `session ${action}: unexpected argument ${JSON.stringify(rest[0])}`);
  }
  if (action !== 'start' && isStarting(values)) throw new SessionFailure(2, `session ${action}: ${ONLY_START}`);
  const { label = null, minutes, hold, json } = values;
  return { action, ...pullRequest, id, label, minutes: parseMinutes(minutes), hold, json };
}

function isStarting({ label, minutes, hold }: ReturnType<typeof readArgs>['values']): boolean {
  return label !== undefined || minutes !== undefined || hold;
}

function readPullRequest(action: string, name: string): Pick<SessionRequest, 'repository' | 'number'> {
  const [, repository, number] = /^([^#\s]+)#(\d{1,10})$/.exec(name) ?? [];
  const parsed = PullRequestName.safeParse({ repository, number });
  if (parsed.success) return parsed.data;
  throw new SessionFailure(2, `session ${action}: expected OWNER/REPO#N, not ${JSON.stringify(name)}`);
}

function parseMinutes(text: string | undefined): number | null {
  if (text === undefined) return null;
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1) return minutes;
  throw new SessionFailure(2, 'session start: --minutes must be a whole number, 1 or more');
}

function readArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new SessionFailure(2, `session: ${toError(error).message}`);
  }
}

/** One call of the admin API. `schema` checks the response. */
type Call = <Schema extends z.ZodType>(
  schema: Schema,
  request: { readonly method: string; readonly path: string; readonly body?: unknown },
) => Promise<z.output<Schema>>;

function createCall(input: SessionInput): Call {
  const { RATCHET_ADMIN_TOKEN: token = '', RATCHET_URL: url = '' } = input.variables;
  if (token === '') throw new SessionFailure(2, 'RATCHET_ADMIN_TOKEN is not set');
  const server = readServer(url === '' ? DEFAULT_URL : url);
  return async (schema, { method, path, body }) => {
    const response = await send(input, `${server}/api/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = schema.safeParse(response);
    if (!parsed.success) throw new SessionFailure(3, `${server} answers as no server of Ratchet does`);
    return parsed.data;
  };
}

/** Address of the server without a trailing slash. A proxy may serve it below a path. */
function readServer(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  }
  throw new SessionFailure(2, `RATCHET_URL must be an http:// or https:// address, not ${JSON.stringify(text)}`);
}

async function send(input: SessionInput, url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await input.fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    const responseBody: unknown = await response.json().catch(() => null);
    if (response.ok) return responseBody;
    throw toRefusal(response.status, responseBody);
  } catch (error) {
    if (error instanceof SessionFailure) throw error;
    const { message } = toError(toError(error).cause ?? error);
    throw new SessionFailure(3, `${new URL(url).origin} cannot be reached: ${message}`);
  }
}

/** A refusal is the caller's mistake (exit code 2), except for a wrong token or an unexpected response. */
function toRefusal(status: number, responseBody: unknown): SessionFailure {
  const refusal = ErrorResponse.safeParse(responseBody);
  if (refusal.success)
    return new SessionFailure(status === 400 || status === 404 || status === 409 ? 2 : 3, refusal.data.error);
  if (status === 401) return new SessionFailure(3, 'the server does not accept RATCHET_ADMIN_TOKEN (401)');
  if (status === 404)
    return new SessionFailure(3, 'there is no admin API (404): is RATCHET_ADMIN_TOKEN set for the server?');
  return new SessionFailure(3, `the server answers with status ${String(status)}`);
}

async function start(request: SessionRequest, input: SessionInput, call: Call): Promise<CliResult> {
  const { repository, number, minutes } = request;
  const label = request.label ?? input.variables['USER'] ?? 'someone';
  const body = { repository, number, label, ...(minutes === null ? {} : { minutes }) };
  const announce = async (): Promise<SessionJson> =>
    (await call(SessionResponse, { method: 'POST', path: 'sessions', body })).session;
  const session = await announce();
  if (!request.hold) return toResult([session], request.json);
  input.write(toResult([session], request.json).stdout);
  await endOne(await hold(session, input, announce), call);
  return succeed('', 'ratchet: session ended\n');
}

/** Sends heartbeats until interrupted. Tolerates a server that is away for a while. */
async function hold(
  session: SessionJson,
  input: SessionInput,
  announce: () => Promise<SessionJson>,
): Promise<SessionJson> {
  let newest = session;
  let failures = 0;
  for (;;) {
    await input.sleep(HEARTBEAT_MS, input.stop);
    if (input.stop.aborted) return newest;
    try {
      // After its deadline a session is over. The same announcement then starts another one.
      newest = await announce();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!(error instanceof SessionFailure) || error.exitCode === 2 || failures >= MAX_LOST_HEARTBEATS) throw error;
    }
  }
}

/** Ending a session that is already over is not an error: someone else, its pull request or its deadline ended it. */
async function endOne({ id }: SessionJson, call: Call): Promise<void> {
  try {
    await call(AnyResponse, { method: 'DELETE', path: `sessions/${id}` });
  } catch (error) {
    if (!(error instanceof SessionFailure) || error.exitCode !== 2) throw error;
  }
}

async function list({ repository, number }: SessionRequest, call: Call): Promise<readonly SessionJson[]> {
  const query = new URLSearchParams({ repository, number: String(number) });
  return (await call(SessionsResponse, { method: 'GET', path: `sessions?${query.toString()}` })).sessions;
}

/** Without an id, ends all user sessions on the pull request. */
async function end(request: SessionRequest, call: Call): Promise<CliResult> {
  const sessions = (await list(request, call)).filter(({ kind }) => kind === 'user');
  const ending = request.id === null ? sessions : sessions.filter(({ id }) => id === request.id);
  if (request.id !== null && ending.length === 0) {
    throw new SessionFailure(2, `no session at work has the id ${JSON.stringify(request.id)}`);
  }
  for (const session of ending) await endOne(session, call);
  return toResult(
    ending.map((session) => ({ ...session, status: 'ended' as const })),
    request.json,
  );
}

function toResult(sessions: readonly SessionJson[], isJson: boolean): CliResult {
  if (isJson) return succeed(toJsonLine({ sessions }));
  return sessions.length === 0 ? succeed('', 'ratchet: no session\n') : succeed(sessions.map(toLine).join(''));
}

/** People write the labels, so control characters are kept from the terminal. */
function toLine({ id, kind, status, label, startedAt, deadlineAt }: SessionJson): string {
  return `${id}  ${kind}  ${status}  since ${startedAt}  until ${deadlineAt}  ${(label ?? '').replaceAll(/\p{Cc}/gu, ' ')}\n`;
}

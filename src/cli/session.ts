import { AnyResponse, type SessionJson, SessionResponse, SessionsResponse } from '../schemas/admin-api.ts';
import { AdminFailure, type AdminInput, type Call, createCall, readAction, readPullRequest } from './call-admin.ts';
import { type CliResult, fail, succeed, toJsonLine } from './cli-result.ts';
import { parseFlags } from './parse-flags.ts';

/** Process input of `session`. */
export interface SessionInput extends AdminInput {
  /** Fires when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Resolves after `ms` milliseconds, or at once when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly write: (text: string) => void;
}

const ACTIONS = ['start', 'list', 'end'] as const;
const ONLY_START = '--label, --minutes and --hold belong to session start';
const HEARTBEAT_MS = 60_000;
/** Consecutive heartbeats that may fail before the command gives up. */
const MAX_LOST_HEARTBEATS = 10;

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
    if (!(error instanceof AdminFailure)) throw error;
    return fail(error.exitCode, `ratchet: ${error.message}\n`);
  }
}

interface SessionRequest {
  readonly action: (typeof ACTIONS)[number];
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
  const [written, name, ...rest] = positionals;
  const action = readAction('session', written, ACTIONS);
  const pullRequest = readPullRequest(`session ${action}`, name);
  const [id = null] = action === 'end' ? rest.splice(0, 1) : [];
  if (rest[0] !== undefined) {
    throw new AdminFailure(2, `session ${action}: unexpected argument ${JSON.stringify(rest[0])}`);
  }
  if (action !== 'start' && isStarting(values)) throw new AdminFailure(2, `session ${action}: ${ONLY_START}`);
  const { label = null, minutes, hold, json } = values;
  return { action, ...pullRequest, id, label, minutes: parseMinutes(minutes), hold, json };
}

function isStarting({ label, minutes, hold }: ReturnType<typeof readArgs>['values']): boolean {
  return label !== undefined || minutes !== undefined || hold;
}

function parseMinutes(text: string | undefined): number | null {
  if (text === undefined) return null;
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 1) return minutes;
  throw new AdminFailure(2, `session start: --minutes is a whole number, 1 or more, not ${JSON.stringify(text)}`);
}

function readArgs(args: readonly string[]) {
  const parsed = parseFlags(args, OPTIONS);
  if (typeof parsed === 'string') throw new AdminFailure(2, `session: ${parsed}`);
  return parsed;
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
      if (!(error instanceof AdminFailure) || error.exitCode === 2 || failures >= MAX_LOST_HEARTBEATS) throw error;
    }
  }
}

/** Ending a session that is already over is not an error: someone else, its pull request or its deadline ended it. */
async function endOne({ id }: SessionJson, call: Call): Promise<void> {
  try {
    await call(AnyResponse, { method: 'DELETE', path: `sessions/${id}` });
  } catch (error) {
    if (!(error instanceof AdminFailure) || error.exitCode !== 2) throw error;
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
    throw new AdminFailure(2, `no session at work has the id ${JSON.stringify(request.id)}`);
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

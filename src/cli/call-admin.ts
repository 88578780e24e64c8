import type { z } from 'zod';
import { toError } from '../core/model/errors.ts';
import { ErrorResponse, PullRequestName } from '../schemas/admin-api.ts';
import { toHint } from './parse-flags.ts';

/** Process input of the commands that call the admin API. */
export interface AdminInput {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';
const CALL_TIMEOUT_MS = 15_000;

/** Shown to the caller as one line. Exit code 2: the caller's mistake; 3: any other failure. */
export class AdminFailure extends Error {
  readonly exitCode: 2 | 3;

  constructor(exitCode: 2 | 3, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The first word of a command that has several actions. @throws AdminFailure with what was probably meant. */
export function readAction<const Action extends string>(
  command: string,
  written: string | undefined,
  actions: readonly Action[],
): Action {
  const action = actions.find((name) => name === written);
  if (action !== undefined) return action;
  const hint = toHint(written ?? '', actions);
  throw new AdminFailure(2, `${command}: say what to do: ${actions.join(', ')}${hint}; see ratchet ${command} --help`);
}

/** The pull request that `command` is about, from `OWNER/REPO#N`. @throws AdminFailure */
export function readPullRequest(
  command: string,
  written: string | undefined,
): { readonly repository: string; readonly number: number } {
  const [name = ''] = command.split(' ', 1);
  if (written === undefined || written === '') {
    throw new AdminFailure(2, `${command}: name the pull request, as OWNER/REPO#N; see ratchet ${name} --help`);
  }
  const [, repository, number] = /^([^#\s]+)#(\d{1,10})$/.exec(written) ?? [];
  const pullRequest = PullRequestName.safeParse({ repository, number });
  if (pullRequest.success) return pullRequest.data;
  throw new AdminFailure(2, `${command}: expected OWNER/REPO#N, not ${JSON.stringify(written)}`);
}

/** One call of the admin API. `schema` checks the response. */
export type Call = <Schema extends z.ZodType>(
  schema: Schema,
  request: { readonly method: string; readonly path: string; readonly body?: unknown },
) => Promise<z.output<Schema>>;

/** @throws AdminFailure if the variables do not say which server and token. */
export function createCall(input: AdminInput): Call {
  const { RATCHET_ADMIN_TOKEN: token = '', RATCHET_URL: url = '' } = input.variables;
  if (token === '')
    throw new AdminFailure(2, 'RATCHET_ADMIN_TOKEN is not set: set it to the admin token of the server');
  const server = readServer(url === '' ? DEFAULT_URL : url);
  return async (schema, { method, path, body }) => {
    const response = await send(input, `${server}/api/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = schema.safeParse(response);
    if (!parsed.success) throw new AdminFailure(3, `${server} answers as no server of Ratchet does`);
    return parsed.data;
  };
}

/** Address of the server without a trailing slash. A proxy may serve it below a path. */
function readServer(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  }
  throw new AdminFailure(2, `RATCHET_URL must be an http:// or https:// address, not ${JSON.stringify(text)}`);
}

async function send(input: AdminInput, url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await input.fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    const responseBody: unknown = await response.json().catch(() => null);
    if (response.ok) return responseBody;
    throw toRefusal(response.status, responseBody);
  } catch (error) {
    if (error instanceof AdminFailure) throw error;
    const { message } = toError(toError(error).cause ?? error);
    throw new AdminFailure(3, `${new URL(url).origin} cannot be reached: ${message}`);
  }
}

/** A refusal is the caller's mistake (exit code 2), except for a wrong token or an unexpected response. */
function toRefusal(status: number, responseBody: unknown): AdminFailure {
  const refusal = ErrorResponse.safeParse(responseBody);
  if (refusal.success)
    return new AdminFailure(status === 400 || status === 404 || status === 409 ? 2 : 3, refusal.data.error);
  if (status === 401) return new AdminFailure(3, 'the server does not accept RATCHET_ADMIN_TOKEN (401)');
  if (status === 404)
    return new AdminFailure(3, 'there is no admin API (404): is RATCHET_ADMIN_TOKEN set for the server?');
  return new AdminFailure(3, `the server answers with status ${String(status)}`);
}

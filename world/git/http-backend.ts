import type { IncomingMessage } from 'node:http';
import { execa } from 'execa';
import type { Protection } from '../protection.ts';
import { checkPushEnvironment } from './pre-receive.ts';
import { withRefusalReason } from './report-status.ts';
import { gitEnvironment } from './run-git.ts';

/** A request for git's CGI program. */
export type BackendRequest = {
  readonly dir: string;
  /** `info/refs`, `git-upload-pack` or `git-receive-pack`. */
  readonly service: string;
  readonly query: string;
  readonly message: IncomingMessage;
  readonly body: Buffer;
  readonly login: string;
  /** False makes receive-pack refuse commits that touch workflows. */
  readonly mayWriteWorkflows: boolean;
  /** A reason to refuse every push, or null. */
  readonly refusal: string | null;
  /** Refs that are not shown. */
  readonly hiddenRefs: readonly string[];
  /** Branch rules that apply to the pusher. */
  readonly protections: readonly Protection[];
  /** URL of the repository's page, for refusals. */
  readonly page: string;
};

export type BackendAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

function toEnvironment(request: BackendRequest): Readonly<Record<string, string>> {
  const { headers, method } = request.message;
  const protocol = headers['git-protocol'];
  return {
    ...gitEnvironment(),
    GIT_PROJECT_ROOT: request.dir,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${request.service}`,
    QUERY_STRING: request.query,
    REQUEST_METHOD: method ?? 'GET',
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: String(request.body.length),
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    REMOTE_USER: request.login,
    REMOTE_ADDR: '127.0.0.1',
    ...(typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}),
    ...hideRefs(request.hiddenRefs),
    WORLD_MAY_WRITE_WORKFLOWS: request.mayWriteWorkflows ? '1' : '0',
    WORLD_REFUSE: request.refusal ?? '',
    ...checkPushEnvironment(request.protections, request.page),
  };
}

function hideRefs(refs: readonly string[]): Readonly<Record<string, string>> {
  const settings = refs.map((ref, index) => ({
    [`GIT_CONFIG_KEY_${String(index)}`]: 'uploadpack.hideRefs',
    [`GIT_CONFIG_VALUE_${String(index)}`]: ref,
  }));
  return settings.reduce((all, setting) => ({ ...all, ...setting }), { GIT_CONFIG_COUNT: String(refs.length) });
}

/** Runs `git http-backend` for one request and returns its complete answer. */
export async function runHttpBackend(request: BackendRequest): Promise<BackendAnswer> {
  const { stdout } = await execa('git', ['http-backend'], {
    cwd: request.dir,
    env: toEnvironment(request),
    extendEnv: false,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
    input: request.body,
  });
  return parseCgi(Buffer.from(stdout));
}

function parseCgi(output: Buffer): BackendAnswer {
  const end = output.indexOf('\r\n\r\n');
  if (end === -1) return { status: 500, headers: {}, body: Buffer.from('git http-backend gave no answer\n') };
  const lines = output.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const { status = '200', ...rest } = headers;
  const body = output.subarray(end + 4);
  const isPushResult = rest['content-type'] === 'application/x-git-receive-pack-result';
  return {
    status: Number.parseInt(status, 10),
    headers: rest,
    body: isPushResult ? withRefusalReason(body) : body,
  };
}

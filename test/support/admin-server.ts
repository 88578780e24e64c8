import { toPullRequestKey, toRunId } from '../../src/core/model/ids.ts';
import type { PullRequestRef } from '../../src/core/model/pull-request.ts';
import { readUndo, undoForOperator } from '../../src/pipeline/people/undo-command.ts';
import {
  announceUserSession,
  endUserSession,
  keepUserSession,
  settleUserSessions,
} from '../../src/pipeline/sessions/user-sessions.ts';
import { createAdminApi } from '../../src/web/create-admin-api.ts';
import { createServer } from '../../src/web/server.ts';
import { type Pipeline, startPipeline } from './pipeline-fixture.ts';

export const ADMIN_TOKEN = 'admin-token-0123456789';

/** The admin API over a real HTTP server on a free port of this machine, and the real store behind it. */
export interface AdminServer {
  readonly url: string;
  readonly pipeline: Pipeline;
  /** With the right token, unless told otherwise. */
  readonly call: (
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly answer: unknown }>;
  readonly close: () => Promise<void>;
}

/** `token` null: none is configured. */
export async function startAdminServer(token: string | null = ADMIN_TOKEN): Promise<AdminServer> {
  const pipeline = startPipeline();
  const { deps, store } = pipeline;
  const toKey = ({ repository, number }: PullRequestRef) => toPullRequestKey(repository.repositoryId, number);
  const admin = createAdminApi({
    token,
    log: deps.log,
    clock: deps.clock,
    findRepository: store.findRepository,
    sessions: {
      announce: (ref, who) => announceUserSession(deps, ref, who),
      keep: (id) => keepUserSession(deps, id),
      end: (id) => endUserSession(deps, id),
      list: (ref) => {
        settleUserSessions(deps, toKey(ref));
        return store.liveSessions(toKey(ref));
      },
      progress: (id) => deps.running.progressOf(toRunId(id)),
    },
    transitions: (ref, limit, before) => store.transitions(toKey(ref), limit, before),
    undo: {
      begin: (ref) => undoForOperator(deps, toKey(ref)),
      read: (id) => readUndo(deps, id),
    },
    agents: { ...store, limits: { day: { maxMicroUsd: 2_000_000, maxCalls: null, maxTokens: null, maxTimeMs: null } } },
  });
  const readiness = () => ({ isReady: true, checks: [] });
  const server = createServer({ edge: async () => false, admin, readiness, log: deps.log });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${String(port)}`;
  return {
    url,
    pipeline,
    call: async (method, path, { body, headers = {} } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, answer: await response.json() };
    },
    close: () => server.close(0),
  };
}

import type { Environment } from '../config/environment.ts';
import { type PullRequestKey, toPullRequestKey, toRunId } from '../core/model/ids.ts';
import type { PullRequestRef } from '../core/model/pull-request.ts';
import type { Deps } from '../pipeline/deps.ts';
import { readUndo, undoForOperator } from '../pipeline/people/undo-command.ts';
import {
  announceUserSession,
  endUserSession,
  keepUserSession,
  settleUserSessions,
} from '../pipeline/sessions/user-sessions.ts';
import { createAdminApi } from '../web/create-admin-api.ts';
import type { RequestHandler } from '../web/server.ts';

/** The admin API over the flow. */
export function createAdmin(environment: Environment, deps: Deps): RequestHandler {
  const { store, log, clock } = deps;
  const toKey = (ref: PullRequestRef): PullRequestKey => toPullRequestKey(ref.repository.repositoryId, ref.number);
  return createAdminApi({
    token: environment.adminToken,
    log,
    clock,
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
    agents: { ...store, limits: environment.spendLimits },
  });
}

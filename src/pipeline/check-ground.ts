import type { PullRequestFacts } from '../core/model/pull-request.ts';
import type { SessionOutcome } from '../core/model/session.ts';
import type { Workspace } from '../core/model/workspace.ts';
import type { Deps } from './deps.ts';
import type { FixupSession } from './fixup-session.ts';

/** The ground on which a session stands, read anew; or why it stands no more. */
export type Ground =
  | { readonly kind: 'holds'; readonly facts: PullRequestFacts; readonly workspace: Workspace }
  | { readonly kind: 'gone'; readonly outcome: SessionOutcome & { readonly kind: 'superseded' } };

/**
 * Reads the pull request again: it must be open, enabled by someone who may still write, and its head the one that the session
 * started from. Called before anything is spent and as the last step before a push.
 */
export async function checkGround(
  deps: Pick<Deps, 'github' | 'store'>,
  session: FixupSession,
  signal: AbortSignal,
): Promise<Ground> {
  const workspace = deps.store.workspace(session.key);
  if (workspace?.enablement !== 'enabled') {
    return gone('disabled', 'Ratchet was disabled on this pull request.');
  }
  const facts = await deps.github.readPullRequest(workspace, signal);
  if (facts?.state !== 'open') return gone('closed', 'The pull request is not open any more.');
  if (facts.headSha !== session.fixup.headSha) {
    return gone('head_moved', `The head moved from ${session.fixup.headSha} to ${facts.headSha}.`);
  }
  if (facts.fork || facts.inMergeQueue || facts.autoMerge) {
    return gone('stopped', 'The pull request may not be pushed to now (fork, merge queue or auto-merge).');
  }
  if (!(await mayStillWrite(deps, workspace, signal))) {
    return gone('permission', 'Whoever enabled Ratchet here has no write permission any more.');
  }
  return { kind: 'holds', facts, workspace };
}

async function mayStillWrite(deps: Pick<Deps, 'github'>, workspace: Workspace, signal: AbortSignal): Promise<boolean> {
  const enabler = workspace.enabledBy;
  if (enabler === null) return false;
  const { userId, permission } = await deps.github.readPermission(workspace.repository, enabler.login, signal);
  return userId === enabler.id && (permission === 'write' || permission === 'admin');
}

function gone(why: (SessionOutcome & { kind: 'superseded' })['why'], detail: string): Ground {
  return { kind: 'gone', outcome: { kind: 'superseded', why, detail } };
}

import { GitHubError } from '../core/model/errors.ts';
import type { EpochMs } from '../core/model/ids.ts';
import type { SessionOutcome } from '../core/model/session.ts';
import type { RemoteAccess } from '../ports/git.ts';
import type { PushEffect } from '../ports/store.ts';
import { checkGround, checkSwitches } from './check-ground.ts';
import type { Deps } from './deps.ts';
import type { FixupSession } from './fixup-session.ts';

/** How long a planned push whose fate GitHub does not tell is tried to be settled. */
const MAX_UNSETTLED_MS = 24 * 60 * 60_000;
/** How long what the gate has read of the pull request counts as read. */
const FRESH_MS = 15_000;

/**
 * Makes a planned push, or recognises that it has been made: the remote branch is at our commit (adopt it), at the head that
 * we started from (push, under a lease on exactly that), or elsewhere (somebody was faster: drop it). Idempotent; throws while
 * the remote cannot be read.
 */
export async function finishPush(
  deps: Deps,
  session: FixupSession,
  planned: Pick<PlannedPush, 'push' | 'plannedAt' | 'isResumed'>,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  if (deps.clock.now() > session.deadlineAt + MAX_UNSETTLED_MS) {
    return { kind: 'died', detail: 'A planned push could not be settled for a day.' };
  }
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) return { kind: 'died', detail: 'The workspace row is gone.' };
  const token = await deps.github.mintGitToken(workspace.repository, 'push', signal);
  try {
    const remote = { url: deps.github.gitUrl(workspace.repository), token };
    const { repositoryId } = workspace.repository;
    return await settlePush(deps, session, { ...planned, remote, repositoryId }, signal);
  } finally {
    await deps.github.revokeGitToken(token, AbortSignal.timeout(10_000));
  }
}

interface PlannedPush {
  readonly push: PushEffect;
  /** The gate read the pull request right before this. */
  readonly plannedAt: EpochMs;
  /** An earlier run planned it, and may have made it before it ended. */
  readonly isResumed: boolean;
  readonly remote: RemoteAccess;
  readonly repositoryId: number;
}

async function settlePush(
  deps: Deps,
  session: FixupSession,
  planned: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const { push, remote } = planned;
  const remoteSha = await deps.git.readRemoteHead(push.branch, remote, signal);
  if (remoteSha === push.commitSha) {
    deps.log.info({ sessionId: session.id, key: session.key, commitSha: push.commitSha }, 'push adopted');
    return push.outcome;
  }
  if (remoteSha !== push.oldSha) return headMoved(planned);
  // Where the gate has just read the pull request, only what people told us since is looked at again: that costs no call.
  const isFresh = !planned.isResumed && deps.clock.now() - planned.plannedAt < FRESH_MS;
  const ground = isFresh ? checkSwitches(deps, session) : await checkGround(deps, session, signal);
  if (ground.kind === 'gone') return ground.outcome;
  return pushNow(deps, session, planned, signal);
}

async function pushNow(
  deps: Deps,
  session: FixupSession,
  planned: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const { push, remote, repositoryId } = planned;
  const mirror = await deps.git.openMirror(repositoryId);
  if (mirror === null) return { kind: 'died', detail: 'The mirror that held the commit is gone.' };
  const { commitSha, branch, oldSha } = push;
  const result = await deps.git.pushKept(mirror, { sessionId: session.id, commitSha, branch, oldSha }, remote, signal);
  switch (result.kind) {
    case 'pushed':
      deps.log.info({ sessionId: session.id, key: session.key, commitSha }, 'pushed');
      return push.outcome;
    case 'stale':
      return headMoved(planned);
    case 'refused':
      return {
        kind: 'rejected',
        code: 'PUSH_REFUSED',
        detail: `GitHub refused the push: ${result.reason}`,
        diff: push.outcome.diff,
        validation: push.outcome.validation,
      };
    case 'unknown':
      throw new GitHubError('UNAVAILABLE', `the fate of a push is unknown: ${result.reason}`, { retry: 'later' });
  }
}

/** On top of a push that an earlier run made somebody may have pushed again: that nothing was pushed is not known then (F2). */
function headMoved({ push, isResumed }: PlannedPush): SessionOutcome {
  const ours = isResumed ? `whether ${push.commitSha} had reached it before is not known` : 'nothing was pushed';
  return { kind: 'superseded', why: 'head_moved', detail: `Somebody else changed the branch; ${ours}.` };
}

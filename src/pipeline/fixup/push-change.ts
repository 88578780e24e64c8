import { GitHubError } from '../../core/model/errors.ts';
import { type EpochMs, type Sha, toRunId } from '../../core/model/ids.ts';
import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { toRefusedOutcome } from '../../core/runs/fixup-end.ts';
import { type GitHubRefusal, isRefusal } from '../../core/runs/github-trouble.ts';
import type { RemoteAccess } from '../../ports/git.ts';
import type { PushEffect } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { withRemote } from '../prepare/with-remote.ts';
import { checkGroundBeforePush, checkSwitches } from './check-ground.ts';
import { checkPlannedBy } from './judged-by.ts';

/** How long after its plan Ratchet tries to make a push, or to find out whether it arrived. */
const MAX_UNSETTLED_MS = 24 * 60 * 60_000;
const NO_PUSH_ANY_MORE: SessionOutcome = {
  ...{ kind: 'superseded', why: 'stopped' },
  detail: 'The policy lets nothing be pushed any more.',
};
/** How long the gate's read of the pull request counts as live. */
const FRESH_MS = 15_000;

/**
 * Makes a planned push with a lease on the session's head, or recognises that an earlier process made it: if the remote branch has
 * our commit, the push is adopted. If the branch is elsewhere, someone else pushed and the plan is dropped. Idempotent. Throws while the remote cannot be read, or the result of the push is unknown.
 */
export async function finishPush(
  deps: Deps,
  session: FixupSession,
  planned: Pick<PlannedPush, 'push' | 'plannedAt' | 'isResumed'>,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  if (deps.clock.now() > planned.plannedAt + MAX_UNSETTLED_MS) {
    return { kind: 'died', detail: 'A planned push could not be settled for a day.' };
  }
  const workspace = deps.store.workspace(session.key);
  if (workspace === null) return { kind: 'died', detail: 'The workspace row is gone.' };
  const { repository } = workspace;
  try {
    return await withRemote(deps, { repository, purpose: 'push' }, signal, (remote) =>
      settlePush(deps, session, { ...planned, remote, repository }, signal),
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return settleRefused(deps, workspace, planned, { error, signal });
  }
}

/** The outcome where GitHub lets Ratchet push no more: a person must act. What can still be read may show that the push arrived. */
async function settleRefused(
  deps: Pick<Deps, 'github' | 'log'>,
  workspace: Workspace,
  { push, isResumed }: Pick<PlannedPush, 'push' | 'isResumed'>,
  { error, signal }: { readonly error: GitHubRefusal; readonly signal: AbortSignal },
): Promise<SessionOutcome> {
  deps.log.warn({ key: workspace.key, error }, 'GitHub refuses the push');
  if (!isResumed) return toRefusedOutcome(error, ' Nothing was pushed.');
  const headSha = await readHead(deps, workspace, signal);
  if (headSha === push.commitSha) return push.outcome;
  const arrival = headSha === push.oldSha ? 'Nothing was pushed.' : `Whether ${push.commitSha} arrived is not known.`;
  return toRefusedOutcome(error, ` ${arrival}`);
}

async function readHead(
  { github }: Pick<Deps, 'github'>,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Sha | null> {
  try {
    return (await github.readPullRequest(workspace, signal))?.headSha ?? null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

interface PlannedPush {
  readonly push: PushEffect;
  readonly plannedAt: EpochMs;
  /** An earlier process planned the push, and may have made it before it ended. */
  readonly isResumed: boolean;
  readonly remote: RemoteAccess;
  readonly repository: RepositoryRef;
}

async function settlePush(
  deps: Deps,
  session: FixupSession,
  planned: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const settled = planned.isResumed ? await settleEarlier(deps, session, planned, signal) : null;
  if (settled !== null) return settled;
  const lost = await findLostGround(deps, session, planned, signal);
  return lost ?? pushNow(deps, session, planned, signal);
}

/** What became of a push that an earlier process may have made; null: the branch is as before it. A first push has its lease. */
async function settleEarlier(
  deps: Deps,
  session: FixupSession,
  planned: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome | null> {
  const { push, remote } = planned;
  const remoteSha = await deps.git.readRemoteHead(push.branch, remote, signal);
  if (remoteSha === push.oldSha) return null;
  if (!(await hasArrived(deps, planned, remoteSha, signal))) return headMoved(planned);
  deps.log.info({ sessionId: session.id, key: session.key, commitSha: push.commitSha }, 'push adopted');
  return push.outcome;
}

/** The outcome if the push is no longer allowed; null if it is. */
async function findLostGround(
  deps: Deps,
  session: FixupSession,
  { push, isResumed }: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome | null> {
  // If the gate has just read the pull request, checks only the commands given since. That needs no call to GitHub.
  const checkedAt = push.groundCheckedAt ?? Number.NEGATIVE_INFINITY;
  if (!isResumed && deps.clock.now() - checkedAt < FRESH_MS) {
    const switches = checkSwitches(deps, session);
    return switches.kind === 'ended' ? switches.outcome : null;
  }
  const ground = await checkGroundBeforePush(deps, session, signal);
  if (ground.kind === 'ended') return ground.outcome;
  const judgedBy = checkPlannedBy(push, ground.value.facts);
  if (judgedBy.kind === 'ended') return judgedBy.outcome;
  return ground.value.unpushed === null ? null : NO_PUSH_ANY_MORE;
}

/** Whether the branch has our commit. Others may have pushed on top of it (traps 58, 59). */
async function hasArrived(
  { github }: Pick<Deps, 'github'>,
  { push, repository }: PlannedPush,
  remoteSha: Sha | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (remoteSha === push.commitSha) return true;
  if (remoteSha === null) return false;
  return (await github.readMergeBase(repository, push.commitSha, remoteSha, signal)) === push.commitSha;
}

async function pushNow(
  deps: Deps,
  session: FixupSession,
  planned: PlannedPush,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const { push, remote, repository } = planned;
  const mirror = await deps.git.openMirror(repository.repositoryId);
  if (mirror === null) return { kind: 'died', detail: 'The mirror that held the commit is gone.' };
  const { commitSha, branch, oldSha } = push;
  const result = await deps.git.pushKept(
    mirror,
    { runId: toRunId(session.id), commitSha, branch, oldSha },
    remote,
    signal,
  );
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

/** If an earlier process planned the push, it may have pushed, and someone may have reverted that (F2). */
function headMoved({ push, isResumed }: PlannedPush): SessionOutcome {
  const ours = isResumed ? `whether ${push.commitSha} had reached it before is not known` : 'nothing was pushed';
  return { kind: 'superseded', why: 'head_moved', detail: `Somebody else changed the branch; ${ours}.` };
}

import { GitHubError, InvariantError } from '../../core/model/errors.ts';
import { EVALUATE_QUEUE } from '../../core/model/queues.ts';
import type { BranchUpdate } from '../../core/model/workspace.ts';
import type { AskResult } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';
import type { Look } from '../look/take-snapshot.ts';

type UpdateDeps = Pick<Deps, 'clock' | 'github' | 'log' | 'store'>;

/** An instant from which every wait is over: an update that GitHub refused is not waited for. */
const NOT_AWAITED = 0;

/**
 * FIX_MERGE_CONFLICT by `update-branch`: asks GitHub to merge the base into the head, once for each base SHA (resolution S7,
 * traps 15 and 65). The row is written before the call: a crash in between costs the update, never a second one. Where GitHub
 * refuses for good (a merge that brings workflow files, say), its wait is over and the next look, at once, goes on without
 * it. A rate limit is thrown, with the row as it was before, for nothing was asked.
 */
export async function updateBranch(deps: UpdateDeps, look: Look, signal: AbortSignal): Promise<void> {
  const { workspace, facts, snapshot } = look;
  if (facts === null) throw new InvariantError('an update was decided without a pull request');
  const update: BranchUpdate = {
    headSha: facts.headSha,
    baseSha: facts.baseSha,
    ciRunId: snapshot.ci.runId,
    at: deps.clock.now(),
  };
  deps.store.updateWorkspace(workspace.key, { branchUpdate: update });
  const result = await ask(deps, look, update, signal);
  const isRefused = result.kind === 'refused';
  deps.store.appendTransition({
    key: workspace.key,
    action: 'EFFECT',
    code: isRefused ? 'UPDATE_REFUSED' : 'UPDATE_ASKED',
    reason: isRefused
      ? `GitHub refused to update the branch to ${update.baseSha}: ${result.why}`
      : `GitHub was asked to merge ${update.baseSha} into the branch.`,
    snapshot: null,
    createdAt: deps.clock.now(),
  });
  deps.log.info({ key: workspace.key, baseSha: update.baseSha, result: result.kind }, 'branch update asked for');
  if (!isRefused) return;
  deps.store.updateWorkspace(workspace.key, { branchUpdate: { ...update, at: NOT_AWAITED } });
  deps.store.markWakeup(EVALUATE_QUEUE, workspace.key, null);
}

/** Without an answer nobody knows; it counts as asked, and a new head will tell. */
async function ask(
  deps: UpdateDeps,
  { workspace }: Look,
  update: BranchUpdate,
  signal: AbortSignal,
): Promise<AskResult> {
  try {
    return await deps.github.updateBranch(workspace, update.headSha, signal);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    if (error.code === 'RATE_LIMITED') {
      deps.store.updateWorkspace(workspace.key, { branchUpdate: workspace.branchUpdate });
      throw error;
    }
    deps.log.warn({ key: workspace.key, error, code: error.code }, 'a branch update was asked for without an answer');
    return { kind: 'asked' };
  }
}

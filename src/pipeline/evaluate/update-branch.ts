import type { UpdateEffect } from '../../core/model/ask.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { Look } from '../look/take-snapshot.ts';
import { type AskDeps, askOnce } from './ask-once.ts';

/**
 * FIX_MERGE_CONFLICT by `update-branch`: asks GitHub to merge the base into the head, once per base SHA (resolution S7, traps 15
 * and 65). GitHub may refuse permanently, for example a merge that contains workflow files.
 */
export async function updateBranch(deps: AskDeps, look: Look, signal: AbortSignal): Promise<void> {
  const { workspace, facts, snapshot } = look;
  if (facts === null) throw new InvariantError('an update was decided without a pull request');
  const { headSha, baseSha } = facts;
  const { key, freshStarts: freshStart } = workspace;
  const effect: UpdateEffect = { kind: 'update_branch', freshStart, headSha, baseSha, ciRunId: snapshot.ci.runId };
  const refusals = await askOnce(deps, {
    key,
    effect,
    calls: [() => deps.github.updateBranch(workspace, headSha, signal)],
    describe: ([why]) =>
      why === undefined
        ? `GitHub was asked to merge ${baseSha} into the branch.`
        : `GitHub refused to update the branch to ${baseSha}: ${why}`,
  });
  deps.log.info({ key, baseSha, result: refusals.length === 0 ? 'asked' : 'refused' }, 'branch update asked for');
}

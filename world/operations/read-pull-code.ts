import { rowOf, toFullName } from '../find.ts';
import type { Comparison } from '../git/commit.ts';
import { compareCommits } from '../git/compare.ts';
import { branchTip, mergeCommits, readRef } from '../git/repository.ts';
import type { Pull } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** Head and base commit of a pull request, from git. */
export type PullTips = { readonly headSha: string; readonly baseSha: string };

/** Whether the pull request merges cleanly; `unknown` while GitHub computes it and for a closed one. */
export type Mergeability = 'clean' | 'conflict' | 'unknown';

/** The ref that GitHub keeps for a pull request's head, including for forks and deleted branches. */
export function pullRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** Head and base commit of a pull request. If the base branch is deleted, `baseSha` is the head. */
export async function readPullTips(world: WorldContext, pull: Pull): Promise<PullTips> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const headSha = await readRef(repository.git, pullRef(pull.number));
  if (headSha === null) throw new Error(`Pull request ${pull.number} has no head`);
  return { headSha, baseSha: (await branchTip(repository.git, pull.baseBranch)) ?? headSha };
}

/** Asks git whether the pull request merges cleanly, unless a fault overrides the answer. */
export async function readMergeability(world: WorldContext, pull: Pull, tips: PullTips): Promise<Mergeability> {
  if (pull.state === 'closed' || world.faults.takeUnknownMergeability()) return 'unknown';
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  if (world.faults.isConflictClaimed(toFullName(repository))) return 'conflict';
  const merge = await mergeCommits(repository.git, tips.baseSha, tips.headSha);
  return merge.kind;
}

/** The changes of the pull request since the merge base. */
export async function readPullChanges(world: WorldContext, pull: Pull, tips: PullTips): Promise<Comparison> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const comparison = await compareCommits(repository.git, tips.baseSha, tips.headSha);
  return comparison ?? { mergeBase: tips.baseSha, aheadBy: 0, behindBy: 0, commits: [], files: [] };
}

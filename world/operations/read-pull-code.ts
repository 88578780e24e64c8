import { rowOf, toFullName } from '../find.ts';
import type { Comparison } from '../git/commit.ts';
import { compareCommits } from '../git/compare.ts';
import { branchTip, mergeCommits, readRef } from '../git/repository.ts';
import type { Pull } from '../state.ts';
import type { WorldContext } from '../world-context.ts';

/** The commits of a pull request, asked of git. */
export type PullTips = { readonly headSha: string; readonly baseSha: string };

/** Whether the pull request merges cleanly; `unknown` while GitHub has not computed it, or it is closed. */
export type Mergeability = 'clean' | 'conflict' | 'unknown';

/** The ref GitHub keeps at the head of a pull request, also for forks and after the branch is gone. */
export function pullRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** Head and base commit of a pull request. A base branch that is gone counts as the head itself. */
export async function readPullTips(world: WorldContext, pull: Pull): Promise<PullTips> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const headSha = await readRef(repository.git, pullRef(pull.number));
  if (headSha === null) throw new Error(`Pull request ${pull.number} has no head`);
  return { headSha, baseSha: (await branchTip(repository.git, pull.baseBranch)) ?? headSha };
}

/** Asks git whether the pull request merges cleanly, unless a fault has it unknown or of before. */
export async function readMergeability(world: WorldContext, pull: Pull, tips: PullTips): Promise<Mergeability> {
  if (pull.state === 'closed' || world.faults.takeUnknownMergeability()) return 'unknown';
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  if (world.faults.isConflictClaimed(toFullName(repository))) return 'conflict';
  const merge = await mergeCommits(repository.git, tips.baseSha, tips.headSha);
  return merge.kind;
}

/** What the pull request changes, relative to the merge base. */
export async function readPullChanges(world: WorldContext, pull: Pull, tips: PullTips): Promise<Comparison> {
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const comparison = await compareCommits(repository.git, tips.baseSha, tips.headSha);
  return comparison ?? { mergeBase: tips.baseSha, aheadBy: 0, behindBy: 0, commits: [], files: [] };
}

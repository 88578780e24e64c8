import { checkRunsOf, findProtections, latestCheckRuns, ofPull, rowOf } from '../find.ts';
import { isAncestor } from '../git/repository.ts';
import type { Protection } from '../protection.ts';
import type { Pull, State } from '../state.ts';
import type { WorldContext } from '../world-context.ts';
import type { Mergeability, PullTips } from './read-pull-code.ts';
import { reviewDecisionOf } from './review-decision.ts';

/** GitHub's `mergeable_state` (REST); GraphQL's `mergeStateStatus` has it in upper case. */
export type MergeState = 'unknown' | 'dirty' | 'draft' | 'blocked' | 'behind' | 'unstable' | 'clean';

/** Inputs of the merge state besides the pull request. */
export type MergeFacts = { readonly tips: PullTips; readonly mergeability: Mergeability };

type Standing = 'passed' | 'pending' | 'failed';

/**
 * The one reason that GitHub gives against a merge, in GitHub's order. A head that lacks commits of a strict base is
 * `behind` only if nothing else blocks it. With a red required check or a missing approval it is `blocked`, and only a
 * comparison shows that it is also behind.
 */
export async function readMergeState(world: WorldContext, pull: Pull, facts: MergeFacts): Promise<MergeState> {
  const { tips, mergeability } = facts;
  if (mergeability === 'unknown') return 'unknown';
  if (mergeability === 'conflict') return 'dirty';
  if (pull.isDraft) return 'draft';
  const repository = rowOf(world.state.repositories, pull.repositoryId);
  const protections = findProtections(repository, pull.baseBranch);
  const standings = standingsOf(world.state, pull.repositoryId, tips.headSha);
  if (isBlocked(world.state, pull, { protections, standings })) return 'blocked';
  const isStrict = protections.some((rule) => rule.requiresUpToDate);
  if (isStrict && !(await isAncestor(repository.git, tips.baseSha, tips.headSha))) return 'behind';
  return [...standings.values()].every((standing) => standing === 'passed') ? 'clean' : 'unstable';
}

type Rules = {
  readonly protections: readonly Protection[];
  readonly standings: ReadonlyMap<string, Standing>;
};

function isBlocked(state: State, pull: Pull, { protections, standings }: Rules): boolean {
  const required = protections.flatMap((rule) => rule.requiredChecks);
  if (required.some((context) => standings.get(context) !== 'passed')) return true;
  const mustResolve = protections.some((rule) => rule.requiresResolvedThreads);
  if (mustResolve && ofPull(state.reviewThreads, pull).some(({ resolvedByLogin }) => resolvedByLogin === null))
    return true;
  if (!protections.some((rule) => rule.requiredApprovals > 0)) return false;
  return reviewDecisionOf(state, pull) !== 'APPROVED';
}

/** The result of each check run and status context of a commit. Of several with one name, the worst counts. */
function standingsOf(state: State, repositoryId: number, sha: string): ReadonlyMap<string, Standing> {
  const runs = latestCheckRuns(state, checkRunsOf(state, repositoryId, sha)).map((run) => {
    const isGood = ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '');
    return { name: run.name, standing: toStanding(run.status === 'completed', isGood) };
  });
  const all = [...state.statuses.values()].filter((row) => row.repositoryId === repositoryId && row.sha === sha);
  const statuses = [...new Map(all.map((row) => [row.context, row])).values()].map((row) => {
    return { name: row.context, standing: toStanding(row.state !== 'pending', row.state === 'success') };
  });
  const worst = new Map<string, Standing>();
  for (const { name, standing } of [...runs, ...statuses]) worst.set(name, worseOf(worst.get(name), standing));
  return worst;
}

function toStanding(isCompleted: boolean, isGood: boolean): Standing {
  if (!isCompleted) return 'pending';
  return isGood ? 'passed' : 'failed';
}

function worseOf(one: Standing | undefined, other: Standing): Standing {
  const order = ['failed', 'pending', 'passed'] as const;
  return order.find((standing) => standing === one || standing === other) ?? other;
}

import type { Sha } from '../../core/model/ids.ts';
import { type FixupSession, REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';

/** A merge that Ratchet pushed and someone removed from the branch. */
export interface TakenBack {
  readonly commitSha: Sha;
  /** Its parents: the head before it, and the base. */
  readonly headSha: Sha;
  readonly baseSha: Sha;
}

/** The last merge that Ratchet pushed to the pull request, if the head does not contain it; null otherwise. */
export async function findTakenBack(
  { github, store }: Pick<Deps, 'github' | 'store'>,
  { key, fixup }: Pick<FixupSession, 'key' | 'fixup'>,
  signal: AbortSignal,
): Promise<TakenBack | null> {
  const merge = findLastMerge({ store }, key);
  if (merge === null || merge.headSha === fixup.headSha) return merge;
  const repository = store.workspace(key)?.repository;
  if (repository === undefined) return null;
  const common = await github.readMergeBase(repository, merge.commitSha, fixup.headSha, signal);
  return common === merge.commitSha ? null : merge;
}

function findLastMerge({ store }: Pick<Deps, 'store'>, key: FixupSession['key']): TakenBack | null {
  for (const { fixup, outcome } of store.endedSessions(key, REMEMBERED_SESSIONS)) {
    if (outcome?.kind !== 'pushed' || fixup?.action !== 'FIX_MERGE_CONFLICT') continue;
    return { commitSha: outcome.commitSha, headSha: fixup.headSha, baseSha: fixup.baseSha };
  }
  return null;
}

import type { Sha } from '../../core/model/ids.ts';
import { type FixupSession, REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import type { Deps } from '../deps.ts';

/** A merge of ours that was pushed, and is not part of the head any more: somebody did not want it. */
export interface TakenBack {
  readonly commitSha: Sha;
  /** Its parents. */
  readonly headSha: Sha;
  readonly baseSha: Sha;
}

/** The last merge that was pushed to the pull request, where a person took it back since; null otherwise. */
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

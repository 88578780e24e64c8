import type { Sha } from '../../core/model/ids.ts';
import type { PullRequestFacts, RepositoryRef } from '../../core/model/pull-request.ts';
import type { GitHub } from '../../ports/github.ts';

/** The merge base of head and base; null: there is none. Makes no API call if the base is a parent of the head. */
export async function readMergeBase(
  github: Pick<GitHub, 'readMergeBase'>,
  of: {
    readonly repository: RepositoryRef;
    readonly facts: Pick<PullRequestFacts, 'baseSha' | 'headSha' | 'headParents'>;
  },
  signal: AbortSignal,
): Promise<Sha | null> {
  const { baseSha, headSha, headParents } = of.facts;
  return headParents.includes(baseSha) ? baseSha : github.readMergeBase(of.repository, baseSha, headSha, signal);
}

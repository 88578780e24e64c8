import type { RunId, Sha } from '../../core/model/ids.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import { withRemote } from './with-remote.ts';

/** Opens the session repository at the head. The token is revoked after the fetch. Throws `RepositoryError`. */
export async function openRepository(
  deps: Pick<Deps, 'git' | 'github'>,
  { repository, number, key }: Workspace,
  want: {
    readonly id: RunId;
    readonly headSha: Sha;
    /** null: the head is a fork's. */
    readonly headRef: string | null;
    readonly baseRef: string;
    /** Further commits to keep. Missing ones are ignored. */
    readonly alsoKeep: readonly Sha[];
  },
  signal: AbortSignal,
): Promise<SessionRepository> {
  const { id, headSha, headRef, baseRef, alsoKeep } = want;
  return withRemote(deps, { repository, purpose: 'read' }, signal, async (remote) => {
    const mirror = await deps.git.ensureMirror(repository, { number, headSha, headRef, baseRef }, remote, signal);
    return deps.git.prepareSession(mirror, { id, key, headSha, alsoKeep }, signal);
  });
}

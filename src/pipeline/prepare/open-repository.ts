import type { RunId, Sha } from '../../core/model/ids.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import { withRemote } from './with-remote.ts';

/** Mirror and workspace of a session at its head; the token lives for the fetch only. Throws `WorkspaceError`. */
export async function openRepository(
  deps: Pick<Deps, 'git' | 'github'>,
  { repository, number, key }: Workspace,
  want: {
    readonly id: RunId;
    readonly headSha: Sha;
    readonly baseRef: string;
    /** Commits beside the head that it works with; those that are not there are left out. */
    readonly alsoKeep: readonly Sha[];
  },
  signal: AbortSignal,
): Promise<SessionRepository> {
  const { id, headSha, baseRef, alsoKeep } = want;
  return withRemote(deps, { repository, purpose: 'read' }, signal, async (remote) => {
    const mirror = await deps.git.ensureMirror(repository, { number, headSha, baseRef }, remote, signal);
    return deps.git.prepareSession(mirror, { id, key, headSha, alsoKeep }, signal);
  });
}

import type { RunId, Sha } from '../../core/model/ids.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';

const REVOKE_TIMEOUT_MS = 10_000;

/** Opens the session repository at the head. The token is revoked after the fetch. Throws `WorkspaceError`. */
export async function openRepository(
  deps: Pick<Deps, 'git' | 'github'>,
  { repository, number, key }: Workspace,
  want: {
    readonly id: RunId;
    readonly headSha: Sha;
    readonly baseRef: string;
    /** Further commits to keep. Missing ones are ignored. */
    readonly alsoKeep: readonly Sha[];
  },
  signal: AbortSignal,
): Promise<SessionRepository> {
  const { id, headSha, baseRef, alsoKeep } = want;
  const token = await deps.github.mintGitToken(repository, 'read', signal);
  try {
    const remote = { url: deps.github.gitUrl(repository), token };
    const mirror = await deps.git.ensureMirror(repository, { number, headSha, baseRef }, remote, signal);
    return await deps.git.prepareSession(mirror, { id, key, headSha, alsoKeep }, signal);
  } finally {
    await deps.github.revokeGitToken(token, AbortSignal.timeout(REVOKE_TIMEOUT_MS));
  }
}

import type { RepositoryRef } from '../../core/model/pull-request.ts';
import type { RemoteAccess } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';

const REVOKE_TIMEOUT_MS = 10_000;

/** Calls `use` with access to the repository on GitHub. Its token is revoked afterwards, even after an error. */
export async function withRemote<Value>(
  { github }: Pick<Deps, 'github'>,
  to: { readonly repository: RepositoryRef; readonly purpose: 'read' | 'push' },
  signal: AbortSignal,
  use: (remote: RemoteAccess) => Promise<Value>,
): Promise<Value> {
  const token = await github.mintGitToken(to.repository, to.purpose, signal);
  try {
    return await use({ url: github.gitUrl(to.repository), token });
  } finally {
    await github.revokeGitToken(token, AbortSignal.timeout(REVOKE_TIMEOUT_MS));
  }
}

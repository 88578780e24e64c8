import { z } from 'zod';
import type { CommitIdentity } from '../../core/model/commit-identity.ts';
import type { GitHub } from '../../ports/github.ts';
import { parseResponse } from './parse-response.ts';
import type { RepositoryCalls } from './repository-calls.ts';

const UserResponse = z.object({ id: z.number().int().positive() });

/**
 * Creates the reader of the identity of our commits: the App's bot account. GitHub links a commit to it only by
 * `<user id>+<login>@users.noreply.<host>`; DCO and CLA checks refuse commits whose author they do not know. The user id is not the
 * App's id, and is read once.
 */
export function createReadCommitIdentity(
  { call }: Pick<RepositoryCalls, 'call'>,
  readSlug: GitHub['readSlug'],
  { email, noreplyHost }: { readonly email: string | null; readonly noreplyHost: string },
): GitHub['readCommitIdentity'] {
  let identity: CommitIdentity | null = null;
  return async (repository, signal) => {
    if (identity !== null) return identity;
    const name = `${await readSlug(signal)}[bot]`;
    if (email !== null) return { name, email };
    const route = 'GET /users/{username}';
    const response = await call({ repository, route, parameters: { username: name }, access: 'read', signal });
    const { id } = parseResponse(UserResponse, response.data, 'bot account');
    identity = { name, email: `${String(id)}+${name}@${noreplyHost}` };
    return identity;
  };
}

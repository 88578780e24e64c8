import { type Authorization, authorize } from '../../core/commands/authorize.ts';
import { findCommand } from '../../core/commands/command-names.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/**
 * Whether whoever gave the command may: read live, by login, and only for the account that gave it, since a login can be renamed
 * and taken over (T7, T9).
 */
export async function readAuthorization(
  deps: Pick<Deps, 'github'>,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<Authorization> {
  const { author, command } = stored;
  // No bot may, whatever its permission.
  if (author.kind === 'bot') return authorize(command, { actor: author, permission: 'none', isPrAuthor: false });
  const { userId, permission } = await deps.github.readPermission(workspace.repository, author.login, signal);
  const isSameAccount = userId === author.id;
  const speaker = { actor: author, permission: isSameAccount ? permission : ('none' as const) };
  const authorization = authorize(command, { ...speaker, isPrAuthor: false });
  if (authorization.kind === 'allowed' || !isForAuthors(command)) return authorization;
  const facts = await deps.github.readPullRequest(workspace, signal);
  return authorize(command, { ...speaker, isPrAuthor: facts?.author?.id === author.id });
}

/** Only for those few it is worth a look who the author is. */
function isForAuthors({ name }: StoredCommand['command']): boolean {
  return name !== 'unknown' && findCommand(name)?.audience === 'author';
}

import { type Authorization, authorize } from '../../core/commands/authorize.ts';
import { findCommand } from '../../core/commands/command-names.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { StoredCommand } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';

/**
 * Checks whether the author may give the command. The permission is read live by login and must belong to the same account id,
 * because logins can be renamed and reused (T7, T9).
 */
export async function readAuthorization(
  deps: Pick<Deps, 'github'>,
  workspace: Workspace,
  stored: StoredCommand,
  signal: AbortSignal,
): Promise<Authorization> {
  const { author, command } = stored;
  // Bots are refused regardless of their permission.
  if (author.kind === 'bot') return authorize(command, { actor: author, permission: 'none', isPrAuthor: false });
  const { userId, permission } = await deps.github.readPermission(workspace.repository, author.login, signal);
  const isSameAccount = userId === author.id;
  const speaker = { actor: author, permission: isSameAccount ? permission : ('none' as const) };
  const authorization = authorize(command, { ...speaker, isPrAuthor: false });
  if (authorization.kind === 'allowed' || !isForAuthors(command)) return authorization;
  const facts = await deps.github.readPullRequest(workspace, signal);
  return authorize(command, { ...speaker, isPrAuthor: facts?.author?.id === author.id });
}

/** Only a few commands need to know the author of the pull request. */
function isForAuthors({ name }: StoredCommand['command']): boolean {
  return findCommand(name)?.audience === 'author';
}

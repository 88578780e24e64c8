import { InvariantError } from '../../core/model/errors.ts';
import { parseSha, type RunId, type Sha } from '../../core/model/ids.ts';
import type { KeptAs, NewCommit, SessionRepository } from '../../ports/git.ts';
import { FETCH, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { toKeptRef } from './prepare-session.ts';

/** See `Git.createCommit`. */
export async function createCommit(
  context: GitContext,
  repository: SessionRepository,
  commit: NewCommit,
  signal: AbortSignal,
): Promise<Sha> {
  if (commit.parents[0] !== repository.headSha) throw new InvariantError('the first parent of a fixup is the head');
  const { name, email } = commit.identity;
  const date = `${String(Math.floor(commit.at / 1000))} +0000`;
  const args = ['commit-tree', commit.treeSha, ...commit.parents.flatMap((parent) => ['-p', parent])];
  return gitAt(context, repository.controlDir, signal).sha(args, {
    stdin: commit.message,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
  });
}

/** See `Git.keepCommit`. The fetch checks every object again (`transfer.fsckObjects`). */
export async function keepCommit(
  context: GitContext,
  repository: SessionRepository,
  { commitSha, as }: { readonly commitSha: Sha; readonly as: KeptAs },
  signal: AbortSignal,
): Promise<void> {
  const { controlDir, mirror, runId } = repository;
  const made = `refs/ratchet/made/${runId}`;
  await gitAt(context, controlDir, signal).bytes(['update-ref', made, commitSha]);
  const move = [...FETCH, '--', controlDir, `+${made}:${toKeptRef(runId, as)}`];
  const inMirror = gitAt(context, mirror.gitDir, signal);
  await context.lockMirror(mirror.repositoryId, () => inMirror.bytes(move, { localPeer: true }));
}

/** See `Git.readHeld`. */
export async function readHeld(
  context: GitContext,
  { mirror }: SessionRepository,
  of: RunId,
  signal: AbortSignal,
): Promise<{ readonly commitSha: Sha; readonly treeSha: Sha } | null> {
  const git = gitAt(context, mirror.gitDir, signal);
  const format = '--format=%(objectname) %(tree)';
  const [line = ''] = (await git.text(['for-each-ref', format, toKeptRef(of, 'held')])).split('\n');
  const [commit = '', tree = ''] = line.split(' ');
  return commit === '' ? null : { commitSha: parseSha(commit), treeSha: parseSha(tree) };
}

import type { CommitIdentity } from '../../core/model/commit-identity.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Task } from '../../core/model/task.ts';
import { toInertName } from '../../core/text/escape.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { TaskDeps } from './task-run.ts';

/** Author and committer of what a run makes. The person signs nothing. */
const IDENTITY: CommitIdentity = { name: 'Ratchet', email: 'ratchet@localhost' };
const MAX_TITLE = 120;

interface NewChange {
  readonly treeSha: Sha;
  readonly task: Task;
}

/** Commits a tree on the head of its clone, and keeps the commit in the mirror: it outlives the clone. */
export async function keepChange(
  deps: Pick<TaskDeps, 'clock' | 'git'>,
  repository: SessionRepository,
  change: NewChange,
  signal: AbortSignal,
): Promise<Sha> {
  const commitSha = await commitChange(deps, repository, change, signal);
  await deps.git.keepCommit(repository, { commitSha, as: 'intent' }, signal);
  return commitSha;
}

/** Commits a tree on the head of its clone. The commit is lost with the clone. */
export async function commitChange(
  { clock, git }: Pick<TaskDeps, 'clock' | 'git'>,
  repository: SessionRepository,
  { treeSha, task }: NewChange,
  signal: AbortSignal,
): Promise<Sha> {
  const message = toMessage(task);
  const parents = [repository.headSha];
  return git.createCommit(repository, { treeSha, message, parents, identity: IDENTITY, at: clock.now() }, signal);
}

function toMessage({ title, tool, taskType, id }: Task): string {
  return `${taskType === 'add_test' ? 'test' : 'fix'}: ${toInertName(title, MAX_TITLE)}\n\nRatchet-Task: ${String(id)} (${toInertName(tool, MAX_TITLE)})\n`;
}

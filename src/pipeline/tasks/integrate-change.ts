import type { CommitIdentity } from '../../core/model/commit-identity.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { AttemptCause, Task } from '../../core/model/task.ts';
import { toInertName } from '../../core/text/escape.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { withTree } from './open-tree.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';
import { type TaskToValidate, validateTask } from './validate-task.ts';

/** Author and committer of what a run makes. The person signs nothing. */
const IDENTITY: CommitIdentity = { name: 'Ratchet', email: 'ratchet@localhost' };
const MAX_TITLE = 120;

/** A change that passed alone. */
export interface PassedChange {
  readonly task: Task;
  /** The commit that it starts from. */
  readonly from: Sha;
  /** A commit of the change on `from`, which the mirror keeps. */
  readonly commitSha: Sha;
  readonly validation: Omit<TaskToValidate, 'opened' | 'treeSha' | 'name'>;
  readonly attemptName: string;
}

export type Integration =
  | { readonly kind: 'integrated'; readonly head: Sha }
  | {
      readonly kind: 'failed';
      readonly cause: AttemptCause;
      readonly detail: string;
      readonly exitCode: number | null;
    };

/** Commits a tree on the head of its clone, and keeps the commit in the mirror: it outlives the clone. */
export async function keepChange(
  { clock, git }: Pick<TaskDeps, 'clock' | 'git'>,
  repository: SessionRepository,
  { treeSha, task }: { readonly treeSha: Sha; readonly task: Task },
  signal: AbortSignal,
): Promise<Sha> {
  const message = toMessage(task);
  const parents = [repository.headSha];
  const made = { treeSha, message, parents, identity: IDENTITY, at: clock.now() };
  const commitSha = await git.createCommit(repository, made, signal);
  await git.keepCommit(repository, { commitSha, as: 'intent' }, signal);
  return commitSha;
}

/**
 * Puts a change on the current head of the run. If others were integrated since it began, the three are merged, and the union is
 * validated again. The caller integrates one change at a time.
 */
export async function integrateChange(
  deps: TaskDeps,
  ground: TaskRunGround,
  change: PassedChange & { readonly head: Sha },
  signal: AbortSignal,
): Promise<Integration> {
  const { head } = change;
  if (change.from === head) return { kind: 'integrated', head: change.commitSha };
  const name = `${change.attemptName}m`;
  const work = async (opened: OpenedTree): Promise<Integration> => {
    const { repository } = opened;
    const merged = await deps.git.mergeTree(repository, { ours: head, theirs: change.commitSha }, signal);
    if (merged.kind === 'merged') return { kind: 'integrated', head };
    if (merged.kind !== 'clean') {
      const paths = merged.kind === 'conflicted' ? merged.named.join(', ') : '';
      const detail = `Another task changed the same lines meanwhile (${paths}). Start again from the new state.`;
      return { kind: 'failed', cause: 'MERGE_NOT_RESOLVED', detail, exitCode: null };
    }
    const { treeSha } = merged;
    const more = await deps.git.diffTrees(repository, { from: head, to: treeSha, maxPatchBytes: 0 }, signal);
    // Another task has made the same change.
    if (more.changes.length === 0) return { kind: 'integrated', head };
    const validated = await validateTask(
      deps,
      ground,
      { ...change.validation, opened, treeSha, name: 'union' },
      signal,
    );
    if (validated.kind === 'failed') {
      const detail = `The change passes alone, and not together with those of other tasks. ${validated.detail}`;
      return { ...validated, detail };
    }
    return { kind: 'integrated', head: await keepChange(deps, repository, { treeSha, task: change.task }, signal) };
  };
  return withTree(deps, ground, { name, commitSha: head, work }, signal);
}

function toMessage({ title, tool, taskType, id }: Task): string {
  return `${taskType === 'add_test' ? 'test' : 'fix'}: ${toInertName(title, MAX_TITLE)}\n\nRatchet-Task: ${String(id)} (${toInertName(tool, MAX_TITLE)})\n`;
}

import { InvariantError, RepositoryError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { AttemptCause, Task } from '../../core/model/task.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { forEachAtOnce } from '../engines/for-each-at-once.ts';
import { commitChange } from './keep-change.ts';
import { withTree } from './open-tree.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';
import { type TaskToValidate, validateTask } from './validate-task.ts';

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
  /** `head`: a commit that has the change, and whose tree was validated. */
  | { readonly kind: 'integrated'; readonly head: Sha }
  | {
      readonly kind: 'failed';
      readonly cause: AttemptCause;
      readonly detail: string;
      readonly exitCode: number | null;
    };

/** A change that waits for its turn. */
export interface WaitingChange {
  readonly change: PassedChange;
  /** Stores what became of it. */
  readonly settle: (integration: Integration) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The head of the run: the commit with every change that was integrated. */
export interface RunHead {
  readonly get: () => Sha;
  readonly move: (head: Sha) => void;
}

type Failed = Extract<Integration, { readonly kind: 'failed' }>;

/** What came of merged changes, in their order. `refused`: their union does not pass, so none of them counts. */
type Joined =
  | { readonly kind: 'joined'; readonly ends: readonly Integration[] }
  | { readonly kind: 'refused'; readonly why: Failed };

interface Joining {
  readonly head: Sha;
  readonly changes: readonly PassedChange[];
  /** Changes that are on the head already, and must still pass. */
  readonly before: readonly PassedChange[];
}

/**
 * Puts changes on the current head of the run, in their order. All are merged, and their union is validated once, with the check of
 * each. If that fails, they are integrated one after another. Each is then validated with the checks of those before it, too, so the
 * one that breaks another is found. The caller waits for the end of one call before it makes the next one.
 */
export async function integrateChanges(
  deps: TaskDeps,
  ground: TaskRunGround,
  { head, waiting }: { readonly head: RunHead; readonly waiting: readonly WaitingChange[] },
  signal: AbortSignal,
): Promise<void> {
  const changes = waiting.map(({ change }) => change);
  if (changes.length > 1) {
    const joined = await tryJoin(deps, ground, { head: head.get(), changes, before: [] }, signal);
    if (joined.kind === 'joined') {
      for (const [index, one] of waiting.entries()) await settle(head, one, joined.ends[index]);
      return;
    }
  }
  const before: PassedChange[] = [];
  for (const one of waiting) {
    const { change } = one;
    const joined = await tryJoin(deps, ground, { head: head.get(), changes: [change], before }, signal);
    const end = joined.kind === 'joined' ? joined.ends[0] : joined.why;
    await settle(head, one, end);
    if (end?.kind === 'integrated') before.push(change);
  }
}

async function settle(head: RunHead, one: WaitingChange, end: Integration | undefined): Promise<void> {
  if (end === undefined) throw new InvariantError('a change was merged, and nobody knows how');
  await one.settle(end);
  if (end.kind === 'integrated') head.move(end.head);
}

async function tryJoin(deps: TaskDeps, ground: TaskRunGround, joining: Joining, signal: AbortSignal): Promise<Joined> {
  try {
    return await join(deps, ground, joining, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RepositoryError)) throw error;
    const detail = `The clone could not be prepared: ${error.message}`;
    return { kind: 'refused', why: { kind: 'failed', cause: 'WORKSPACE_FAILED', detail, exitCode: null } };
  }
}

async function join(
  deps: TaskDeps,
  ground: TaskRunGround,
  { head, changes, before }: Joining,
  signal: AbortSignal,
): Promise<Joined> {
  const [first, ...more] = changes;
  // It was validated on this very commit.
  if (first !== undefined && more.length === 0 && first.from === head)
    return { kind: 'joined', ends: [{ kind: 'integrated', head: first.commitSha }] };
  const name = `${first?.attemptName ?? ''}${more.length === 0 ? 'm' : 'u'}`;
  const work = async (opened: OpenedTree): Promise<Joined> => {
    const { repository } = opened;
    let tip = head;
    const merged: Integration[] = [];
    for (const change of changes) {
      const end = await mergeChange(deps, { ...repository, headSha: tip }, change, signal);
      if (end.kind === 'integrated') tip = end.head;
      merged.push(end);
    }
    if (tip === head) return { kind: 'joined', ends: merged };
    const there = changes.filter((_, index) => merged[index]?.kind === 'integrated');
    const why = await validateUnion(deps, ground, { opened, treeSha: tip, changes: [...there, ...before] }, signal);
    if (why !== null) return { kind: 'refused', why };
    await deps.git.keepCommit(repository, { commitSha: tip, as: 'intent' }, signal);
    // Only the tree of the last commit was validated. Whoever resumes the run goes on from there.
    return { kind: 'joined', ends: merged.map((end) => (end.kind === 'integrated' ? { ...end, head: tip } : end)) };
  };
  return withTree(deps, ground, { name, commitSha: head, work }, signal);
}

/** Merges a change into the head of a clone. The commit is not kept yet. */
async function mergeChange(
  deps: Pick<TaskDeps, 'clock' | 'git'>,
  repository: SessionRepository,
  { commitSha, task }: PassedChange,
  signal: AbortSignal,
): Promise<Integration> {
  const { headSha: head } = repository;
  const merged = await deps.git.mergeTree(repository, { ours: head, theirs: commitSha }, signal);
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
  return { kind: 'integrated', head: await commitChange(deps, repository, { treeSha, task }, signal) };
}

/** Runs the checks of all changes on one tree. null: all pass. */
async function validateUnion(
  deps: TaskDeps,
  ground: TaskRunGround,
  { opened, treeSha, changes }: Pick<Joining, 'changes'> & Pick<TaskToValidate, 'opened' | 'treeSha'>,
  signal: AbortSignal,
): Promise<Failed | null> {
  const failed = new Map<number, Failed>();
  await forEachAtOnce(changes, ground.policy.tasks.maxAgentWorkers, async ({ task, validation }) => {
    const name = `union-${String(task.id)}`;
    const validated = await validateTask(deps, ground, { ...validation, opened, treeSha, name }, signal);
    if (validated.kind === 'failed') failed.set(task.id, validated);
  });
  const [task, why] =
    changes.map((change) => [change.task, failed.get(change.task.id)] as const).find(([, one]) => one !== undefined) ??
    [];
  if (task === undefined || why === undefined) return null;
  const detail = `The change passes alone, and not together with those of other tasks. Then “${task.title}” is not done: ${why.detail}`;
  return { ...why, detail };
}

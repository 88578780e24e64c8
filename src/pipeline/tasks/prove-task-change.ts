import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Task, TaskFinding } from '../../core/model/task.ts';
import { toProofParts } from '../../core/proof/proof-trees.ts';
import type { ImportedTree } from '../../ports/git.ts';
import { isAboutTests } from './judge-task-change.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';
import { validateTask } from './validate-task.ts';

/** What the validation says of the trees around a change that passed. null: it was not run, because it could tell nothing. */
export interface TaskProof {
  /** With everything but the test files reverted. */
  readonly withoutSource: 'red' | 'green' | null;
  /** With the test files as they were. */
  readonly withOldTests: 'red' | 'green' | null;
  /** What a person has to look at; null: nothing. */
  readonly doubt: string | null;
}

const NO_TESTS: TaskProof = { withoutSource: null, withOldTests: null, doubt: null };

/**
 * Red, green, red for failing tests. The collection has shown the task's tests red, and the validation has shown them green. They must be
 * red again with everything but the test files of the change reverted, and green with the test files as they were: else the changes
 * of the tests alone made them pass, and a person has to look. A change without test files needs no third run: it would equal the first.
 */
export async function proveTaskChange(
  deps: TaskDeps,
  ground: TaskRunGround,
  given: {
    readonly task: Task;
    readonly before: EngineRun | null;
    readonly findings: readonly TaskFinding[];
    readonly opened: OpenedTree;
    readonly tree: ImportedTree;
  },
  signal: AbortSignal,
): Promise<TaskProof> {
  const { task, before, findings, opened, tree } = given;
  const { tests, oldTests, hasSource } = toProofParts(tree.changes);
  if (tests.length === 0 || !hasSource || !isAboutTests(task, findings)) return NO_TESTS;
  const { repository } = opened;
  const observe = async (name: string, mix: Parameters<typeof deps.git.mixTrees>[1]): Promise<'red' | 'green'> => {
    const treeSha: Sha = await deps.git.mixTrees(repository, mix, signal);
    const seen = await validateTask(deps, ground, { task, before, opened, treeSha, name }, signal);
    return seen.kind === 'passed' ? 'green' : 'red';
  };
  const { headSha } = repository;
  const withoutSource = await observe('without-source', { treeSha: headSha, from: tree.treeSha, paths: tests });
  if (withoutSource === 'green') {
    const doubt = 'The tests pass with everything but the changes of test files reverted: those alone made them pass.';
    return { withoutSource, withOldTests: null, doubt };
  }
  if (oldTests.length === 0) return { withoutSource, withOldTests: null, doubt: null };
  const withOldTests = await observe('old-tests', { treeSha: tree.treeSha, from: headSha, paths: oldTests });
  const doubt =
    withOldTests === 'green'
      ? null
      : 'With the test files as they were, the tests fail: the change passes only its own tests.';
  return { withoutSource, withOldTests, doubt };
}

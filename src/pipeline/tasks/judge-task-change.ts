import { isTestPath } from '../../core/judge/test-paths.ts';
import { toDiffStat } from '../../core/judge/to-diff-stat.ts';
import type { RejectCode } from '../../core/model/session.ts';
import type { Task, TaskFinding } from '../../core/model/task.ts';
import { createPathMatcher } from '../../core/paths/path-globs.ts';
import { MAX_DEFINITION_BYTES, planValidation, VALIDATION_FILES } from '../../core/validation/plan-validation.ts';
import { CATALOGUE } from '../../engines/catalogue.ts';
import type { ImportedTree } from '../../ports/git.ts';
import { findSecret } from '../fixup/gate.ts';
import { judgeTree, type TreeVerdict } from '../fixup/judge-tree.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** Whether a change may count. `held`: a person has to look at it. */
export type TaskJudgement =
  | { readonly kind: 'clean' }
  | { readonly kind: 'held'; readonly detail: string }
  | { readonly kind: 'rejected'; readonly code: RejectCode; readonly detail: string };

const SHOWN = 5;
/** Where an answer that fits the test alone makes a finding go away. */
const OF_TESTS: ReadonlySet<TaskFinding['kind']> = new Set(['test_failure', 'collection_error']);

interface JudgedChange {
  readonly task: Task;
  readonly findings: readonly TaskFinding[];
  readonly opened: OpenedTree;
  readonly tree: ImportedTree;
}

/** Judges what git says of a change (001.R38), in the order of the write gate: policy, tests, secrets. Nothing runs. */
export async function judgeTaskChange(
  deps: Pick<TaskDeps, 'git' | 'settings' | 'testJudge'>,
  { policy }: TaskRunGround,
  change: JudgedChange,
  signal: AbortSignal,
): Promise<TaskJudgement> {
  const { opened, tree, task } = change;
  const { repository, tracked } = opened;
  const want = { treeish: repository.headSha, paths: VALIDATION_FILES, maxBytes: MAX_DEFINITION_BYTES };
  const planned = planValidation(policy, tracked, await deps.git.readFiles(repository, want, signal));
  const validation = planned.kind === 'none' ? null : planned;
  const judgement = { policy, repository, tracked, validation, sides: null };
  const { violations, doubts } = await judgeTree(deps, judgement, { tree }, signal);
  const [first] = violations;
  const isAsked = isQuarantine(task, tree, { violations, doubts });
  if (first !== undefined && !isAsked) {
    const detail = violations.slice(0, SHOWN).map(({ message }) => message);
    return { kind: 'rejected', code: first.code, detail: detail.join(' ') };
  }
  const forbidden = findForbidden(task, tree, policy.changes.allowedPaths);
  if (forbidden !== null) return forbidden;
  const secret = findSecret(deps, { tree });
  if (secret !== null && secret.outcome.kind === 'rejected') {
    const { code, detail } = secret.outcome;
    return { kind: 'rejected', code, detail };
  }
  if (doubts.length > 0 && !isAsked) {
    const facts = doubts.slice(0, SHOWN).map(({ code, path, message }) => `${code} ${path}: ${message}`);
    return { kind: 'held', detail: facts.join(' ') };
  }
  return isForPerson(change);
}

/**
 * Whether the change does what a quarantine is: it skips tests, and touches nothing but the named files. That no other test is skipped
 * shows the validation, which counts the tests that ran. A person sees it in any case.
 */
function isQuarantine(
  { taskType, targets }: Task,
  { changes }: ImportedTree,
  { violations, doubts }: TreeVerdict,
): boolean {
  if (taskType !== 'quarantine' || doubts.length === 0) return false;
  const isSkip = doubts.every(({ code }) => code === 'TEST_SKIPPED');
  const isOfTests = violations.every(({ code }) => code === 'TESTS_WEAKENED');
  return isSkip && isOfTests && changes.every(({ path }) => targets.files.includes(path));
}

/** Settings of engines decide what they find, so only a person may change them; and who adds tests changes nothing else. */
function findForbidden(
  { taskType }: Task,
  { changes }: ImportedTree,
  allowedPaths: readonly string[] | null,
): TaskJudgement | null {
  const isConfig = createPathMatcher(CATALOGUE.flatMap(({ configFiles }) => configFiles.map((name) => `**/${name}`)));
  const isNamed = createPathMatcher((allowedPaths ?? []).filter((glob) => !glob.includes('*')));
  const config = changes.find(({ path }) => isConfig(path) && !isNamed(path));
  if (config !== undefined) {
    const detail = `The change touches ${config.path}, which says what a check looks at.`;
    return { kind: 'rejected', code: 'PROTECTED_PATH', detail };
  }
  const source = taskType === 'add_test' ? changes.find(({ path }) => !isTestPath(path)) : undefined;
  if (source === undefined) return null;
  return { kind: 'rejected', code: 'PATH_NOT_ALLOWED', detail: `Only tests may be added, and ${source.path} is none.` };
}

/** Whether a task is there to make tests pass. */
export function isAboutTests({ taskType }: Task, findings: readonly TaskFinding[]): boolean {
  return taskType !== 'add_test' && findings.some(({ kind }) => OF_TESTS.has(kind));
}

/** What no rule refuses and no proof shows (S29): tests that were made to pass by changes of tests alone, and what is switched off. */
function isForPerson({ task, findings, tree }: JudgedChange): TaskJudgement {
  const { taskType } = task;
  if (taskType === 'quarantine' || taskType === 'suppress')
    return { kind: 'held', detail: 'It switches a check off, which a person has to accept.' };
  if (isAboutTests(task, findings) && tree.changes.every(({ path }) => isTestPath(path)))
    return { kind: 'held', detail: `Only tests were changed (${String(toDiffStat(tree.changes).files)} files).` };
  return { kind: 'clean' };
}

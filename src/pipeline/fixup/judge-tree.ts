import { judgeChange, type Violation } from '../../core/judge/judge-change.ts';
import { judgeMerge } from '../../core/judge/judge-merge.ts';
import { explainScripts } from '../../core/merge/explain-scripts.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { TestChangeFact } from '../../core/model/test-change.ts';
import { toTestViolations } from '../../core/tamper/to-test-violations.ts';
import { findWeakenedEngine } from '../../core/validation/find-weakened-engine.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../../core/validation/find-weakened-validation.ts';
import { MAX_DEFINITION_BYTES } from '../../core/validation/plan-validation.ts';
import type { Deps } from '../deps.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';
import { judgeTests, type TestJudgement } from './judge-tests.ts';

/** What a change is judged by. */
export interface Judgement extends Pick<PreparedFixup, 'policy' | 'repository' | 'tracked'>, TestJudgement {
  /** null: the repository has no validation that could be weakened. */
  readonly validation: PreparedFixup['validation'] | null;
}

type Judged = Pick<Change, 'tree' | 'resolution'>;

/** Reasons to refuse a change, in the order of their weight, and what a person has to look at if there are none. */
export interface TreeVerdict {
  readonly violations: readonly Violation[];
  readonly doubts: readonly TestChangeFact[];
}

/**
 * Judges a change: by the policy on the raw diff; if that refuses nothing, by what it does to the validation itself; and then by what
 * it does to tests.
 */
export async function judgeTree(
  deps: Pick<Deps, 'git' | 'testJudge'>,
  judgement: Judgement,
  change: Judged,
  signal: AbortSignal,
): Promise<TreeVerdict> {
  const { policy, tracked, sides } = judgement;
  const toJudge = { ...change.tree, policy: policy.changes, headPaths: tracked };
  const resolution = change.resolution ?? null;
  const violations = sides === null ? judgeChange(toJudge) : judgeMerge({ ...toJudge, resolution });
  if (violations.length > 0) return { violations, doubts: [] };
  const weakened = await findWeakened(deps, judgement, change, signal);
  if (weakened !== null) {
    const { path, what } = weakened;
    const message = `The change touches ${path}: ${what}.`;
    return { violations: [{ code: 'PROTECTED_PATH', paths: [path], message }], doubts: [] };
  }
  const facts = await judgeTests(deps, judgement, change, signal);
  return { violations: toTestViolations(facts), doubts: facts };
}

async function findWeakened(
  { git }: Pick<Deps, 'git'>,
  { policy, repository, validation }: Judgement,
  { tree, resolution }: Judged,
  signal: AbortSignal,
): Promise<ReturnType<typeof findWeakenedValidation>> {
  if (validation === null) return null;
  const { treeSha, changes, against } = tree;
  const regenerated = new Set(resolution?.regenerated);
  const changed = changes.map(({ path }) => path).filter((path) => !regenerated.has(path));
  const engine = findWeakenedEngine(policy.engines, changed);
  if (engine !== null) return engine;
  const paths = toDefinitionPaths(changed);
  const read = async (treeish: Sha): Promise<Readonly<Record<string, string>>> =>
    git.readFiles(repository, { treeish, paths, maxBytes: MAX_DEFINITION_BYTES }, signal);
  const made = await read(against);
  const before = resolution === undefined ? made : explainScripts(made, resolution);
  const after = await read(treeSha);
  return findWeakenedValidation(validation, { before, after, changed, allowedPaths: policy.changes.allowedPaths });
}

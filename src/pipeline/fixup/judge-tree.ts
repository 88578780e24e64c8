import { judgeChange, type Violation } from '../../core/judge/judge-change.ts';
import { judgeMerge } from '../../core/judge/judge-merge.ts';
import { explainScripts } from '../../core/merge/explain-scripts.ts';
import type { Sha } from '../../core/model/ids.ts';
import { findWeakenedValidation, toDefinitionPaths } from '../../core/validation/find-weakened-validation.ts';
import { MAX_DEFINITION_BYTES } from '../../core/validation/plan-validation.ts';
import type { Deps } from '../deps.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';

/** What a change is judged by. */
export interface Judgement extends Pick<PreparedFixup, 'policy' | 'repository' | 'tracked'> {
  readonly isMerge: boolean;
  /** null: the repository has no validation that could be weakened. */
  readonly validation: PreparedFixup['validation'] | null;
}

type Judged = Pick<Change, 'tree' | 'resolution'>;

/** All reasons to refuse a change: by the policy on the raw diff; if there are none, because it weakens the validation itself. */
export async function judgeTree(
  deps: Pick<Deps, 'git'>,
  judgement: Judgement,
  change: Judged,
  signal: AbortSignal,
): Promise<readonly Violation[]> {
  const { policy, tracked, isMerge } = judgement;
  const toJudge = { ...change.tree, policy: policy.changes, headPaths: tracked };
  const resolution = change.resolution ?? null;
  const violations = isMerge ? judgeMerge({ ...toJudge, resolution }) : judgeChange(toJudge);
  if (violations.length > 0) return violations;
  const weakened = await findWeakened(deps, judgement, change, signal);
  if (weakened === null) return [];
  const { path, what } = weakened;
  return [{ code: 'PROTECTED_PATH', paths: [path], message: `The change touches ${path}: ${what}.` }];
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
  const paths = toDefinitionPaths(changed);
  const read = async (treeish: Sha): Promise<Readonly<Record<string, string>>> =>
    git.readFiles(repository, { treeish, paths, maxBytes: MAX_DEFINITION_BYTES }, signal);
  const made = await read(against);
  const before = resolution === undefined ? made : explainScripts(made, resolution);
  const after = await read(treeSha);
  return findWeakenedValidation(validation, { before, after, changed, allowedPaths: policy.changes.allowedPaths });
}

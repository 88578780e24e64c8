import { addedLines, findSecrets } from '../../core/judge/find-secrets.ts';
import { MAX_PATCH_BYTES, type Violation } from '../../core/judge/judge-change.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Policy } from '../../core/model/policy.ts';
import type { TestChangeFact } from '../../core/model/test-change.ts';
import { toNamesText } from '../../core/text/words.ts';
import { MAX_DEFINITION_BYTES, planValidation, VALIDATION_FILES } from '../../core/validation/plan-validation.ts';
import type { MergeTree, SessionRepository } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import { toResolution } from './collect-conflicts.ts';
import { judgeTree } from './judge-tree.ts';

/** A merge commit of somebody else. */
export interface MergeCommit {
  /** Has the commit and its parents. */
  readonly repository: SessionRepository;
  readonly commitSha: Sha;
  /** Its parents: the head, and the base branch that was merged into it. */
  readonly headSha: Sha;
  readonly baseSha: Sha;
  readonly policy: Policy;
}

/** What the gate would say of a merge. */
export interface MergeVerdict {
  /** All reasons to refuse it. */
  readonly violations: readonly Violation[];
  /** What it does to tests by itself, the doubtful included, for which it would wait for a person. */
  readonly tests: readonly TestChangeFact[];
}

/** What the gate would say of this merge if Ratchet had made it, its validation aside. */
export async function judgeMergeCommit(
  deps: Pick<Deps, 'git' | 'testJudge'>,
  given: MergeCommit,
  signal: AbortSignal,
): Promise<MergeVerdict> {
  const { repository, commitSha, headSha, baseSha, policy } = given;
  const merge = await deps.git.mergeTree(repository, { ours: headSha, theirs: baseSha }, signal);
  if (merge.kind === 'unrelated')
    return refuse([{ code: 'MERGE_NOT_RESOLVED', paths: [], message: 'The parents have no common commit.' }]);
  const against = merge.kind === 'merged' ? headSha : merge.treeSha;
  const range = { from: against, to: commitSha, maxPatchBytes: MAX_PATCH_BYTES };
  const tree = { treeSha: commitSha, against, ...(await deps.git.diffTrees(repository, range, signal)) };
  const tracked = await deps.git.listFiles(repository, signal, against);
  const validation = await readValidation(deps, given, { merge, tracked }, signal);
  const session = { fixup: { headSha, baseSha } };
  const resolved = { merge, regenerated: [], treeSha: commitSha, changes: tree.changes };
  const resolution =
    merge.kind === 'conflicted'
      ? { resolution: await toResolution(deps, { policy, repository, session }, { ...resolved, merge }, signal) }
      : {};
  const judgement = { policy, repository, tracked, validation, sides: { ours: headSha, theirs: baseSha } };
  const { violations, doubts: tests } = await judgeTree(deps, judgement, { tree, ...resolution }, signal);
  return { violations: violations.length > 0 ? violations : toSecretViolations(tree.patch), tests };
}

function refuse(violations: readonly Violation[]): MergeVerdict {
  return { violations, tests: [] };
}

/** What the repository validates with, read where no conflict marker can stand in its definition. */
async function readValidation(
  { git }: Pick<Deps, 'git'>,
  { repository, headSha, policy }: MergeCommit,
  { merge, tracked }: { readonly merge: MergeTree; readonly tracked: readonly string[] },
  signal: AbortSignal,
): Promise<Parameters<typeof judgeTree>[1]['validation']> {
  const treeish = merge.kind === 'clean' ? merge.treeSha : headSha;
  const want = { treeish, paths: VALIDATION_FILES, maxBytes: MAX_DEFINITION_BYTES };
  const plan = planValidation(policy, tracked, await git.readFiles(repository, want, signal));
  return plan.kind === 'commands' ? plan : null;
}

function toSecretViolations(patch: string): readonly Violation[] {
  const kinds = findSecrets(addedLines(patch), []);
  if (kinds.length === 0) return [];
  return [
    { code: 'SECRET_FOUND', paths: [], message: `The merge adds what looks like a secret: ${toNamesText(kinds)}.` },
  ];
}

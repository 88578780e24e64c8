import { findNewWorkflows } from '../../core/merge/find-new-workflows.ts';
import { findRegenerable, type RegenerationRules } from '../../core/merge/find-regenerable.ts';
import { findHopeless, findMadeUp, findTooMany } from '../../core/merge/find-unresolvable.ts';
import type { Sha } from '../../core/model/ids.ts';
import { toNamesText } from '../../core/text/words.ts';
import { VALIDATION_FILES } from '../../core/validation/plan-validation.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected, superseded } from '../prepare/or-ended.ts';
import { isManifest } from '../prepare/prepare-dependencies.ts';
import { findTakenBack } from './find-taken-back.ts';
import type { PreparedFixup, Start } from './fixup-session.ts';
import { toRegenerationRules } from './regeneration-rules.ts';

const DEFINITIONS: ReadonlySet<string> = new Set(VALIDATION_FILES);

type Given = Pick<PreparedFixup, 'session' | 'repository' | 'policy'>;

/**
 * Merges the base into the head with git alone. Rejects early what no agent can solve: new workflow content, which GitHub does
 * not let the App push, and conflicts that only a person may resolve. The base is the one pinned at the launch (trap 34), even
 * if it has moved since: the look after the push finds any new conflict.
 */
export async function startMerge(
  deps: Pick<Deps, 'git' | 'github' | 'log' | 'registries' | 'sites' | 'store'>,
  given: Given,
  signal: AbortSignal,
): Promise<OrEnded<Start>> {
  const { git, log } = deps;
  const { session, repository } = given;
  const { headSha, baseSha } = session.fixup;
  const merge = await git.mergeTree(repository, { ours: headSha, theirs: baseSha }, signal);
  if (merge.kind === 'merged') {
    const detail = 'The head holds all commits of the base already: nothing is in conflict.';
    return superseded('cause_gone', detail);
  }
  if (merge.kind === 'unrelated')
    return rejected('MERGE_NOT_RESOLVED', 'The head and the base have no common commit: git refuses to merge them.');
  log.info({ sessionId: session.id, key: session.key, merge: merge.kind, baseSha }, 'merge tried');
  const unwanted = await heedTakenBack(deps, given, merge.kind, signal);
  if (unwanted !== null) return unwanted;
  const workflows = await readNewWorkflows({ git }, given, merge.treeSha, signal);
  if (workflows.length > 0) return rejected('WORKFLOWS_FORBIDDEN', describeWorkflows(workflows));
  if (merge.kind === 'clean') return ok({ treeish: merge.treeSha, readableTreeish: merge.treeSha, merge });
  const paths = merge.files.map(({ path }) => path);
  const tracked = await git.listFiles(repository, signal, merge.treeSha);
  const obstacle = findObstacle(paths, given, toRegenerationRules(deps, given.policy, tracked));
  if (obstacle !== null) return obstacle;
  const isReadable = !paths.some((path) => isManifest(path) || DEFINITIONS.has(path));
  return ok({ treeish: merge.treeSha, readableTreeish: isReadable ? merge.treeSha : headSha, merge });
}

/**
 * Respects a merge that someone reverted. The same clean merge is rejected. For a conflicted one, the recorded resolution is
 * forgotten, so that it is not applied again; the gate rejects it if an agent repeats it.
 */
async function heedTakenBack(
  deps: Pick<Deps, 'git' | 'github' | 'store'>,
  { session, repository }: Given,
  kind: 'clean' | 'conflicted',
  signal: AbortSignal,
): Promise<ReturnType<typeof rejected> | null> {
  const taken = await findTakenBack(deps, session, signal);
  if (taken === null) return null;
  const { commitSha, headSha, baseSha } = taken;
  if (kind === 'conflicted') {
    await deps.git.forgetResolutions(repository.mirror, { ours: headSha, theirs: baseSha }, signal);
    return null;
  }
  if (headSha !== session.fixup.headSha || baseSha !== session.fixup.baseSha) return null;
  return rejected('REVERTED_BEFORE', `The same merge was pushed as ${commitSha} before, and taken back since.`);
}

/** The rejection if only a person may resolve the conflicts, judged by their paths; null otherwise. */
function findObstacle(
  paths: readonly string[],
  { session, policy }: Given,
  rules: RegenerationRules,
): ReturnType<typeof rejected> | null {
  const { headSha, baseSha } = session.fixup;
  if (paths.length === 0 || findMadeUp(paths, [headSha, baseSha]).length > 0) {
    return rejected(
      'MERGE_NOT_RESOLVED',
      'Whole folders or kinds of files are in conflict (renamed, or one in place of another): merge by hand.',
    );
  }
  const regenerable = new Set(findRegenerable(paths, rules).map(({ path }) => path));
  const open = paths.filter((path) => !regenerable.has(path));
  const tooMany = findTooMany(open, policy.changes);
  if (tooMany !== null) return rejected(tooMany.code, `${tooMany.message} Merge the base branch by hand.`);
  const hopeless = findHopeless(open, policy.changes);
  return hopeless === null ? null : rejected(hopeless.code, describeHopeless(hopeless.paths));
}

async function readNewWorkflows(
  { git }: Pick<Deps, 'git'>,
  { session, repository }: Given,
  to: Sha,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { headSha, baseSha } = session.fixup;
  const fromHead = await git.diffTrees(repository, { from: headSha, to, maxPatchBytes: 0 }, signal);
  const fromBase = await git.diffTrees(repository, { from: baseSha, to, maxPatchBytes: 0 }, signal);
  return findNewWorkflows(fromHead.changes, fromBase.changes);
}

function describeWorkflows(paths: readonly string[]): string {
  return `Both sides changed ${toNamesText(paths)}, and GitHub lets no App without the permission \`workflows\` push what a merge makes of it. Update the branch by hand, or by the button of the pull request.`;
}

function describeHopeless(paths: readonly string[]): string {
  return `There are conflicts in ${toNamesText(paths)}, which no agent may change: merge the base branch by hand.`;
}

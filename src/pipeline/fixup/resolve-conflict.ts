import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import { findRegenerable, type Regeneration } from '../../core/merge/find-regenerable.ts';
import { findUnresolvable } from '../../core/merge/find-unresolvable.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { MadeBy } from '../../core/model/session.ts';
import { toMergePrompt } from '../../core/prompts/to-merge-prompt.ts';
import type { ConflictedFile, MergeTree } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { readSides, toOpenFile, toResolution, toShownConflict } from './collect-conflicts.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { toAgentOrder, toPromptBase } from './prompt-agent.ts';
import { regenerateFiles } from './regenerate-files.ts';
import { runAgent } from './run-agent.ts';

type Conflicted = Extract<MergeTree, { readonly kind: 'conflicted' }>;

/** A merge in progress: the tree so far, the files that still conflict, and how the others were resolved. */
interface Progress {
  readonly treeSha: Sha;
  readonly open: readonly ConflictedFile[];
  readonly regenerated: readonly string[];
  readonly madeBy: MadeBy;
  readonly summary: string;
}

/**
 * FIX_MERGE_CONFLICT: merges the base into the head. Tries the cheapest means first: git's own merge, recorded resolutions
 * (rerere), regeneration by a command, and an agent for the remaining files. The result is a merge of exactly the head and the
 * pinned base (S15).
 */
export async function resolveConflict(
  deps: Deps,
  prepared: PreparedFixup & { readonly goal: FixupGoal & { readonly kind: 'merge' } },
  signal: AbortSignal,
): Promise<OrEnded<Change>> {
  const { merge } = prepared.start;
  if (merge === null) throw new InvariantError('a merge starts from what git makes of it');
  if (merge.kind === 'clean') return ok(await toCleanMerge(deps, prepared, merge.treeSha, signal));
  const recalled = await recall(deps, prepared, merge, signal);
  const regenerated = await regenerate(deps, prepared, recalled, signal);
  const resolved = await resolveRest(deps, prepared, { merge, progress: regenerated }, signal);
  if (resolved.kind === 'ended') return resolved;
  return ok(await toChange(deps, prepared, { merge, progress: resolved.value }, signal));
}

async function toCleanMerge(
  { git }: Pick<Deps, 'git'>,
  prepared: PreparedFixup,
  treeSha: Sha,
  signal: AbortSignal,
): Promise<Change> {
  const diff = await git.diffTrees(prepared.repository, { from: treeSha, to: treeSha, maxPatchBytes: 0 }, signal);
  return {
    tree: { treeSha, against: treeSha, ...diff },
    summary: 'The base branch merges cleanly.',
    madeBy: 'git',
    parents: toParents(prepared),
    answers: [],
  };
}

/** Applies recorded resolutions. They passed the gate before and have to pass it again. */
async function recall(
  { git, log }: Pick<Deps, 'git' | 'log'>,
  { repository, session }: PreparedFixup,
  merge: Conflicted,
  signal: AbortSignal,
): Promise<Progress> {
  const pair = { ours: session.fixup.headSha, theirs: session.fixup.baseSha };
  const files = await git.recallResolutions(repository.mirror, pair, signal);
  const known = new Set(Object.keys(files));
  const treeSha = await git.writeTree(repository, { treeSha: merge.treeSha, files }, signal);
  log.info(
    { sessionId: session.id, key: session.key, recalled: known.size, of: merge.files.length },
    'conflicts recalled',
  );
  return {
    treeSha,
    open: merge.files.filter(({ path }) => !known.has(path)),
    regenerated: [],
    madeBy: 'rerere',
    summary: 'The conflicts were resolved as they were before.',
  };
}

/**
 * Regenerates the files that the policy has a command for, starting from the base's side. A command may fail because a file it
 * reads still conflicts (a lockfile's manifest). Its file then stays open, with the base's content, for a retry after the agent.
 */
async function regenerate(
  deps: Deps,
  prepared: PreparedFixup,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  const regenerations = toRegenerations(prepared, progress);
  if (regenerations.length === 0) return progress;
  const started = await takeTheirs(deps, prepared, { progress, regenerations }, signal);
  const { treeSha, made } = await regenerateFiles(deps, prepared, { treeSha: started, regenerations }, signal);
  if (made.length === 0) return { ...progress, treeSha };
  const isMade = new Set(made);
  return {
    treeSha,
    open: progress.open.filter(({ path }) => !isMade.has(path)),
    regenerated: [...progress.regenerated, ...made],
    madeBy: progress.madeBy === 'agent' ? 'agent' : 'regeneration',
    summary: progress.madeBy === 'agent' ? progress.summary : 'The files in conflict were made anew.',
  };
}

function toRegenerations({ policy }: PreparedFixup, { open }: Progress): readonly Regeneration[] {
  return findRegenerable(
    open.map(({ path }) => path),
    policy.merge.regenerate,
  );
}

async function takeTheirs(
  { git }: Pick<Deps, 'git'>,
  { repository }: PreparedFixup,
  { progress, regenerations }: { readonly progress: Progress; readonly regenerations: readonly Regeneration[] },
  signal: AbortSignal,
): Promise<Sha> {
  const wanted = new Set(regenerations.map(({ path }) => path));
  const files = progress.open.filter(({ path }) => wanted.has(path));
  const sides = await readSides({ git }, { repository }, files, signal);
  const texts = files.map(
    ({ path, theirBlob }) => [path, theirBlob === null ? null : (sides.get(theirBlob) ?? '')] as const,
  );
  const theirs: Readonly<Record<string, string | null>> = Object.fromEntries(texts);
  return git.writeTree(repository, { treeSha: progress.treeSha, files: theirs }, signal);
}

/** Runs the agent for the files without a command, then retries the regenerations that failed. */
async function resolveRest(
  deps: Deps,
  prepared: PreparedFixup,
  { merge, progress }: { readonly merge: Conflicted; readonly progress: Progress },
  signal: AbortSignal,
): Promise<OrEnded<Progress>> {
  const waiting = new Set(toRegenerations(prepared, progress).map(({ path }) => path));
  const forAgent = progress.open.filter(({ path }) => !waiting.has(path));
  let reached = progress;
  if (forAgent.length > 0) {
    const asked = await askAgent(deps, prepared, { merge, files: forAgent, treeSha: progress.treeSha }, signal);
    if (asked.kind === 'ended') return asked;
    const open = progress.open.filter(({ path }) => waiting.has(path));
    reached = { ...progress, ...asked.value, open, madeBy: 'agent' };
    if (open.length > 0) reached = await regenerate(deps, prepared, reached, signal);
  }
  const failed = reached.open.map(({ path }) => JSON.stringify(path.slice(0, 120)));
  if (failed.length === 0) return ok(reached);
  return rejected(
    'MERGE_NOT_RESOLVED',
    `The command of the policy did not make ${failed.slice(0, 5).join(', ')} anew.`,
  );
}

/** Runs the agent on the partly resolved merge. Its evidence is the sides of each conflicted file. */
async function askAgent(
  deps: Deps,
  prepared: PreparedFixup,
  conflict: { readonly merge: Conflicted; readonly files: readonly ConflictedFile[]; readonly treeSha: Sha },
  signal: AbortSignal,
): Promise<OrEnded<Pick<Progress, 'treeSha' | 'summary'>>> {
  const { policy, validation } = prepared;
  const { files, treeSha } = conflict;
  const sides = await readSides(deps, prepared, files, signal);
  const open = files.map((file) => toOpenFile(file, sides));
  const unresolvable = findUnresolvable(open, policy.changes, validation);
  if (unresolvable !== null)
    return rejected(
      unresolvable.code,
      `${unresolvable.message} No agent may resolve them: merge the base branch by hand.`,
    );
  const prompt = toMergePrompt({
    ...(await toPromptBase(deps, prepared)),
    conflicts: files.map((file) => toShownConflict(file, sides)),
    messages: conflict.merge.messages,
  });
  const targetFiles = files.map(({ path }) => path);
  const order = toAgentOrder(deps, prepared, { tool: 'merge', prompt, targetFiles, against: treeSha });
  const run = await runAgent(deps, prepared, order, signal);
  if (run.kind === 'ended') return run;
  return ok({ treeSha: run.value.tree.treeSha, summary: run.value.summary });
}

/** The change, with its diff against the tree of git's own merge. */
async function toChange(
  deps: Pick<Deps, 'git'>,
  prepared: PreparedFixup,
  { merge, progress }: { readonly merge: Conflicted; readonly progress: Progress },
  signal: AbortSignal,
): Promise<Change> {
  const { repository } = prepared;
  const { treeSha, regenerated, madeBy, summary } = progress;
  const against = merge.treeSha;
  const diff = await deps.git.diffTrees(
    repository,
    { from: against, to: treeSha, maxPatchBytes: MAX_PATCH_BYTES },
    signal,
  );
  const { changes } = diff;
  const resolution = await toResolution(deps, prepared, { merge, regenerated, treeSha, changes }, signal);
  return {
    tree: { treeSha, against, ...diff },
    summary,
    madeBy,
    parents: toParents(prepared),
    answers: [],
    resolution,
  };
}

function toParents({ session }: PreparedFixup): readonly Sha[] {
  return [session.fixup.headSha, session.fixup.baseSha];
}

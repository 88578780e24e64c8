import { MAX_PATCH_BYTES } from '../../core/judge/judge-change.ts';
import { findRegenerable, type Regeneration } from '../../core/merge/find-regenerable.ts';
import { findUnresolvable } from '../../core/merge/find-unresolvable.ts';
import { InvariantError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { MadeBy, ResolvedBy } from '../../core/model/session.ts';
import { toMergePrompt } from '../../core/prompts/to-merge-prompt.ts';
import { toNamesText } from '../../core/text/words.ts';
import type { ConflictedFile, MergeTree } from '../../ports/git.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { readSides, toOpenFile, toResolution, toShownConflict } from './collect-conflicts.ts';
import type { Change, FixupGoal, PreparedFixup } from './fixup-session.ts';
import { mergeStructures } from './merge-structures.ts';
import { toAgentOrder, toPromptBase } from './prompt-agent.ts';
import { regenerateFiles } from './regenerate-files.ts';
import { toRegenerationRules } from './regeneration-rules.ts';
import { runFixupAgent } from './run-agent.ts';

type Conflicted = Extract<MergeTree, { readonly kind: 'conflicted' }>;

/** A merge in progress: the tree so far, the files that still conflict, and what resolved the others. */
interface Progress {
  readonly treeSha: Sha;
  readonly open: readonly ConflictedFile[];
  readonly resolved: readonly ResolvedBy[];
  /** The agent's words; null: no agent was needed yet. */
  readonly said: string | null;
}

/**
 * FIX_MERGE_CONFLICT: merges the base into the head. Tries the cheapest means first: git's own merge, recorded resolutions
 * (rerere), a merge by structure, regeneration by a command, and an agent for the remaining files. The result is a merge of
 * exactly the head and the pinned base (S15).
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
  const merged = await mergeByStructure(deps, prepared, recalled, signal);
  const regenerated = await regenerate(deps, prepared, merged, signal);
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
    resolved: [],
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
  const start = { treeSha, open: merge.files, resolved: [], said: null };
  return withResolved(start, { by: 'rerere', tool: null, paths: [...known] });
}

/** The progress without the open files that a means has resolved. */
function withResolved(progress: Progress, step: ResolvedBy): Progress {
  if (step.paths.length === 0) return progress;
  const isResolved = new Set(step.paths);
  const open = progress.open.filter(({ path }) => !isResolved.has(path));
  return { ...progress, open, resolved: [...progress.resolved, step] };
}

/** What a command can regenerate is not merged by its structure: a lockfile has its meaning from its package manager. */
async function mergeByStructure(
  deps: Deps,
  prepared: PreparedFixup,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  const { mergeTool: tool } = deps;
  if (tool === null || prepared.skipsMergeTool) return progress;
  const isRegenerable = new Set(toRegenerations(deps, prepared, progress).map(({ path }) => path));
  const files = progress.open.filter(({ path }) => !isRegenerable.has(path));
  const merged = await mergeStructures(deps, prepared, { tool, files }, signal);
  const treeSha = await deps.git.writeTree(prepared.repository, { treeSha: progress.treeSha, files: merged }, signal);
  const step = { by: 'structure', tool: `${tool.name} ${tool.version}`, paths: Object.keys(merged) } as const;
  return withResolved({ ...progress, treeSha }, step);
}

/**
 * Regenerates the files that there is a command for, starting from the base's side. A command may fail because a file it
 * reads still conflicts (a lockfile's manifest). Its file then stays open, with the base's content, for a retry after the agent.
 */
async function regenerate(
  deps: Deps,
  prepared: PreparedFixup,
  progress: Progress,
  signal: AbortSignal,
): Promise<Progress> {
  const regenerations = toRegenerations(deps, prepared, progress);
  if (regenerations.length === 0) return progress;
  const started = await takeTheirs(deps, prepared, { progress, regenerations }, signal);
  const { treeSha, made } = await regenerateFiles(deps, prepared, { treeSha: started, regenerations }, signal);
  const steps = made.map(({ path, command }) => ({ by: 'regeneration', tool: command, paths: [path] }) as const);
  return steps.reduce<Progress>(withResolved, { ...progress, treeSha });
}

function toRegenerations(
  deps: Pick<Deps, 'registries' | 'sites'>,
  { policy, tracked }: PreparedFixup,
  { open }: Progress,
): readonly Regeneration[] {
  const paths = open.map(({ path }) => path);
  return findRegenerable(paths, toRegenerationRules(deps, policy, tracked));
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
  const waiting = new Set(toRegenerations(deps, prepared, progress).map(({ path }) => path));
  const forAgent = progress.open.filter(({ path }) => !waiting.has(path));
  let reached = progress;
  if (forAgent.length > 0) {
    const asked = await askAgent(deps, prepared, { merge, files: forAgent, treeSha: progress.treeSha }, signal);
    if (asked.kind === 'ended') return asked;
    const step = { by: 'agent', tool: null, paths: forAgent.map(({ path }) => path) } as const;
    reached = withResolved({ ...progress, ...asked.value }, step);
    if (reached.open.length > 0) reached = await regenerate(deps, prepared, reached, signal);
  }
  const failed = toRegenerations(deps, prepared, reached);
  if (failed.length === 0) return ok(reached);
  const commands = [...new Set(failed.map(({ command }) => `\`${command}\``))].slice(0, 3).join(', ');
  const paths = toNamesText(failed.map(({ path }) => path));
  return rejected('MERGE_NOT_RESOLVED', `${commands} did not make ${paths} anew: merge the base branch by hand.`);
}

/** Runs the agent on the partly resolved merge. Its evidence is the sides of each conflicted file. */
async function askAgent(
  deps: Deps,
  prepared: PreparedFixup,
  conflict: { readonly merge: Conflicted; readonly files: readonly ConflictedFile[]; readonly treeSha: Sha },
  signal: AbortSignal,
): Promise<OrEnded<Pick<Progress, 'treeSha' | 'said'>>> {
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
  const run = await runFixupAgent(deps, prepared, order, signal);
  if (run.kind === 'ended') return run;
  return ok({ treeSha: run.value.tree.treeSha, said: run.value.summary });
}

/** The change, with its diff against the tree of git's own merge. */
async function toChange(
  deps: Pick<Deps, 'git'>,
  prepared: PreparedFixup,
  { merge, progress }: { readonly merge: Conflicted; readonly progress: Progress },
  signal: AbortSignal,
): Promise<Change> {
  const { repository } = prepared;
  const { treeSha, resolved, said } = progress;
  const regenerated = resolved.flatMap(({ by, paths }) => (by === 'regeneration' ? paths : []));
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
    summary: said ?? resolved.map(({ by }) => SUMMARIES[by]).join(' '),
    madeBy: toMadeBy(resolved),
    resolved,
    parents: toParents(prepared),
    answers: [],
    resolution,
  };
}

const SUMMARIES: Readonly<Record<ResolvedBy['by'], string>> = {
  rerere: 'Conflicts were resolved as they were before.',
  structure: 'Conflicts were merged by the structure of the code.',
  regeneration: 'Files in conflict were made anew.',
  agent: 'An agent resolved conflicts.',
};

/** The agent if it was needed, else the last means. */
function toMadeBy(resolved: readonly ResolvedBy[]): MadeBy {
  const means = resolved.map(({ by }) => by);
  return means.includes('agent') ? 'agent' : (means.at(-1) ?? 'git');
}

/** Whether a merge tool had a part in the change, and no agent has looked at it since. */
export function isMadeByTool({ madeBy, resolved }: Change): boolean {
  return madeBy !== 'agent' && resolved.some(({ by }) => by === 'structure');
}

function toParents({ session }: PreparedFixup): readonly Sha[] {
  return [session.fixup.headSha, session.fixup.baseSha];
}

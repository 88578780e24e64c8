import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId, Sha } from '../../core/model/ids.ts';
import type { KeptAs, Mirror, SessionRepository, TreeFolders } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { PASS_THROUGH_MODE } from './layout.ts';
import { listTree, tooLarge } from './list-tree.ts';
import { discardFolder } from './remove-folder.ts';
import { type GitCall, runGitOk } from './run-git.ts';
import { settleAll } from './settle-all.ts';
import { writeRepository } from './write-repository.ts';

/** On two cores, two workers were 20 % faster than one; more were not. */
const CHECKOUT_CONFIG = ['checkout.workers=2'];

/** See `Git.prepareSession`. Replaces the session folder of an earlier attempt. */
export async function prepareSession(
  context: GitContext,
  mirror: Mirror,
  session: { readonly id: RunId; readonly headSha: Sha; readonly alsoKeep?: readonly Sha[] },
  signal: AbortSignal,
): Promise<SessionRepository> {
  const { controlDir, folder, sites } = context.layout.session(session.id);
  await Promise.all([controlDir, sites].map((old) => replaceable(context, old)));
  for (const parent of [context.layout.sessions, folder, sites]) {
    await mkdir(parent, { recursive: true, mode: PASS_THROUGH_MODE });
  }
  await settleAll([
    keepCommits(context, mirror, session, signal),
    // Uses the mirror, which exists already, and so runs in parallel: it takes as long as the other two.
    checkExtent(context, { mirror, gitDir: mirror.gitDir, treeish: session.headSha }, signal),
    writeRepository(controlDir, { bare: true, head: session.headSha, alternates: mirror.objectsDir, mode: 0o700 }),
  ]);
  return { runId: session.id, mirror, controlDir, headSha: session.headSha };
}

/** See `TreeFolders.placeTree`. */
export async function placeTree(
  context: GitContext,
  repository: SessionRepository,
  want: Parameters<TreeFolders['placeTree']>[1],
  signal: AbortSignal,
): Promise<void> {
  const { controlDir, mirror, headSha } = repository;
  const { treeSha, folder: workDir, masked, hasHistory } = want;
  // A merge of two trees within the limits may exceed them.
  if (hasHistory && treeSha !== headSha)
    await checkExtent(context, { mirror, gitDir: controlDir, treeish: treeSha }, signal);
  const ownGit = join(workDir, '.git');
  const indexFile = join(controlDir, `place-${context.newId()}.index`);
  await mkdir(workDir);
  try {
    if (hasHistory)
      await writeRepository(ownGit, { bare: false, head: headSha, alternates: mirror.objectsDir, mode: 0o755 });
    await checkOut(context, { controlDir, treeish: treeSha, workDir, indexFile }, signal);
    // Gives the agent's `git status` and `git diff` the index of a normal checkout.
    if (hasHistory) await copyFile(indexFile, join(ownGit, 'index'));
  } finally {
    await rm(indexFile, { force: true });
  }
  // A masked path may be a submodule, which is checked out as a folder.
  for (const path of masked) await rm(join(workDir, path), { recursive: true, force: true });
}

/** Creates refs that keep the session's commits in the mirror, even after a repack or a force push. */
async function keepCommits(
  context: GitContext,
  mirror: Mirror,
  session: { readonly id: RunId; readonly headSha: Sha; readonly alsoKeep?: readonly Sha[] },
  signal: AbortSignal,
): Promise<void> {
  const there = await findCommits(context, mirror, session.alsoKeep ?? [], signal);
  const kept = [session.headSha, ...there].slice(0, MAX_KEPT);
  const refs = kept.map((sha, index) => `update ${toKeepRef(session.id, index)} ${sha}\n`);
  const timeoutMs = context.limits.commandTimeoutMs;
  const call = { args: ['update-ref', '--stdin'], stdin: refs.join(''), gitDir: mirror.gitDir, cwd: mirror.gitDir };
  await runGitOk(context.runGit, { ...call, timeoutMs }, signal);
}

/** Returns those of `shas` that exist as commits in the mirror. */
export async function findCommits(
  context: GitContext,
  mirror: Mirror,
  shas: readonly Sha[],
  signal: AbortSignal,
): Promise<readonly Sha[]> {
  if (shas.length === 0) return [];
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const timeoutMs = context.limits.commandTimeoutMs;
  const call: GitCall = { args, stdin: `${shas.join('\n')}\n`, gitDir: mirror.gitDir, cwd: mirror.gitDir, timeoutMs };
  const lines = (await runGitOk(context.runGit, call, signal)).toString('latin1').split('\n');
  return shas.filter((sha, index) => lines[index] === `${sha} commit`);
}

/**
 * A few kilobytes of objects can stand for any number of files of any size, such as a tree that repeats a subtree a
 * hundred times on each level (threat T27). Checks number and size before any file is written. Throws `RepositoryError`
 * (`REPO_TOO_LARGE`).
 */
async function checkExtent(
  context: GitContext,
  tree: Parameters<typeof listTree>[1],
  signal: AbortSignal,
): Promise<void> {
  const { maxTreeEntries, maxRepositoryBytes } = context.limits;
  const entries = await listTree(context, tree, signal);
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (entries.length > maxTreeEntries || total > maxRepositoryBytes) throw tooLarge();
}

/** Checks out a tree with the control repository, which has no filter, hook or helper configured. */
async function checkOut(
  context: GitContext,
  files: {
    readonly controlDir: string;
    readonly treeish: Sha;
    readonly workDir: string;
    readonly indexFile: string;
  },
  signal: AbortSignal,
): Promise<void> {
  await runGitOk(
    context.runGit,
    {
      args: ['read-tree', '--reset', '-u', files.treeish],
      gitDir: files.controlDir,
      workTree: files.workDir,
      indexFile: files.indexFile,
      cwd: files.workDir,
      config: CHECKOUT_CONFIG,
      timeoutMs: context.limits.commandTimeoutMs,
    },
    signal,
  );
}

async function replaceable(context: GitContext, folder: string): Promise<void> {
  if (await discardFolder(folder, context.layout.trash, context.newId())) return;
  context.log.warn({ trash: context.layout.trash }, 'folder could not be removed and stays in the trash');
}

/** Maximum number of commits kept per session: the head and the base. */
const MAX_KEPT = 2;

/** The ref that keeps a commit of a live session in the mirror. The head has index 0. Ends with the session's id. */
function toKeepRef(runId: RunId, index: number): string {
  return index === 0 ? `refs/ratchet/ws/${runId}` : `refs/ratchet/ws-also/${String(index)}/${runId}`;
}

/** All keep refs that a session may have. */
export function toKeepRefs(runId: RunId): readonly string[] {
  return Array.from({ length: MAX_KEPT }, (_, index) => toKeepRef(runId, index));
}

/** The ref that keeps a commit that a session made. */
export function toKeptRef(runId: RunId, as: KeptAs): string {
  return `refs/ratchet/${as}/${runId}`;
}

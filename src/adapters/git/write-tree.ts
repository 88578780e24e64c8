import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { type GitCall, runGitOk } from './run-git.ts';

const NEW_FILE_MODE = '100644';
const FILE_MODES: ReadonlySet<string> = new Set([NEW_FILE_MODE, '100755']);
const LS_TREE_ENTRY = /^(\d{6}) \w+ ([0-9a-f]{40})\t(.*)$/s;

/** One entry of a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly sha: Sha;
}

/** See `Git.writeTree`. */
export async function writeTree(
  context: GitContext,
  repository: SessionRepository,
  tree: { readonly treeSha: Sha; readonly files: Readonly<Record<string, string | null>> },
  signal: AbortSignal,
): Promise<Sha> {
  const { controlDir } = repository;
  const entries = Object.entries(tree.files);
  if (entries.length === 0) return readTree(context, controlDir, tree.treeSha, signal);
  const paths = entries.map(([path]) => path);
  const known = await readEntries(context, controlDir, { treeish: tree.treeSha, paths }, signal);
  const lines: string[] = [];
  for (const [path, text] of entries) {
    const sha = text === null ? null : await writeBlob(context, repository, text, signal);
    lines.push(sha === null ? toRemoval(path) : toIndexLine(toFileMode(known.get(path)), sha, path));
  }
  return withIndex(context, repository, async (inIndex) => {
    await runGitOk(context.runGit, inIndex({ args: ['read-tree', tree.treeSha] }), signal);
    const update = inIndex({ args: ['update-index', '-z', '--index-info'], stdin: lines.join('') });
    await runGitOk(context.runGit, update, signal);
    const written = await runGitOk(context.runGit, inIndex({ args: ['write-tree'] }), signal);
    return parseSha(written.toString('utf8').trim());
  });
}

/** The tree of a commit; a tree is its own. */
async function readTree(context: GitContext, controlDir: string, treeish: Sha, signal: AbortSignal): Promise<Sha> {
  const call: GitCall = {
    args: ['rev-parse', '--verify', `${treeish}^{tree}`],
    gitDir: controlDir,
    cwd: controlDir,
    timeoutMs: context.limits.commandTimeoutMs,
  };
  return parseSha((await runGitOk(context.runGit, call, signal)).toString('utf8').trim());
}

/** Entries of a tree by path; those that are not there are left out. */
export async function readEntries(
  context: GitContext,
  gitDir: string,
  want: { readonly treeish: Sha; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const wanted = new Set(want.paths);
  const call: GitCall = {
    args: ['ls-tree', '-r', '-z', '--full-tree', want.treeish],
    gitDir,
    cwd: gitDir,
    timeoutMs: context.limits.commandTimeoutMs,
  };
  const entries = new Map<string, TreeEntry>();
  for (const line of (await runGitOk(context.runGit, call, signal)).toString('utf8').split('\0')) {
    const [, mode = '', sha = '', path = ''] = LS_TREE_ENTRY.exec(line) ?? [];
    if (wanted.has(path)) entries.set(path, { mode, sha: parseSha(sha) });
  }
  return entries;
}

/** One line of `update-index -z --index-info`; `stage` 0 where nothing is said. */
export function toIndexLine(mode: string, sha: Sha, path: string, stage = 0): string {
  return `${mode} ${sha} ${String(stage)}\t${path}\0`;
}

/** A text is a file, also where a link was: as its target it would lead somewhere. */
function toFileMode(known: TreeEntry | undefined): string {
  return known !== undefined && FILE_MODES.has(known.mode) ? known.mode : NEW_FILE_MODE;
}

function toRemoval(path: string): string {
  return `0 ${'0'.repeat(40)}\t${path}\0`;
}

async function writeBlob(
  context: GitContext,
  { controlDir }: SessionRepository,
  text: string,
  signal: AbortSignal,
): Promise<Sha> {
  const args = ['hash-object', '-w', '--stdin', '--no-filters'];
  const timeoutMs = context.limits.commandTimeoutMs;
  const call: GitCall = { args, gitDir: controlDir, cwd: controlDir, stdin: text, timeoutMs };
  return parseSha((await runGitOk(context.runGit, call, signal)).toString('utf8').trim());
}

/** Gives `work` an index of its own, which is gone afterwards. */
async function withIndex<Result>(
  context: GitContext,
  { controlDir }: SessionRepository,
  work: (inIndex: (call: Pick<GitCall, 'args' | 'stdin'>) => GitCall) => Promise<Result>,
): Promise<Result> {
  const indexFile = join(controlDir, `write-${context.newId()}.index`);
  const timeoutMs = context.limits.commandTimeoutMs;
  try {
    return await work((call) => ({ ...call, gitDir: controlDir, indexFile, cwd: controlDir, timeoutMs }));
  } finally {
    await rm(indexFile, { force: true });
  }
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { type GitAt, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';

const HASH_OBJECT = ['hash-object', '-w', '--stdin', '--no-filters'];
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
  const git = gitAt(context, repository.controlDir, signal);
  const entries = Object.entries(tree.files);
  if (entries.length === 0) return git.sha(['rev-parse', '--verify', `${tree.treeSha}^{tree}`]);
  const known = await readEntries(git, { treeish: tree.treeSha, paths: entries.map(([path]) => path) });
  const lines: string[] = [];
  for (const [path, text] of entries) {
    const sha = text === null ? null : await git.sha(HASH_OBJECT, { stdin: text });
    lines.push(sha === null ? toRemoval(path) : toIndexLine(toFileMode(known.get(path)), sha, path));
  }
  return write(context, git, { repository, treeSha: tree.treeSha, lines });
}

/** See `Git.mixTrees`. */
export async function mixTrees(
  context: GitContext,
  repository: SessionRepository,
  { treeSha, from, paths }: { readonly treeSha: Sha; readonly from: Sha; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<Sha> {
  const git = gitAt(context, repository.controlDir, signal);
  const entries = await readEntries(git, { treeish: from, paths });
  // What is removed comes first: a file may stand where a folder was.
  const removed = paths.filter((path) => !entries.has(path)).map(toRemoval);
  const taken = [...entries].map(([path, { mode, sha }]) => toIndexLine(mode, sha, path));
  return write(context, git, { repository, treeSha, lines: [...removed, ...taken] });
}

async function write(
  context: GitContext,
  git: GitAt,
  {
    repository,
    treeSha,
    lines,
  }: { readonly repository: SessionRepository; readonly treeSha: Sha; readonly lines: readonly string[] },
): Promise<Sha> {
  const indexFile = join(repository.controlDir, `write-${context.newId()}.index`);
  try {
    await git.bytes(['read-tree', treeSha], { indexFile });
    await git.bytes(['update-index', '-z', '--index-info'], { stdin: lines.join(''), indexFile });
    return await git.sha(['write-tree'], { indexFile });
  } finally {
    await rm(indexFile, { force: true });
  }
}

/** Entries of a tree by path. Missing paths are left out. */
export async function readEntries(
  git: GitAt,
  { treeish, paths }: { readonly treeish: Sha; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, TreeEntry>> {
  const wanted = new Set(paths);
  const entries = new Map<string, TreeEntry>();
  for (const line of (await git.text(['ls-tree', '-r', '-z', '--full-tree', treeish])).split('\0')) {
    const [, mode = '', sha = '', path = ''] = LS_TREE_ENTRY.exec(line) ?? [];
    if (wanted.has(path)) entries.set(path, { mode, sha: parseSha(sha) });
  }
  return entries;
}

/** One line for `update-index -z --index-info`. */
export function toIndexLine(mode: string, sha: Sha, path: string, stage = 0): string {
  return `${mode} ${sha} ${String(stage)}\t${path}\0`;
}

/** Text is always written as a regular file. As a link, its content would become the link's target. */
function toFileMode(known: TreeEntry | undefined): string {
  return known !== undefined && FILE_MODES.has(known.mode) ? known.mode : NEW_FILE_MODE;
}

function toRemoval(path: string): string {
  return `0 ${'0'.repeat(40)}\t${path}\0`;
}

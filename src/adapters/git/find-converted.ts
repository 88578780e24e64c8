import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { removeTree } from '../../system/remove-tree.ts';
import type { TreePair } from './diff-trees.ts';
import { type GitAt, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { listTree } from './list-tree.ts';
import { toIndexLine } from './write-tree.ts';

const RAW = /^:(100644|100755) \1 ([0-9a-f]{40}) ([0-9a-f]{40}) M$/;

/** A file whose content differs. */
interface Changed {
  readonly mode: string;
  readonly oldSha: Sha;
  readonly newSha: Sha;
}

/**
 * Finds files that differ between a tree and the import of its checkout although nobody changed them. Attributes
 * (`text`, `eol`, `ident`, `working-tree-encoding`) make `git add` convert some files that were committed unconverted,
 * such as CRLF files with `text`. To detect them, imports an untouched checkout in the same way. Returns lines for
 * `update-index -z --index-info` that restore the original blobs; empty if there are none.
 */
export async function findConverted(
  context: GitContext,
  repository: SessionRepository,
  { from, to }: TreePair,
  signal: AbortSignal,
): Promise<Buffer> {
  const { controlDir } = repository;
  const workTree = join(controlDir, 'untouched');
  const indexFile = join(controlDir, 'untouched.index');
  const git = gitAt(context, controlDir, signal);
  const inCheckout = { workTree, indexFile, cwd: workTree };
  const imported = await readChanged(git, { from, to });
  if (imported.size === 0 || !(await hasAttributes(context, repository, from, signal))) return Buffer.alloc(0);
  await mkdir(workTree, { recursive: true, mode: 0o700 });
  try {
    await git.bytes(['read-tree', from], inCheckout);
    const stdin = Buffer.from([...imported.keys()].map((path) => `${path}\0`).join(''), 'latin1');
    await git.bytes(['checkout-index', '-z', '--stdin'], { ...inCheckout, stdin });
    await git.bytes(['update-index', '-z', '--stdin'], { ...inCheckout, stdin });
    const untouched = await git.sha(['write-tree'], inCheckout);
    const converted = await readChanged(git, { from, to: untouched });
    const lines = [...converted].flatMap(([path, { mode, oldSha, newSha }]) =>
      imported.get(path)?.newSha === newSha ? [toIndexLine(mode, oldSha, path)] : [],
    );
    return Buffer.from(lines.join(''), 'latin1');
  } finally {
    await rm(indexFile, { force: true });
    await removeTree(workTree);
  }
}

/** Without attributes nothing is converted. */
async function hasAttributes(
  context: GitContext,
  { mirror, controlDir: gitDir }: SessionRepository,
  treeish: Sha,
  signal: AbortSignal,
): Promise<boolean> {
  const entries = await listTree(context, { mirror, gitDir, treeish }, signal);
  return entries.some(({ path }) => basename(path) === '.gitattributes');
}

/** Files with different content and the same mode, by path. Paths are latin1 strings, one character for each byte. */
async function readChanged(git: GitAt, { from, to }: TreePair): Promise<ReadonlyMap<string, Changed>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-filter=M', from, to];
  const parts = (await git.bytes(args)).toString('latin1').split('\0');
  const changed = new Map<string, Changed>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode, oldSha, newSha] = RAW.exec(parts[at] ?? '') ?? [];
    if (mode === undefined || oldSha === undefined || newSha === undefined) continue;
    changed.set(parts[at + 1] ?? '', { mode, oldSha: parseSha(oldSha), newSha: parseSha(newSha) });
  }
  return changed;
}

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { SessionRepository } from '../../ports/git.ts';
import { removeTree } from '../../system/remove-tree.ts';
import type { TreePair } from './diff-trees.ts';
import { type GitAt, type GitExtras, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { toIndexLine } from './write-tree.ts';

const RAW = /^:(100644|100755) \1 ([0-9a-f]{40}) ([0-9a-f]{40}) M$/;

/** A file whose content differs; its path is bytes, one character for each. */
interface Changed {
  readonly mode: string;
  readonly oldSha: Sha;
  readonly newSha: Sha;
}

/**
 * The files that differ between a tree and what was imported of its checkout, though nobody touched them: attributes (`text`,
 * `eol`, `ident`, `working-tree-encoding`) make `git add` write some files anew that were committed without them, as CRLF under
 * `text`. Told by doing the same with an untouched checkout. Returns lines for `update-index -z --index-info` that put them
 * back; empty where there are none.
 */
export async function findConverted(
  context: GitContext,
  { controlDir }: SessionRepository,
  { from, to }: TreePair,
  signal: AbortSignal,
): Promise<Buffer> {
  const workTree = join(controlDir, 'untouched');
  const indexFile = join(controlDir, 'untouched.index');
  const git = gitAt(context, controlDir, signal);
  const inCheckout = { workTree, indexFile, cwd: workTree };
  const imported = await readChanged(git, { from, to });
  if (imported.size === 0) return Buffer.alloc(0);
  await mkdir(workTree, { recursive: true, mode: 0o700 });
  try {
    await git.bytes(['read-tree', from], inCheckout);
    if (!(await hasAttributes(git, inCheckout))) return Buffer.alloc(0);
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
async function hasAttributes(git: GitAt, inCheckout: GitExtras): Promise<boolean> {
  return (await git.bytes(['ls-files', '-z', '--', ':(glob)**/.gitattributes'], inCheckout)).length > 0;
}

/** Files with another content and the same mode, by their path. */
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

import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { ConflictedFile, Mirror } from '../../ports/git.ts';
import { type GitAt, gitAt } from './git-at.ts';
import type { GitContext } from './git-context.ts';
import { WITHOUT_ATTRIBUTES } from './git-environment.ts';
import { type MergePair, mergeTree } from './merge-tree.ts';
import { readNames } from './remove-folder.ts';
import { withScratch } from './scratch.ts';
import { readEntries, toIndexLine } from './write-tree.ts';

const MEMORY = 'rr-cache';
const RERERE_CONFIG = ['rerere.enabled=true', 'rerere.autoUpdate=false'];
/** Files beyond this number are neither looked up nor remembered. */
const MAX_FILES = 200;
const MAX_FILE_BYTES = 1024 ** 2;
const FILE_MODE = '100644';
const FILE_MODES: ReadonlySet<string> = new Set([FILE_MODE, '100755']);

/** The conflicted files of a merge, with markers, in a work tree where `git rerere` can compare them with its cache. */
interface Conflict {
  readonly texts: ReadonlyMap<string, string>;
  readonly workDir: string;
  readonly git: GitAt;
}

/** See `Git.recallResolutions`. */
export async function recallResolutions(
  context: GitContext,
  mirror: Mirror,
  merge: MergePair,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const recalled = await withConflict(context, { mirror, merge }, signal, async (conflict) => {
    await conflict.git.bytes(['rerere']);
    const resolved: [string, string][] = [];
    for (const [path, before] of conflict.texts) {
      const text = await readText(join(conflict.workDir, path));
      if (text !== null && text !== before) resolved.push([path, text]);
    }
    return Object.fromEntries(resolved);
  });
  return recalled ?? {};
}

/** See `Git.rememberResolutions`. Ignores files that `resolved` no longer has. */
export async function rememberResolutions(
  context: GitContext,
  mirror: Mirror,
  merge: MergePair & { readonly resolved: Sha },
  signal: AbortSignal,
): Promise<void> {
  await withConflict(context, { mirror, merge }, signal, async ({ git, texts, workDir }) => {
    await git.bytes(['rerere']);
    const inMirror = gitAt(context, mirror.gitDir, signal);
    const entries = await readEntries(inMirror, { treeish: merge.resolved, paths: [...texts.keys()] });
    for (const [path, { mode, sha }] of entries) {
      if (!FILE_MODES.has(mode)) continue;
      const blob = await git.bytes(['cat-file', 'blob', sha]);
      if (blob.length <= MAX_FILE_BYTES) await writeFile(join(workDir, path), blob);
    }
    // The second `git rerere` sees the files without markers and records the resolutions.
    await git.bytes(['rerere']);
  });
}

/** See `Git.forgetResolutions`. */
export async function forgetResolutions(
  context: GitContext,
  mirror: Mirror,
  merge: MergePair,
  signal: AbortSignal,
): Promise<void> {
  await withConflict(context, { mirror, merge }, signal, async ({ git }) => {
    await git.bytes(['rerere', 'forget', '--', '.']);
  });
}

/** Removes resolutions that were not used for the time that git itself sets (`rerere gc`). */
export async function forgetOldResolutions(context: GitContext, mirror: Mirror, signal: AbortSignal): Promise<void> {
  if ((await readNames(join(mirror.gitDir, MEMORY))).length === 0) return;
  await gitAt(context, mirror.gitDir, signal).bytes(['rerere', 'gc'], { config: RERERE_CONFIG });
}

/** Runs `work` under the mirror's lock: all sessions share the resolutions. Null if the merge has no conflict. */
async function withConflict<Result>(
  context: GitContext,
  { mirror, merge }: { readonly mirror: Mirror; readonly merge: MergePair },
  signal: AbortSignal,
  work: (conflict: Conflict) => Promise<Result>,
): Promise<Result | null> {
  return context.lockMirror(mirror.repositoryId, () =>
    withScratch(context, mirror, async ({ gitDir, workDir }) => {
      const merged = await mergeTree(context, gitDir, merge, signal);
      if (merged.kind !== 'conflicted') return null;
      const memory = join(mirror.gitDir, MEMORY);
      await mkdir(memory, { recursive: true, mode: 0o700 });
      await symlink(memory, join(gitDir, MEMORY));
      const inWork = { workTree: workDir, cwd: workDir, env: WITHOUT_ATTRIBUTES, config: RERERE_CONFIG };
      const git = gitAt(context, gitDir, signal, inWork);
      const files = merged.files.filter(isComparable).slice(0, MAX_FILES);
      const want = { treeish: merged.treeSha, paths: files.map(({ path }) => path) };
      const marked = await readEntries(gitAt(context, gitDir, signal), want);
      const lines = [...marked].map(([path, { mode, sha }]) => toIndexLine(mode, sha, path));
      const indexFile = join(gitDir, 'marked.index');
      await git.bytes(['update-index', '-z', '--index-info'], { stdin: lines.join(''), indexFile });
      await git.bytes(['checkout-index', '--all'], { indexFile });
      await git.bytes(['update-index', '-z', '--index-info'], { stdin: files.map(toStageLines).join('') });
      return work({ texts: await readTexts(workDir, files), workDir, git });
    }),
  );
}

/** Both sides need the file as text. `.gitattributes` would affect later commands. U+FFFD: the name is not UTF-8. */
function isComparable({ path, isText, ourBlob, theirBlob }: ConflictedFile): boolean {
  const isPlainName = !path.includes('\uFFFD') && !path.split('/').includes('.gitattributes');
  return isText && ourBlob !== null && theirBlob !== null && isPlainName;
}

function toStageLines({ path, baseBlob, ourBlob, theirBlob }: ConflictedFile): string {
  return [baseBlob, ourBlob, theirBlob]
    .map((blob, index) => (blob === null ? '' : toIndexLine(FILE_MODE, blob, path, index + 1)))
    .join('');
}

async function readTexts(workDir: string, files: readonly ConflictedFile[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of files) {
    const text = await readText(join(workDir, path));
    if (text !== null) texts.set(path, text);
  }
  return texts;
}

/** Null for a file that is missing, too large or not UTF-8. */
async function readText(file: string): Promise<string | null> {
  try {
    const found = await lstat(file);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) return null;
    return decodeText(await readFile(file));
  } catch {
    return null;
  }
}

import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { decodeText } from '../../core/text/decode-text.ts';
import type { ConflictedFile, Mirror } from '../../ports/git.ts';
import type { GitContext } from './git-context.ts';
import { type MergePair, mergeTree, WITHOUT_ATTRIBUTES } from './merge-tree.ts';
import { readNames } from './remove-folder.ts';
import { type GitCall, runGitOk } from './run-git.ts';
import { withScratch } from './scratch.ts';
import { readEntries, toIndexLine } from './write-tree.ts';

const MEMORY = 'rr-cache';
const RERERE_CONFIG = ['rerere.enabled=true', 'rerere.autoUpdate=false'];
/** More is neither looked up nor remembered. */
const MAX_FILES = 200;
const MAX_FILE_BYTES = 1024 ** 2;
const FILE_MODE = '100644';
const FILE_MODES: ReadonlySet<string> = new Set([FILE_MODE, '100755']);

/** The files of a merge in conflict, with markers, in a folder where git can compare them with what it remembers. */
interface Conflict {
  readonly texts: ReadonlyMap<string, string>;
  readonly workDir: string;
  readonly treeSha: Sha;
  readonly git: (call: Pick<GitCall, 'args' | 'stdin'> & { readonly indexFile?: string }) => Promise<Buffer>;
}

/** See `Git.recallResolutions`. */
export async function recallResolutions(
  context: GitContext,
  mirror: Mirror,
  merge: MergePair,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  return withConflict(context, { mirror, merge }, signal, async (conflict) => {
    await conflict.git({ args: ['rerere'] });
    const resolved: [string, string][] = [];
    for (const [path, before] of conflict.texts) {
      const text = await readText(join(conflict.workDir, path));
      if (text !== null && text !== before) resolved.push([path, text]);
    }
    return Object.fromEntries(resolved);
  });
}

/** See `Git.rememberResolutions`. A file that `resolved` no longer has teaches nothing. */
export async function rememberResolutions(
  context: GitContext,
  mirror: Mirror,
  merge: MergePair & { readonly resolved: Sha },
  signal: AbortSignal,
): Promise<void> {
  await withConflict(context, { mirror, merge }, signal, async ({ git, texts, workDir }) => {
    await git({ args: ['rerere'] });
    const entries = await readEntries(
      context,
      mirror.gitDir,
      { treeish: merge.resolved, paths: [...texts.keys()] },
      signal,
    );
    for (const [path, { mode, sha }] of entries) {
      if (!FILE_MODES.has(mode)) continue;
      const blob = await git({ args: ['cat-file', 'blob', sha] });
      if (blob.length <= MAX_FILE_BYTES) await writeFile(join(workDir, path), blob);
    }
    // A second look at files without markers is how git learns.
    await git({ args: ['rerere'] });
    return {};
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
    await git({ args: ['rerere', 'forget', '--', '.'] });
    return {};
  });
}

/** Forgets what was not used for long, as git itself decides. */
export async function forgetOldResolutions(context: GitContext, mirror: Mirror, signal: AbortSignal): Promise<void> {
  if ((await readNames(join(mirror.gitDir, MEMORY))).length === 0) return;
  const { gitDir } = mirror;
  const timeoutMs = context.limits.commandTimeoutMs;
  const call: GitCall = { args: ['rerere', 'gc'], gitDir, cwd: gitDir, config: RERERE_CONFIG, timeoutMs };
  await runGitOk(context.runGit, call, signal);
}

/** Under the mirror's lock: the memory is shared by all sessions of the repository. */
async function withConflict(
  context: GitContext,
  { mirror, merge }: { readonly mirror: Mirror; readonly merge: MergePair },
  signal: AbortSignal,
  work: (conflict: Conflict) => Promise<Readonly<Record<string, string>>>,
): Promise<Readonly<Record<string, string>>> {
  return context.lockMirror(mirror.repositoryId, () =>
    withScratch(context, mirror, async ({ gitDir, workDir }) => {
      const merged = await mergeTree(context, gitDir, merge, signal);
      if (merged.kind !== 'conflicted') return {};
      const memory = join(mirror.gitDir, MEMORY);
      await mkdir(memory, { recursive: true, mode: 0o700 });
      await symlink(memory, join(gitDir, MEMORY));
      const timeoutMs = context.limits.commandTimeoutMs;
      const base = {
        gitDir,
        workTree: workDir,
        cwd: workDir,
        env: WITHOUT_ATTRIBUTES,
        config: RERERE_CONFIG,
        timeoutMs,
      };
      const git: Conflict['git'] = (call) => runGitOk(context.runGit, { ...base, ...call }, signal);
      const files = merged.files.filter(isComparable).slice(0, MAX_FILES);
      const { treeSha } = merged;
      const marked = await readEntries(
        context,
        gitDir,
        { treeish: treeSha, paths: files.map(({ path }) => path) },
        signal,
      );
      const lines = [...marked].map(([path, { mode, sha }]) => toIndexLine(mode, sha, path));
      const indexFile = join(gitDir, 'marked.index');
      await git({ args: ['update-index', '-z', '--index-info'], stdin: lines.join(''), indexFile });
      await git({ args: ['checkout-index', '--all'], indexFile });
      await git({ args: ['update-index', '-z', '--index-info'], stdin: files.map(toStageLines).join('') });
      return work({ texts: await readTexts(workDir, files), workDir, treeSha, git });
    }),
  );
}

/** Both sides must have it as text; git's own names are no files, and attributes would steer what follows. */
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

/** null for a file that is too large, or no UTF-8. */
async function readText(file: string): Promise<string | null> {
  try {
    const found = await lstat(file);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) return null;
    return decodeText(await readFile(file));
  } catch {
    return null;
  }
}

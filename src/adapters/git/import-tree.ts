import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { ImportedTree, SessionRepository, TreeFolders } from '../../ports/git.ts';
import { cleanFolder } from './clean-folder.ts';
import { diffTrees } from './diff-trees.ts';
import { findConverted } from './find-converted.ts';
import type { GitContext } from './git-context.ts';
import { type GitCall, type GitOutput, isOk, runGitOk } from './run-git.ts';

const CHMOD_TIMEOUT_MS = 60_000;

/**
 * See `TreeFolders.importTree`. Uses only the control repository and never opens the workspace's `.git`. The index
 * starts from `against` without file times, so git reads and hashes every file: an agent cannot hide a change with file
 * times or index flags. A difference that only attributes cause is not a change. The ignore rules are those of the tree
 * that the agent left.
 */
export async function importTree(
  context: GitContext,
  repository: SessionRepository,
  want: Parameters<TreeFolders['importTree']>[1],
  signal: AbortSignal,
): Promise<ImportedTree> {
  const removed = await cleanFolder(want.folder, {
    discardDir: join(repository.controlDir, 'discarded'),
    maxEntries: context.limits.maxTreeEntries,
  });
  if (removed > 0) context.log.warn({ runId: repository.runId, removed }, 'nested repositories were removed');
  const { against, maxPatchBytes } = want;
  const treeSha = await addToTree(context, repository, want, signal);
  const diff = await diffTrees(context, repository, { from: against, to: treeSha, maxPatchBytes }, signal);
  return { treeSha, against, ...diff };
}

async function addToTree(
  context: GitContext,
  repository: SessionRepository,
  { folder: workDir, exclude, against }: Parameters<TreeFolders['importTree']>[1],
  signal: AbortSignal,
): Promise<Sha> {
  const { controlDir } = repository;
  const indexFile = join(controlDir, 'import.index');
  await rm(indexFile, { force: true });
  const inIndex = (args: readonly string[]): GitCall => ({
    args,
    gitDir: controlDir,
    workTree: workDir,
    indexFile,
    cwd: workDir,
    timeoutMs: context.limits.commandTimeoutMs,
  });
  await runGitOk(context.runGit, inIndex(['read-tree', against]), signal);
  await addAll(context, inIndex, { workDir, exclude }, signal);
  const added = await runGitOk(context.runGit, inIndex(['write-tree']), signal);
  const to = parseSha(added.toString('utf8').trim());
  const stdin = await findConverted(context, repository, { from: against, to }, signal);
  if (stdin.length === 0) return to;
  await runGitOk(context.runGit, { ...inIndex(['update-index', '-z', '--index-info']), stdin }, signal);
  const tree = await runGitOk(context.runGit, inIndex(['write-tree']), signal);
  return parseSha(tree.toString('utf8').trim());
}

/**
 * Adds what changed and what is new. Excluded paths keep their entry. Not with one `git add --all`: it fails for an excluded path
 * that the repository also ignores, as most ignore their dependencies.
 */
async function addAll(
  context: GitContext,
  inIndex: (args: readonly string[]) => GitCall,
  { workDir, exclude }: { readonly workDir: string; readonly exclude: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const run = (args: readonly string[], stdin = ''): Promise<Buffer> =>
    runOnReadable(context, { ...inIndex(args), stdin: Buffer.from(stdin, 'latin1') }, workDir, signal);
  const excluded = exclude.map((path) => Buffer.from(path).toString('latin1'));
  const tracked = ['.', ...excluded.map((path) => `:(exclude,literal)${path}`)].join('\0');
  await run(['add', '--update', '--pathspec-from-file=-', '--pathspec-file-nul'], tracked);
  const untracked = (await run(['ls-files', '--others', '--exclude-standard', '-z'])).toString('latin1');
  const added = leaveOut(untracked.split('\0'), new Set(excluded));
  await run(['update-index', '--add', '--replace', '-z', '--stdin'], added.join('\0'));
}

/** The paths that are neither excluded nor below an excluded one. */
function leaveOut(paths: readonly string[], excluded: ReadonlySet<string>): readonly string[] {
  return paths.filter((path) => {
    const parts = path.split('/');
    return path !== '' && !parts.some((_, index) => excluded.has(parts.slice(0, index + 1).join('/')));
  });
}

/** Makes unreadable files readable if git finds any, and retries once. git does not record these permission bits. */
async function runOnReadable(
  context: GitContext,
  call: GitCall,
  workDir: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const first: GitOutput = await context.runGit(call, signal);
  const isDenied = /Permission denied/.test(first.stderr);
  if (isOk(first) && !isDenied) return first.stdout;
  if (isDenied) {
    await execa('chmod', ['-R', 'u+rX', '--', workDir], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      extendEnv: false,
      reject: false,
      stdio: 'ignore',
      timeout: CHMOD_TIMEOUT_MS,
      cancelSignal: signal,
    });
  }
  return runGitOk(context.runGit, call, signal);
}

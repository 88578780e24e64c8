import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseSha, type Sha } from '../../core/model/ids.ts';
import type { TreeChange } from '../../core/model/tree-change.ts';
import type { ImportedTree, SessionRepository } from '../../ports/git.ts';
import { cleanWorkspace } from './clean-workspace.ts';
import type { GitContext } from './git-context.ts';
import { parseTreeDiff, type RawChange } from './parse-tree-diff.ts';
import { type GitCall, type GitOutput, runGitOk } from './run-git.ts';

const GITLINK = '160000';
const NO_ENTRY = '000000';
const CHMOD_TIMEOUT_MS = 60_000;
/** git's name for the empty tree: attributes taken from it are none. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * See `Git.importTree`. All of it happens in the control repository; the workspace's `.git` is never opened. The index
 * starts from the head without any file times, so every file is read and hashed: nothing that an agent can set (times,
 * index flags) makes a change invisible. Ignore rules are those of the tree as the agent left it.
 */
export async function importTree(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly exclude: readonly string[]; readonly maxPatchBytes: number },
  signal: AbortSignal,
): Promise<ImportedTree> {
  const removed = await cleanWorkspace(repository.workDir, {
    discardDir: join(repository.controlDir, 'discarded'),
    maxEntries: context.limits.maxWorkspaceEntries,
  });
  if (removed > 0) context.log.warn({ sessionId: repository.sessionId, removed }, 'nested repositories were removed');
  const treeSha = await writeTree(context, repository, want.exclude, signal);
  const changes = await readChanges(context, repository, treeSha, signal);
  const patch = await readPatch(context, repository, { treeSha, maxBytes: want.maxPatchBytes }, signal);
  return { treeSha, changes, ...patch };
}

async function writeTree(
  context: GitContext,
  repository: SessionRepository,
  exclude: readonly string[],
  signal: AbortSignal,
): Promise<Sha> {
  const { controlDir, workDir } = repository;
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
  await runGitOk(context.runGit, inIndex(['read-tree', repository.headSha]), signal);
  // Excluded paths keep the index entry that they have from the head.
  const pathspecs = ['.', ...exclude.map((path) => `:(exclude,literal)${path}`)].join('\0');
  const add = { ...inIndex(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul']), stdin: pathspecs };
  await addAll(context, add, workDir, signal);
  const tree = await runGitOk(context.runGit, inIndex(['write-tree']), signal);
  return parseSha(tree.toString('utf8').trim());
}

/** Files that the agent made unreadable are made readable once; that changes no bit that git records. */
async function addAll(context: GitContext, call: GitCall, workDir: string, signal: AbortSignal): Promise<void> {
  const first: GitOutput = await context.runGit(call, signal);
  if (first.ended === 'exited' && first.exitCode === 0) return;
  if (/Permission denied/.test(first.stderr)) {
    await execa('chmod', ['-R', 'u+rX', '--', workDir], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      extendEnv: false,
      reject: false,
      stdio: 'ignore',
      timeout: CHMOD_TIMEOUT_MS,
      cancelSignal: signal,
    });
  }
  await runGitOk(context.runGit, call, signal);
}

/**
 * Attributes can make a file binary, and so hide it from a diff. These commands see none: they run without a work tree, and
 * newer versions of git, which would read attributes from the head, are told to take them from the empty tree.
 */
function diffCall(context: GitContext, repository: SessionRepository, args: readonly string[]): GitCall {
  return {
    args,
    gitDir: repository.controlDir,
    cwd: repository.controlDir,
    env: { GIT_ATTR_SOURCE: EMPTY_TREE },
    timeoutMs: context.limits.commandTimeoutMs,
  };
}

async function readChanges(
  context: GitContext,
  repository: SessionRepository,
  treeSha: Sha,
  signal: AbortSignal,
): Promise<readonly TreeChange[]> {
  const args = [
    ...['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-renames', '--no-abbrev', '--no-ext-diff', '--no-textconv'],
    ...['--ignore-submodules=none', repository.headSha, treeSha],
  ];
  const output = await runGitOk(context.runGit, diffCall(context, repository, args), signal);
  const raws = parseTreeDiff(output.toString('utf8'));
  const sizes = await readSizes(context, repository, raws, signal);
  return raws.map(({ newSha, ...change }) => ({ ...change, newBytes: sizes.get(newSha) ?? 0 }));
}

async function readSizes(
  context: GitContext,
  repository: SessionRepository,
  raws: readonly RawChange[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const blobs = raws.filter((raw) => raw.newMode !== NO_ENTRY && raw.newMode !== GITLINK).map((raw) => raw.newSha);
  if (blobs.length === 0) return new Map();
  const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
  const call = { ...diffCall(context, repository, args), stdin: `${[...new Set(blobs)].join('\n')}\n` };
  const lines = (await runGitOk(context.runGit, call, signal)).toString('utf8').trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, 40), Number(line.slice(41))]));
}

/** `--text`: a file that looks binary is printed all the same, or a single NUL would hide a secret from the scan. */
async function readPatch(
  context: GitContext,
  repository: SessionRepository,
  want: { readonly treeSha: Sha; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Pick<ImportedTree, 'patch' | 'patchTruncated'>> {
  const args = [
    ...['diff-tree', '-r', '-p', '--text', '--full-index', '--no-renames', '--no-color', '--no-ext-diff'],
    ...['--no-textconv', '--src-prefix=a/', '--dst-prefix=b/', repository.headSha, want.treeSha],
  ];
  const call = { ...diffCall(context, repository, args), maxOutputBytes: want.maxBytes };
  const output = await context.runGit(call, signal);
  if (output.ended === 'overflow') {
    return { patch: output.stdout.subarray(0, want.maxBytes).toString('utf8'), patchTruncated: true };
  }
  if (output.ended !== 'exited' || output.exitCode !== 0) await runGitOk(context.runGit, call, signal);
  return { patch: output.stdout.toString('utf8'), patchTruncated: false };
}

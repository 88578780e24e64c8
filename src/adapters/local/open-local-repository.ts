import { copyFile, mkdir, readdir, realpath, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ExecaError, execa } from 'execa';
import { isLossy } from '../../core/text/is-lossy.ts';
import type { FoundBase, LocalDiff, LocalRepository } from '../../ports/local-repository.ts';
import { hashFiles } from './hash-files.ts';
import { createLocalGit, type Git, isFile, toGitOptions, toPaths, type Variables, withScratch } from './local-git.ts';
import { placeCommit, readSubmodules } from './place-commit.ts';

/** Folders that are skipped by name if there is no git. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.venv',
  'venv',
  '__pycache__',
  'node_modules',
  'target',
]);
const MAX_WALKED_FILES = 200_000;

/**
 * Opens the checkout that contains `folder`. Its root is git's work tree, or `folder` itself without git. `variables`
 * is the person's environment: git runs with their configuration.
 */
export async function openLocalRepository(
  folder: string,
  variables: Variables,
  signal: AbortSignal,
): Promise<LocalRepository> {
  const start = await realpath(folder);
  const found = await findRoot(start, variables, signal);
  if (found === null) return openPlainFolder(start);
  const root = await realpath(found);
  return withGit(root, (at) => createLocalGit(at, variables));
}

/**
 * The root of the work tree. Null if git is missing or `folder` is not in a repository. Throws if git refuses the
 * repository (other owner, damaged).
 */
async function findRoot(folder: string, variables: Variables, signal: AbortSignal): Promise<string | null> {
  const options = { ...toGitOptions(folder, variables, signal), reject: false } as const;
  const {
    failed,
    code,
    stdout,
    stderr,
    shortMessage = '',
  } = await execa('git', ['rev-parse', '--show-toplevel'], options);
  signal.throwIfAborted();
  if (!failed) return stdout.replace(/\n$/u, '');
  if (code === 'ENOENT' || stderr.includes('not a git repository')) return null;
  const [said = ''] = stderr.trim().split('\n');
  throw new Error(`git: ${said === '' ? shortMessage : said}`);
}

function withGit(root: string, openGit: (folder: string) => Git): LocalRepository {
  const git = openGit(root);
  return {
    root,
    listFiles: (signal) => listWithGit(root, git, signal),
    listSubmodules: (signal) => readSubmodules(root, git, signal),
    findBase: (revision, signal) => findBase(git, revision, signal),
    placeCommit: (commit, folder, signal) => placeCommit({ root, openGit }, { commit, folder }, signal),
    diffFrom: (commit, maxBytes, signal) => diffFrom(root, git, { commit, maxBytes, signal }),
    hashFiles: (paths) => hashFiles(root, paths),
    state: (signal) => readState(git, signal),
  };
}

async function readState(git: Git, signal: AbortSignal): Promise<string | null> {
  try {
    const [status, changed] = await Promise.all([
      git(['status', '--porcelain=v2', '-z', '--untracked-files=all'], signal),
      git(['diff-files', '--patch', '--no-ext-diff', '--no-color', '--binary'], signal),
    ]);
    return `${status}\0${changed}`;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

async function listWithGit(root: string, git: Git, signal: AbortSignal): Promise<readonly string[]> {
  const list = (args: readonly string[]): Promise<string> => git(['ls-files', '-z', ...args], signal);
  const [listed, deleted] = await Promise.all([
    list(['--cached', '--others', '--exclude-standard']),
    list(['--deleted']),
  ]);
  const gone = new Set(toPaths(deleted));
  const paths = [...new Set(toPaths(listed))].filter((path) => !gone.has(path)).toSorted();
  const are = await Promise.all(paths.map((path) => isFile(join(root, path))));
  // A file that cannot be named is listed, so that a tool that gets it fails instead of passing over it.
  return paths.filter((path, index) => are[index] === true || isLossy(path));
}

async function findBase(git: Git, revision: string, signal: AbortSignal): Promise<FoundBase> {
  const isShallow = async (): Promise<boolean> =>
    (await git(['rev-parse', '--is-shallow-repository'], signal)).trim() === 'true';
  try {
    const commit = (await git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], signal)).trim();
    const common = await findMergeBase(git, commit, signal);
    return common === null
      ? { kind: 'no_common_commit', isShallow: await isShallow() }
      : { kind: 'found', commit: common };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'no_commit', isShallow: await isShallow().catch(() => false) };
  }
}

/** null: there is none. The tip of the revision must not stand for it: it has what others did meanwhile. */
async function findMergeBase(git: Git, commit: string, signal: AbortSignal): Promise<string | null> {
  try {
    return (await git(['merge-base', commit, 'HEAD'], signal)).trim();
  } catch (error) {
    if (error instanceof ExecaError && error.exitCode === 1) return null;
    throw error;
  }
}

async function diffFrom(
  root: string,
  git: Git,
  { commit, maxBytes, signal }: { readonly commit: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<LocalDiff> {
  return withScratch(async (scratch) => {
    const env = await addUntracked(root, git, { scratch, signal });
    const plain = ['diff', '--no-ext-diff', '--no-color', '--no-textconv'];
    const [patch, names] = await Promise.all([
      git([...plain, '--no-renames', '--src-prefix=a/', '--dst-prefix=b/', commit, '--'], signal, env),
      git([...plain, '--find-renames', '--name-status', '-z', commit, '--'], signal, env),
    ]);
    return {
      patch: patch.slice(0, maxBytes),
      isPatchWhole: patch.length <= maxBytes,
      changed: new Set(toStatuses(names).flatMap(({ paths }) => paths)),
      renames: toRenames(names),
    };
  });
}

/** Adds untracked files to a copy of the index. Returns the variables that select it and a scratch object folder. */
async function addUntracked(
  root: string,
  git: Git,
  { scratch, signal }: { readonly scratch: string; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, string>>> {
  const paths = await git(['rev-parse', '--git-path', 'index', '--git-path', 'objects'], signal);
  const [index = '', objects = ''] = paths.split('\n').map((path) => resolve(root, path));
  const env = {
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
  };
  await mkdir(env.GIT_OBJECT_DIRECTORY);
  const { atime, mtime } = await stat(index);
  await copyFile(index, env.GIT_INDEX_FILE);
  // git compares file times with the index's time. A younger index would hide changes.
  await utimes(env.GIT_INDEX_FILE, atime, mtime);
  await git(['add', '--intent-to-add', '--', '.'], signal, env);
  return env;
}

/** Maps new paths to old paths, from the output of `git diff --name-status -z`. */
export function toRenames(names: string): ReadonlyMap<string, string> {
  return new Map(
    toStatuses(names).flatMap(({ status, paths: [from, to] }) => {
      return status.startsWith('R') && from !== undefined && to !== undefined ? [[to, from]] : [];
    }),
  );
}

/** Parses `R100\0old\0new\0`. Renames and copies have two paths, every other status has one. */
function toStatuses(names: string): readonly { readonly status: string; readonly paths: readonly string[] }[] {
  const fields = names.split('\0');
  const statuses: { readonly status: string; readonly paths: readonly string[] }[] = [];
  for (let at = 0; at < fields.length; ) {
    const [status = ''] = fields.slice(at);
    const end = at + (/^[RC]\d/u.test(status) ? 3 : 2);
    statuses.push({ status, paths: fields.slice(at + 1, end) });
    at = end;
  }
  return statuses;
}

/** A folder without git. `root` is absolute and free of links. */
function openPlainFolder(root: string): LocalRepository {
  return {
    root,
    listFiles: () => walk(root),
    listSubmodules: () => Promise.resolve([]),
    findBase: () => Promise.resolve({ kind: 'no_commit', isShallow: false }),
    placeCommit: (commit) => Promise.reject(new RangeError(`there is no commit ${commit} without git`)),
    diffFrom: () => Promise.resolve({ patch: '', isPatchWhole: false, changed: new Set(), renames: new Map() }),
    hashFiles: (paths) => hashFiles(root, paths),
    state: () => Promise.resolve(null),
  };
}

async function walk(root: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) paths.push(path);
      if (paths.length > MAX_WALKED_FILES) throw new RangeError(`${dirname(join(root, path))}: too many files`);
    }
  }
  return paths.toSorted();
}

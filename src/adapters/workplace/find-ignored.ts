import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { WorkplaceError } from '../../core/model/errors.ts';

const TIMEOUT_MS = 60_000;
/** Also of a repository that git cannot read. */
const NO_REPOSITORY = 128;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const SETTINGS = [
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
];

/** Of an entry of the index whose content nobody reads. */
const NO_CONTENT = '100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/** Where the entries of a folder come from. */
export interface IgnoredIn {
  readonly root: string;
  /** A folder of ours for a repository of its own, so nothing of a `.git` in the folder counts. */
  readonly gitDir: string;
  /** The folder whose repository says which files are tracked. It need not have one. */
  readonly repository: string;
}

/**
 * The folders that the `.gitignore` files of `root` name and in which git tracks nothing, as raw paths (one character for each byte)
 * without a slash at the end.
 */
export async function findIgnoredFolders(where: IgnoredIn, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { root, gitDir, repository } = where;
  await mkdir(gitDir, { recursive: true });
  await runGit(['init', '--quiet', '--bare', gitDir], { cwd: root }, signal);
  await rm(join(gitDir, 'index'), { force: true });
  const tracked = toPaths(await findTracked(repository, signal));
  const index = tracked.map((path) => `${NO_CONTENT}\t${path}\0`).join('');
  await runGit([`--git-dir=${gitDir}`, 'update-index', '-z', '--index-info'], { cwd: root, input: index }, signal);
  const args = ['ls-files', '--others', ...IGNORED, '--directory', '-z'];
  const listed = await runGit([`--git-dir=${gitDir}`, `--work-tree=${root}`, ...args], { cwd: root }, signal);
  const folders = toPaths(listed).filter((path) => path.endsWith('/') && path !== './');
  return new Set(folders.map((path) => path.slice(0, -1)));
}

const IGNORED = ['--ignored', '--exclude-standard'] as const;

/** What is tracked although it is ignored. Only the index is read: whoever made the repository runs nothing by it. */
async function findTracked(repository: string, signal: AbortSignal): Promise<string> {
  const where = { cwd: repository, failsTo: '' };
  return runGit(['-c', 'safe.directory=*', 'ls-files', '--cached', ...IGNORED, '-z'], where, signal);
}

function toPaths(listed: string): readonly string[] {
  return listed.split('\0').filter((path) => path !== '');
}

async function runGit(
  args: readonly string[],
  { cwd, input, failsTo }: { readonly cwd: string; readonly input?: string; readonly failsTo?: string },
  cancelSignal: AbortSignal,
): Promise<string> {
  const result = await execa('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
    ...{ cwd, cancelSignal, timeout: TIMEOUT_MS, maxBuffer: MAX_LIST_BYTES },
    env: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C' },
      ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' },
      ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' },
    },
    extendEnv: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input: Buffer.from(input, 'latin1') }),
    stripFinalNewline: false,
    encoding: 'latin1',
    reject: false,
  });
  cancelSignal.throwIfAborted();
  if (result.exitCode === 0) return result.stdout;
  if (failsTo !== undefined && result.exitCode === NO_REPOSITORY) return failsTo;
  const why = result.stderr.slice(0, 200) || result.shortMessage || 'it could not be started';
  throw new WorkplaceError('DISK_FAILED', `git could not tell which folders are ignored: ${why}`);
}

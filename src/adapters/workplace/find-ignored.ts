import { mkdir } from 'node:fs/promises';
import { execa } from 'execa';
import { WorkplaceError } from '../../core/model/errors.ts';

const TIMEOUT_MS = 60_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const SETTINGS = [
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
];

/**
 * The folders that the `.gitignore` files of `root` name, as raw paths (one character for each byte) without a slash at the end. git
 * works with a repository of its own in `gitDir`, so nothing of a `.git` in the folder counts.
 */
export async function findIgnoredFolders(
  root: string,
  gitDir: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  await mkdir(gitDir, { recursive: true });
  await runGit(['init', '--quiet', '--bare', gitDir], root, signal);
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const listed = await runGit([`--git-dir=${gitDir}`, `--work-tree=${root}`, ...args], root, signal);
  const folders = listed.split('\0').filter((path) => path.endsWith('/') && path !== './');
  return new Set(folders.map((path) => path.slice(0, -1)));
}

async function runGit(args: readonly string[], cwd: string, cancelSignal: AbortSignal): Promise<string> {
  const result = await execa('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
    ...{ cwd, cancelSignal, timeout: TIMEOUT_MS, maxBuffer: MAX_LIST_BYTES },
    env: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C' },
      ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' },
    },
    extendEnv: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    encoding: 'latin1',
    reject: false,
  });
  cancelSignal.throwIfAborted();
  if (result.exitCode === 0) return result.stdout;
  const why = result.stderr.slice(0, 200) || result.shortMessage || 'it could not be started';
  throw new WorkplaceError('DISK_FAILED', `git could not tell which folders are ignored: ${why}`);
}

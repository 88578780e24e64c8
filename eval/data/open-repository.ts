import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { readBatch } from './read-batch.ts';

/** A file of a repository's `HEAD`. */
export interface Entry {
  readonly path: string;
  readonly id: string;
  readonly bytes: number;
}

/** A clone that is read through git. Nothing is fetched: what a partial clone lacks is missing. */
export interface Repository {
  readonly gitDir: string;
  /** The files below a folder, by path; `.` is the root. Those of `HEAD`, if no other commit is named. */
  readonly list: (folder: string, commit?: string) => Promise<readonly Entry[]>;
  /** The content of a file; null if the clone lacks it. One call at a time. */
  readonly read: (entry: Pick<Entry, 'id'>) => Promise<Buffer | null>;
  readonly close: () => Promise<void>;
}

/** For every git command of the evaluation: no configuration of the machine, no network. */
export const GIT_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
} as const;

const MAX_LIST_BYTES = 256 * 1024 * 1024;

/** The git directory of `owner/name` in a data folder, as a bare clone or one with files; null if there is none. */
export function findGitDir(dataFolder: string, repository: string): string | null {
  const names = [repository.replace('/', '+'), repository, `${repository}.git`];
  const folders = names.flatMap((name) => ['', 'repo'].map((below) => join(dataFolder, name, below)));
  const candidates = folders.flatMap((folder) => [folder, join(folder, '.git')]);
  return candidates.find((folder) => existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))) ?? null;
}

/** Opens a clone by its git directory. */
export function openRepository(gitDir: string): Repository {
  const options = { env: GIT_ENVIRONMENT, extendEnv: false } as const;
  const batch = spawn('git', ['--git-dir', gitDir, 'cat-file', '--batch'], {
    env: GIT_ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => batch.once('close', () => resolve()));
  const read = readBatch(batch);
  return {
    gitDir,
    list: async (folder, commit = 'HEAD') => {
      const args = ['--git-dir', gitDir, 'ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', folder];
      const { stdout } = await execa('git', args, { ...options, maxBuffer: MAX_LIST_BYTES });
      return stdout.split('\0').flatMap(parseEntry);
    },
    read: ({ id }) => read(id),
    close: async () => {
      batch.stdin.end();
      await ended;
    },
  };
}

/** `<mode> blob <id> <size>\t<path>`. */
function parseEntry(line: string): readonly Entry[] {
  const match = /^\d+ blob (\S+) +(\d+|-)\t(.*)$/su.exec(line);
  if (match === null) return [];
  const [, id = '', bytes = '', path = ''] = match;
  return [{ path, id, bytes: Number(bytes) || 0 }];
}

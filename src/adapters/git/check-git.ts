import { execa } from 'execa';
import { RepositoryError } from '../../core/model/errors.ts';

/** The first version with `merge-tree --write-tree` and the safe defaults that Ratchet needs. */
const OLDEST = [2, 38] as const;
const TIMEOUT_MS = 10_000;

/**
 * Returns the version of the git found on `path` (the value of PATH).
 * @throws RepositoryError (`GIT_FAILED`, never retried) if git is missing or too old.
 */
export async function checkGit(path: string): Promise<string> {
  const options = { env: { PATH: path }, extendEnv: false, reject: false, timeout: TIMEOUT_MS } as const;
  const result = await execa('git', ['--version'], options);
  const version = /^git version (\d+)\.(\d+)[^\s]*/.exec(result.stdout);
  if (version === null)
    throw new RepositoryError('GIT_FAILED', 'git is required and was not found on the PATH', { retry: 'never' });
  const found = version[0].slice('git version '.length);
  const major = Number(version[1]);
  const minor = Number(version[2]);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new RepositoryError('GIT_FAILED', `git ${OLDEST.join('.')} or later is required; this is ${found}`, {
      retry: 'never',
    });
  }
  return found;
}

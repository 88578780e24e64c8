import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';

const REMOVE_TIMEOUT_MS = 5 * 60_000;

const OPTIONS = {
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
  extendEnv: false,
  reject: false,
  stdio: 'ignore',
  timeout: REMOVE_TIMEOUT_MS,
  killDescendants: true,
} as const;

/**
 * Removes a folder tree, whatever an agent did to it. Not by `fs.rm`: it takes 2 KiB of our own memory for every file of a
 * folder, so that two million of them end the service, at each start anew; and a folder without permissions and a path longer
 * than the system's limit stop it (threat T28). Neither stops `chmod -R` and `rm -rf`. Returns whether it is gone; never throws.
 */
export async function removeFolder(folder: string): Promise<boolean> {
  if (await removeByProgram(folder)) return true;
  // -R does not follow links that it meets on its way.
  await execa('chmod', ['-R', 'u+rwx', '--', folder], OPTIONS);
  return removeByProgram(folder);
}

async function removeByProgram(folder: string): Promise<boolean> {
  const removal = await execa('rm', ['-rf', '--', folder], OPTIONS);
  return removal.exitCode === 0;
}

/**
 * Moves `folder` below `trash` at once, so that its place is free, and removes it there. What cannot be removed stays in the
 * trash (quarantine) for `emptyTrash`. Returns whether it is gone; a missing folder is.
 */
export async function discardFolder(folder: string, trash: string, id: string): Promise<boolean> {
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const grave = join(trash, `${basename(folder)}.${id}`);
  try {
    await rename(folder, grave);
  } catch (error) {
    if (isMissing(error)) return true;
    return removeFolder(folder);
  }
  return removeFolder(grave);
}

/** Tries again to remove everything in the trash; returns the names that are still there. */
export async function emptyTrash(trash: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const name of await readNames(trash)) {
    if (!(await removeFolder(join(trash, name)))) left.push(name);
  }
  return left;
}

/** Names in a folder; none when the folder is missing. */
export async function readNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new Error(`cannot read the folder ${basename(dirname(folder))}/${basename(folder)}`, { cause: error });
  }
}

/** Whether a file system error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

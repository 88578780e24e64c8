import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const LOCKFILE = 'package-lock.json';
/** Copy of the lockfile that was installed to the end; without it an install that was cut short would look whole. */
const DONE = 'installed-lock.json';
const INSTALL_TIMEOUT_MS = 600_000;

/** Installs the packages that the folder `pinned` pins into the folder `installed`. What is up to date is left alone. */
export async function installPinned(pinned: string, installed: string): Promise<void> {
  const wanted = await readFile(join(pinned, LOCKFILE), 'utf8');
  if (wanted === (await readFile(join(installed, DONE), 'utf8').catch(() => null))) return;
  console.error(`installing the packages of ${pinned} into ${installed}`);
  await mkdir(installed, { recursive: true });
  for (const file of ['package.json', LOCKFILE]) await copyFile(join(pinned, file), join(installed, file));
  // No install scripts: none of these packages needs one, and they are other people's code.
  // Not `npm ci`: it refuses a lockfile without the programs for other systems, which not every registry serves. Versions and
  // hashes are those of the lockfile all the same.
  await execa('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: installed,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
    killDescendants: true,
  });
  await writeFile(join(installed, DONE), wanted);
}

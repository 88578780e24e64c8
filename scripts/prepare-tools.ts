/**
 * Makes sure that what `npm run test:tools` needs is there: the tools of npm that it runs for real and the projects of others that
 * it checks, as `test/tools/npm` and `test/tools/third-party` pin them, in folders of those names below `.cache/tools`, and the
 * tools of Debian. What is up to date is left alone. Usage: `node scripts/prepare-tools.ts`.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { installDebianTools } from './tools/install-debian.ts';

const ROOT = join(import.meta.dirname, '..');
const PINNED = ['npm', 'third-party'] as const;
const LOCKFILE = 'package-lock.json';
/** Copy of the lockfile that was installed to the end; without it an install that was cut short would look whole. */
const DONE = 'installed-lock.json';
const INSTALL_TIMEOUT_MS = 600_000;

async function installPinned(name: (typeof PINNED)[number]): Promise<void> {
  const pinned = join(ROOT, 'test/tools', name);
  const installed = join(ROOT, '.cache/tools', name);
  const wanted = await readFile(join(pinned, LOCKFILE), 'utf8');
  if (wanted === (await readFile(join(installed, DONE), 'utf8').catch(() => null))) return;
  console.error(`installing the packages of test/tools/${name} into .cache/tools/${name}`);
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

for (const name of PINNED) await installPinned(name);
await installDebianTools();

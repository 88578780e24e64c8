import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = 'playwright-core';
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * Copies Playwright to where Node looks for the packages of a program in `folder`: a place sees nothing of this installation. Idempotent
 * and safe to run concurrently.
 */
export async function preparePlaywright(folder: string): Promise<void> {
  const source = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  const target = join(folder, 'node_modules', PACKAGE);
  const wanted = await readManifest(source);
  const isPrepared = async (): Promise<boolean> => wanted !== null && (await readManifest(target)) === wanted;
  if (await isPrepared()) return;
  const draft = `${target}.${randomBytes(9).toString('hex')}`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await chmod(dirname(target), FOLDER_MODE);
    await cp(source, draft, { recursive: true });
    await open(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } catch (error) {
    // Another process was faster.
    if (!(await isPrepared())) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function readManifest(folder: string): Promise<string | null> {
  return readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
}

/** The users of sandboxes must be able to read it, whatever the umask was when it was installed. */
async function open(folder: string): Promise<void> {
  await chmod(folder, FOLDER_MODE);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? FOLDER_MODE : FILE_MODE);
  }
}

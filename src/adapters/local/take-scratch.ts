import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';

/** A temporary folder for one run. */
export interface Scratch {
  readonly folder: string;
  readonly release: () => Promise<void>;
}

/** Maximum number of concurrent runs on one checkout. */
const MAX_FOLDERS = 32;
const OWNER_FILE = 'owner';
const NAMELESS_MS = 10_000;

/**
 * Takes the first free numbered folder below `parent`, emptied. Successive runs get the same folder, so that paths in
 * their output are equal; concurrent runs get different ones. A folder whose process died is reused.
 */
export async function takeScratch(parent: string, own: { readonly pid: number }): Promise<Scratch> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (let number = 0; number < MAX_FOLDERS; number += 1) {
    const folder = join(parent, String(number));
    if (await claim(folder, own.pid)) {
      return { folder, release: () => rm(folder, { recursive: true, force: true }) };
    }
  }
  throw new RangeError(`${parent}: ${String(MAX_FOLDERS)} runs are at work on this checkout already`);
}

async function claim(folder: string, pid: number): Promise<boolean> {
  if (await make(folder, pid)) return true;
  const owner = Number((await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => '')).trim());
  if (owner > 0 ? isAlive(owner) : await isYoung(folder)) return false;
  await rm(folder, { recursive: true, force: true });
  return make(folder, pid);
}

/** Creates the folder, which claims it. False if it exists. */
async function make(folder: string, pid: number): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  await writeFile(join(folder, OWNER_FILE), String(pid));
  return true;
}

/** Whether the folder is so new that its creator may not have written the owner file yet. */
async function isYoung(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < NAMELESS_MS;
}

function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

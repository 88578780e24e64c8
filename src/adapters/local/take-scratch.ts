import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';

/** A folder for one run. */
export interface Scratch {
  readonly folder: string;
  readonly release: () => Promise<void>;
}

/** More runs than that at one time on one checkout are refused. */
const MAX_FOLDERS = 32;
const OWNER_FILE = 'owner';
const NAMELESS_MS = 10_000;

/**
 * The first free numbered folder below `parent`, empty: runs one after the other get the same, so that paths in what they tell
 * do not differ; runs at the same time get one each. One whose process is gone is taken over.
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

/** Whoever makes the folder has it. */
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

/** Whoever made it a moment ago is about to write its name. */
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

import { stat, statfs } from 'node:fs/promises';
import {
  type DiskAccount,
  type DiskReading,
  estimateUsage,
  isOver,
  openDiskAccount,
  settleMeasurement,
  toCurrentQuota,
} from './disk-account.ts';
import { type DiskUsage, measureFolders } from './measure-folders.ts';

/** Looks at the disk usage of one command. */
export interface DiskWatch {
  /** Whether the command is over its quota. `pids` are its processes. */
  readonly isExceeded: (pids: readonly number[]) => Promise<boolean>;
  /** The last look, after the command has ended. Measures only if the disk has lost enough for it. */
  readonly isExceededAtEnd: () => Promise<boolean>;
}

/** Memory-backed folders of a sandbox. Their bytes are limited by their size, their entries only by memory. */
const MEMORY_FOLDERS = ['tmp', 'dev/shm'] as const;
const MAX_MEMORY_ENTRIES = 100_000;

export interface DiskWatchOptions {
  readonly perl: string;
  /** Folders that the command can write to, on one file system. */
  readonly folders: readonly string[];
  readonly quota: DiskUsage;
}

/**
 * Creates the watch. A look costs one system call: the folders are measured when the disk has lost so much that the command
 * could be over its quota, and from time to time, because others may have freed as much as it wrote.
 */
export async function createDiskWatch({ perl, folders, quota }: DiskWatchOptions): Promise<DiskWatch> {
  const [folder] = folders;
  const maxInMemory = Math.min(MAX_MEMORY_ENTRIES, quota.entries);
  if (folder === undefined) {
    return {
      isExceeded: (pids) => hasMoreInMemory(pids, maxInMemory),
      isExceededAtEnd: () => Promise.resolve(false),
    };
  }
  let account: DiskAccount = openDiskAccount(await readDisk(folder), performance.now());
  const look = async (pids: readonly number[], isTimed: boolean): Promise<boolean> => {
    const began = { at: performance.now(), reading: await readDisk(folder) };
    const current = toCurrentQuota(quota, began.reading);
    const isDue = isTimed && began.at >= account.nextAt;
    if (!isDue && !isOver(estimateUsage(account, began.reading), current)) return false;
    const measurement = await measureFolders({ perl, folders, pids, max: current });
    // Without a measurement, the estimate counts.
    const found = measurement ?? { bytes: 0, entries: 0, isComplete: false };
    account = settleMeasurement(account, found, began, performance.now());
    return isOver(account.usage, current);
  };
  return {
    isExceeded: async (pids) => (await look(pids, true)) || hasMoreInMemory(pids, maxInMemory),
    isExceededAtEnd: () => look([], false),
  };
}

async function readDisk(folder: string): Promise<DiskReading> {
  const { bsize, bfree, blocks, ffree } = await statfs(folder);
  return { freeBytes: bfree * bsize, totalBytes: blocks * bsize, freeEntries: ffree };
}

/** Looks through the root of any process of the sandbox: all have the same. */
async function hasMoreInMemory(pids: readonly number[], maxEntries: number): Promise<boolean> {
  for (const pid of pids) {
    try {
      const counts = await Promise.all(MEMORY_FOLDERS.map((name) => countEntries(pid, name)));
      return counts.some((entries) => entries > maxEntries);
    } catch {
      // It has ended, or is not ours to look into: another one tells.
    }
  }
  return false;
}

/** A process whose sandbox is still being set up sees the folder of the machine, with all that others have there. */
async function countEntries(pid: number, name: string): Promise<number> {
  const folder = `/proc/${String(pid)}/root/${name}`;
  const [ofMachine, ofProcess] = await Promise.all([stat(`/${name}`), stat(folder)]);
  if (ofMachine.dev === ofProcess.dev) return 0;
  const { files, ffree } = await statfs(folder);
  return files - ffree;
}

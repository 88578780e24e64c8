import { readFile } from 'node:fs/promises';
import type { ExceededLimit } from '../../../core/model/command-end.ts';
import { type ProcessStatus } from '../processes.ts';
import { readFamily } from '../read-family.ts';
import { createDiskWatch, type DiskWatchOptions } from './watch-disk.ts';

/** What one command may use at most. */
export interface WatchedLimits {
  /** null: the kernel limits the memory itself. */
  readonly maxMemoryBytes: number | null;
  /** Processes and threads. */
  readonly maxProcesses: number;
}

export interface WatchOptions extends DiskWatchOptions {
  readonly limits: WatchedLimits;
  /** Host pid of the first process of the sandbox; null before it exists. */
  readonly firstPid: () => number | null;
}

/** Watches one command from before its start. */
export interface LimitWatch {
  /** Begins to look. Calls `stop` at most once. */
  readonly start: (stop: (why: ExceededLimit) => void) => void;
  /** Ends with the command. The limit that it exceeded, even if it ended by itself before anyone looked. */
  readonly finish: () => Promise<ExceededLimit | null>;
}

const LOOK_MS = 250;
/** The kernel allows more processes than the limit: where it refuses one, some programs wait and others end without a reason. */
export const KERNEL_PROCESS_FACTOR = 2;
/** A short peak above the limit is no bomb. A command that has nearly all that the kernel allows is one. */
const LOOKS_ABOVE_LIMIT = 2;
const NEARLY_ALL = 7 / 8;

/** Creates the watch for what no limit of the kernel ends with a reason. */
export async function createLimitWatch(options: WatchOptions): Promise<LimitWatch> {
  const disk = await createDiskWatch(options);
  const { limits, firstPid } = options;
  let looksAbove = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<ExceededLimit | null> = Promise.resolve(null);
  let isOver = false;
  const look = async (): Promise<ExceededLimit | null> => {
    const processes = await readFamily(firstPid());
    const tasks = countTasks(processes);
    looksAbove = tasks > limits.maxProcesses ? looksAbove + 1 : 0;
    if (await takesTooMuchMemory(processes, limits.maxMemoryBytes)) return 'memory_limit';
    if (looksAbove >= LOOKS_ABOVE_LIMIT || tasks > limits.maxProcesses * KERNEL_PROCESS_FACTOR * NEARLY_ALL) {
      return 'process_limit';
    }
    return (await disk.isExceeded(processes.map(({ pid }) => pid))) ? 'disk_quota' : null;
  };
  const lookAgain = (stop: (why: ExceededLimit) => void): void => {
    if (isOver) return;
    timer = setTimeout(() => {
      looking = look();
      void looking.then(
        (why) => (why === null ? lookAgain(stop) : stop(why)),
        () => lookAgain(stop),
      );
    }, LOOK_MS);
  };
  return {
    start: lookAgain,
    finish: async () => {
      isOver = true;
      clearTimeout(timer);
      const found = await looking.catch(() => null);
      return found ?? ((await disk.isExceededAtEnd()) ? 'disk_quota' : null);
    },
  };
}

function countTasks(processes: readonly ProcessStatus[]): number {
  return processes.reduce((sum, { threads }) => sum + Math.max(threads, 0), 0);
}

/** Counts shared memory once where it matters, which costs the kernel more. */
async function takesTooMuchMemory(processes: readonly ProcessStatus[], maxBytes: number | null): Promise<boolean> {
  if (maxBytes === null) return false;
  if (processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) <= maxBytes) return false;
  const shares = await Promise.all(processes.map(readShareOfMemory));
  return shares.reduce((sum, bytes) => sum + bytes, 0) > maxBytes;
}

async function readShareOfMemory({ pid, memoryBytes }: ProcessStatus): Promise<number> {
  try {
    const text = await readFile(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
    const parts = [...text.matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+) kB/gm)];
    return parts.reduce((sum, [, kib]) => sum + 1024 * Number(kib), 0);
  } catch {
    return memoryBytes;
  }
}

import { readdir, readFile, readlink } from 'node:fs/promises';
import { kill } from 'node:process';

/** A host process as shown by `/proc`. */
export interface ProcessStatus {
  readonly pid: number;
  readonly parentPid: number;
  readonly uid: number;
  readonly threads: number;
  readonly isZombie: boolean;
  /** Resident memory that no file backs. Shared memory counts in each process that has it. */
  readonly memoryBytes: number;
}

const PID = /^[1-9]\d*$/;

/** All visible processes; none on a system without `/proc`. */
export async function readProcesses(): Promise<readonly ProcessStatus[]> {
  const found = await Promise.all((await readPids()).map(readStatus));
  return found.filter((status) => status !== null);
}

/** The status of one process; null when it is gone. */
export async function readStatus(pid: number): Promise<ProcessStatus | null> {
  const text = await readText(`/proc/${String(pid)}/status`);
  if (text === null) return null;
  return {
    pid,
    parentPid: toNumber(/^PPid:\s+(\d+)/m.exec(text)),
    uid: toNumber(/^Uid:\s+(\d+)/m.exec(text)),
    threads: toNumber(/^Threads:\s+(\d+)/m.exec(text)),
    isZombie: /^State:\s+[ZX]/m.test(text),
    memoryBytes: 1024 * (toCount(/^RssAnon:\s+(\d+) kB/m.exec(text)) + toCount(/^RssShmem:\s+(\d+) kB/m.exec(text))),
  };
}

/** Pids of the live processes that run as `uid`. */
export async function findByUid(uid: number): Promise<readonly number[]> {
  return (await readProcesses()).filter((status) => status.uid === uid && !status.isZombie).map(({ pid }) => pid);
}

/**
 * Pids of the live processes in a pid namespace, given in the form of its link: `pid:[4026532181]`. Ignores zombies,
 * which a slow init has not reaped yet.
 */
export async function findByPidNamespace(namespace: string): Promise<readonly number[]> {
  const pids = await readPids();
  const found = await Promise.all(
    pids.map(async (pid) => {
      if ((await readLink(`/proc/${String(pid)}/ns/pid`)) !== namespace) return null;
      return (await readStatus(pid))?.isZombie === false ? pid : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

/** Pids of the live processes whose initial environment contained `entry` (`NAME=value`). */
export async function findByEnvironment(entry: string): Promise<readonly number[]> {
  const pids = await readPids();
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readText(`/proc/${String(pid)}/environ`);
      return text?.split('\0').includes(entry) === true ? pid : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

/** Pids of the direct children of a process. */
export async function findChildren(parentPid: number): Promise<readonly number[]> {
  return (await readProcesses()).filter((status) => status.parentPid === parentPid).map(({ pid }) => pid);
}

/** Sends `signal` to a process, or to a process group if `pid` is negative. Returns whether it was sent. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills the processes that `find` returns until there are none, for at most `deadlineMs`: a killed process stays
 * visible until it is reaped. Returns how many are left.
 */
export async function killAll(find: () => Promise<readonly number[]>, deadlineMs: number): Promise<number> {
  const until = performance.now() + deadlineMs;
  for (;;) {
    const pids = await find();
    if (pids.length === 0 || performance.now() > until) return pids.length;
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function readPids(): Promise<readonly number[]> {
  try {
    return (await readdir('/proc')).filter((name) => PID.test(name)).map(Number);
  } catch {
    return [];
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}

async function readLink(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch {
    return null;
  }
}

function toNumber(match: RegExpExecArray | null): number {
  return Number(match?.[1] ?? -1);
}

/** A zombie has no memory, and no such line. */
function toCount(match: RegExpExecArray | null): number {
  return Number(match?.[1] ?? 0);
}

import { readdir, readFile } from 'node:fs/promises';
import { type ProcessStatus, readProcesses, readStatus } from './processes.ts';

/**
 * The first process of a sandbox, which inherits each daemon of it, and all below. Costs only as much as the sandbox has
 * processes, not the machine. null: no process yet.
 */
export async function readFamily(firstPid: number | null): Promise<readonly ProcessStatus[]> {
  if (firstPid === null) return [];
  // A kernel may be built without these lists.
  if ((await readChildren(firstPid, firstPid)) === null) return findFamily(await readProcesses(), firstPid);
  const found: ProcessStatus[] = [];
  for (let pids: readonly number[] = [firstPid]; pids.length > 0; ) {
    const generation = (await Promise.all(pids.map(readStatus))).filter((status) => status !== null);
    found.push(...generation);
    pids = (await Promise.all(generation.map(readChildrenOfAllThreads))).flat();
  }
  return found;
}

/** See `readFamily`. */
export function findFamily(processes: readonly ProcessStatus[], firstPid: number): readonly ProcessStatus[] {
  const children = Map.groupBy(processes, ({ parentPid }) => parentPid);
  const found = processes.filter(({ pid }) => pid === firstPid);
  for (const { pid } of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** A child belongs to the thread that made it. */
async function readChildrenOfAllThreads({ pid, threads }: ProcessStatus): Promise<readonly number[]> {
  const tids = threads > 1 ? (await readdir(`/proc/${String(pid)}/task`).catch(() => [])).map(Number) : [pid];
  return (await Promise.all(tids.map((tid) => readChildren(pid, tid)))).flatMap((children) => children ?? []);
}

/** null: it has ended, or the kernel has no such list. */
async function readChildren(pid: number, tid: number): Promise<readonly number[] | null> {
  try {
    const text = await readFile(`/proc/${String(pid)}/task/${String(tid)}/children`, 'utf8');
    return text
      .split(' ')
      .filter((word) => word !== '')
      .map(Number);
  } catch {
    return null;
  }
}

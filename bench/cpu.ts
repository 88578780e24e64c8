import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** CPU time of the machine and of our own processes, in clock ticks, at one point in time. */
interface CpuReading {
  readonly atMs: number;
  readonly busyTicks: number;
  readonly ownTicks: number;
}

/** Linux reports hundredths of a second to every program, independent of the kernel's tick (`man 5 proc`). */
const TICKS_PER_SECOND = 100;
const USER_TICK_US = 1_000_000 / TICKS_PER_SECOND;

/**
 * Starts to watch the machine. The returned function gives the share (0 to 1, over all cores) of CPU time used by
 * others since then: by processes that we did not start and by the hypervisor.
 */
export function watchForeignCpu(): () => number {
  const before = readCpu();
  return () => {
    const after = readCpu();
    const seconds = Math.max(after.atMs - before.atMs, 1) / 1000;
    const foreignTicks = after.busyTicks - before.busyTicks - (after.ownTicks - before.ownTicks);
    return Math.max(0, foreignTicks) / (seconds * TICKS_PER_SECOND * availableParallelism());
  };
}

/**
 * User and system time of this process and of the children that it has waited for, including theirs, in microseconds.
 */
export function readOwnCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system + readStat('self').waitedTicks * USER_TICK_US;
}

function readCpu(): CpuReading {
  return { atMs: performance.now(), busyTicks: readBusyTicks(), ownTicks: readTreeTicks(process.pid) };
}

/** User, nice, system and stolen time. Without interrupts: those of our own loopback traffic cannot be attributed. */
function readBusyTicks(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return user + nice + system + steal;
}

interface ProcessStat {
  readonly parent: number;
  readonly ownTicks: number;
  readonly waitedTicks: number;
}

/** Time of `root`, its living descendants, and dead ones that were waited for. */
function readTreeTicks(root: number): number {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) stats.set(Number(name), readStat(name));
  }
  let total = 0;
  for (const [pid, stat] of stats) {
    if (isBelow(stats, pid, root)) total += stat.ownTicks + stat.waitedTicks;
  }
  return total;
}

function isBelow(stats: ReadonlyMap<number, ProcessStat>, pid: number, root: number): boolean {
  for (let at = pid; at > 1; at = stats.get(at)?.parent ?? 0) {
    if (at === root) return true;
  }
  return false;
}

function readStat(pid: string): ProcessStat {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain anything. After the last bracket there are numbers, from field 3 on.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(11);
    return { parent, ownTicks: user + system, waitedTicks: waitedUser + waitedSystem };
  } catch {
    return { parent: 0, ownTicks: 0, waitedTicks: 0 };
  }
}

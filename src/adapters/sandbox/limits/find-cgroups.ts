import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid as ownPid } from 'node:process';
import type { ExceededLimit } from '../../../core/model/command-end.ts';
import { toError } from '../../../core/model/errors.ts';
import { type ProcessStatus, readProcesses } from '../processes.ts';

/** The cgroup of one command. */
export interface Cgroup {
  /** The file that a process enters the cgroup by. */
  readonly procs: string;
  /** The limit that the kernel ended a process for. */
  readonly findExceeded: () => Promise<ExceededLimit | null>;
  /** Kills what is left in it and removes it. */
  readonly remove: () => Promise<void>;
}

export interface CgroupLimits {
  readonly maxMemoryBytes: number;
  readonly maxProcesses: number;
}

/** Whether commands get a cgroup (v2) each. `none`: in one line why not. */
export type Cgroups =
  | { readonly kind: 'delegated'; readonly create: (id: string, limits: CgroupLimits) => Promise<Cgroup> }
  | { readonly kind: 'none'; readonly why: string };

export interface CgroupOptions {
  /** Where cgroup v2 is mounted. */
  readonly mountPoint?: string;
  /** `/proc/self/cgroup` */
  readonly ownCgroup?: string;
  readonly processes?: () => Promise<readonly ProcessStatus[]>;
  readonly removeFolder?: (folder: string) => Promise<void>;
}

const SERVICE = 'ratchet-service';
const RUN_PREFIX = 'ratchet-run-';
const NEEDED = ['memory', 'pids'] as const;
/** The default is 100. */
const CPU_WEIGHT = 50;
const CPU_PERIOD = 100_000;
const REMOVE_MS = 2000;

/**
 * Prepares the cgroup that the service was given (systemd: `Delegate=yes`; a container: a writable cgroup of its own). Only a
 * cgroup without processes can share out its controllers, so the service and its family move into one below it. Where others
 * run in the same cgroup, nothing is touched.
 */
export async function findCgroups(options: CgroupOptions = {}): Promise<Cgroups> {
  const { processes = readProcesses, removeFolder = rmdir } = options;
  const found = await findOwnCgroup(options);
  if (typeof found === 'string') return none(found);
  const { base, controllers } = found;
  const pids = (await readText(join(base, 'cgroup.procs')))
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
  const family = findFamily(await processes());
  if (pids.some((pid) => !family.has(pid))) return none('other programs run in the cgroup of the service');
  try {
    await mkdir(join(base, SERVICE), { recursive: true });
    for (const pid of pids) await writeFile(join(base, SERVICE, 'cgroup.procs'), String(pid));
    await writeFile(join(base, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '));
    const left = (await readdir(base)).filter((name) => name.startsWith(RUN_PREFIX));
    await Promise.all(left.map((name) => remove(join(base, name), removeFolder)));
  } catch (error) {
    return none(`the cgroup of the service cannot be divided (${toError(error).message})`);
  }
  const hasCpu = controllers.includes('cpu');
  return {
    kind: 'delegated',
    create: (id, limits) => create(join(base, `${RUN_PREFIX}${id}`), { ...limits, hasCpu }, removeFolder),
  };
}

/**
 * Whether a service that is started like this process gets cgroups for its commands. Only looks: `findCgroups` would end the
 * commands of a service that runs in the same cgroup.
 */
export async function lookForCgroups(options: CgroupOptions = {}): Promise<Cgroups> {
  const found = await findOwnCgroup(options);
  return none(typeof found === 'string' ? found : 'a service here uses cgroup v2; this look leaves it alone');
}

/** The cgroup that the service was given, and those of its controllers that are used here; or why there is none. */
async function findOwnCgroup({
  mountPoint = '/sys/fs/cgroup',
  ownCgroup = '/proc/self/cgroup',
}: CgroupOptions): Promise<{ readonly base: string; readonly controllers: readonly string[] } | string> {
  const [, path] = /^0::(\/.*)$/m.exec(await readText(ownCgroup)) ?? [];
  if (path === undefined) return 'the machine has no cgroup v2';
  // Root may write there, but systemd has not delegated it.
  if (path.endsWith('.scope')) return 'the service was started from a session, not as a unit of its own';
  const own = join(mountPoint, path);
  const base = basename(own) === SERVICE ? dirname(own) : own;
  const available = (await readText(join(base, 'cgroup.controllers'))).trim().split(' ');
  const missing = NEEDED.filter((name) => !available.includes(name));
  if (missing.length > 0) return `cgroup v2 has no controller for ${missing.join(' and ')} here`;
  try {
    for (const name of ['.', 'cgroup.procs', 'cgroup.subtree_control']) await access(join(base, name), constants.W_OK);
  } catch {
    return 'the cgroup of the service is not delegated to it';
  }
  const used: readonly string[] = ['cpu', ...NEEDED];
  return { base, controllers: available.filter((name) => used.includes(name)) };
}

function none(why: string): Cgroups {
  return { kind: 'none', why };
}

/** The service, its ancestors and its descendants. */
function findFamily(processes: readonly ProcessStatus[]): ReadonlySet<number> {
  const parents = new Map(processes.map(({ pid, parentPid }) => [pid, parentPid]));
  const toAncestors = (pid: number): readonly number[] => {
    const line: number[] = [];
    for (
      let next: number | undefined = pid;
      next !== undefined && next > 0 && !line.includes(next);
      next = parents.get(next)
    ) {
      line.push(next);
    }
    return line;
  };
  const descendants = processes.map(({ pid }) => pid).filter((pid) => toAncestors(pid).includes(ownPid));
  return new Set([...toAncestors(ownPid), ...descendants]);
}

async function create(
  folder: string,
  { maxMemoryBytes, maxProcesses, hasCpu }: CgroupLimits & { readonly hasCpu: boolean },
  removeFolder: (folder: string) => Promise<void>,
): Promise<Cgroup> {
  await mkdir(folder);
  const settings: readonly (readonly [string, string])[] = [
    ['pids.max', String(maxProcesses)],
    ['memory.max', String(maxMemoryBytes)],
    ['memory.oom.group', '1'],
    ...(hasCpu
      ? ([
          ['cpu.weight', String(CPU_WEIGHT)],
          // A quarter of one processor stays free for the service.
          ['cpu.max', `${String(Math.round((availableParallelism() - 0.25) * CPU_PERIOD))} ${String(CPU_PERIOD)}`],
        ] as const)
      : []),
  ];
  for (const [name, value] of settings) await writeFile(join(folder, name), value);
  // Only on a machine with swap.
  await writeFile(join(folder, 'memory.swap.max'), '0').catch(() => undefined);
  return {
    procs: join(folder, 'cgroup.procs'),
    findExceeded: async () => {
      const events = await readText(join(folder, 'memory.events'));
      return /^oom_(?:group_)?kill [1-9]/m.test(events) ? 'memory_limit' : null;
    },
    remove: () => remove(folder, removeFolder),
  };
}

/** A killed process keeps its cgroup for a moment. What is left is removed at the next start. */
async function remove(folder: string, removeFolder: (folder: string) => Promise<void>): Promise<void> {
  await writeFile(join(folder, 'cgroup.kill'), '1').catch(() => undefined);
  const until = performance.now() + REMOVE_MS;
  for (;;) {
    try {
      await removeFolder(folder);
      return;
    } catch {
      if (performance.now() > until) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Empty if it cannot be read. */
async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

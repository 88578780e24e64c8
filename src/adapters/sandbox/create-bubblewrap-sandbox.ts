import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory, arch as ownArch } from 'node:process';
import { InvariantError } from '../../core/model/errors.ts';
import type { NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import { giveToSlot } from './give-to-slot.ts';
import { type Cgroups, findCgroups } from './limits/find-cgroups.ts';
import { probeSandbox } from './probe-sandbox.ts';
import { type BubblewrapSettings, countMemoryKills, runInBubblewrap } from './run-in-bubblewrap.ts';
import { createSlotPool } from './slot-pool.ts';
import type { SandboxLimits, SandboxPrograms } from './to-bwrap-argv.ts';

/** Options of `createBubblewrapSandbox`. */
export interface BubblewrapOptions {
  /** Number of sandboxes that may run at once. */
  readonly slots: number;
  /**
   * uid of the first slot. The other slots use the following uids, and the probe one more. Nothing else on the machine
   * may use these uids, not even a second service: after a command, every process of its slot's uid is killed. Ignored
   * unless `isRoot`.
   */
  readonly uidBase: number;
  /** Group of all slots. Ignored unless `isRoot`. */
  readonly gid: number;
  /** Whether the service runs as root, so that commands switch to the slot's uid. */
  readonly isRoot: boolean;
  /** See `prepareToolsDir`. */
  readonly toolsDir: string;
  /** The service's data folder. The probe checks that it is invisible. */
  readonly dataDir: string;
  readonly log: Log;
  readonly newId: NewId;
  /** The processor as Node names it, if not this machine's. */
  readonly arch?: string;
  readonly programs?: SandboxPrograms;
  /** Instead of the defaults. */
  readonly limits?: Partial<SandboxLimits>;
  /** Called once. */
  readonly cgroups?: () => Promise<Cgroups>;
  readonly countMemoryKills?: () => Promise<number>;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}

export const DEFAULT_PROGRAMS: SandboxPrograms = {
  bwrap: '/usr/bin/bwrap',
  prlimit: '/usr/bin/prlimit',
  setpriv: '/usr/bin/setpriv',
  perl: '/usr/bin/perl',
};
const GIBIBYTE = 1024 ** 3;
export const DEFAULT_LIMITS: SandboxLimits = {
  maxOpenFiles: 4096,
  // Test runners start one Node for each processor, with a dozen threads.
  maxProcesses: Math.max(512, 32 * availableParallelism()),
  maxFileBytes: 256 * 1024 ** 2,
  maxTmpBytes: 64 * 1024 ** 2,
  maxMemoryBytes: Math.min(8 * GIBIBYTE, toMachineMemory() / 2),
  maxDiskBytes: 8 * GIBIBYTE,
  maxDiskEntries: 500_000,
};
const DEFAULT_GRACE_MS = 5000;
/** Lower uids belong to users of the machine, whose processes must not be killed. */
const MIN_SLOT_UID = 1000;

/** Creates the Linux sandbox: bubblewrap, and setpriv to a uid per slot if the service runs as root. Fails closed. */
export function createBubblewrapSandbox(options: BubblewrapOptions): Sandbox {
  if (options.isRoot && options.uidBase < MIN_SLOT_UID) {
    throw new InvariantError(`slot uids start at ${MIN_SLOT_UID} or above: everything that runs as one is killed`);
  }
  const { acquire, release } = createSlotPool(toSlots(options));
  // The probe has its own uid, so that it meets no processes of a session. A pool of one runs one probe at a time.
  const probeSlots = createSlotPool([toSlot(options, options.slots)]);
  const settings = toSettings(options);
  const run: Sandbox['run'] = (command, signal) => runInBubblewrap(settings, command, signal);
  return {
    toolsDir: options.toolsDir,
    run,
    acquireSlot: acquire,
    releaseSlot: release,
    giveToSlot,
    probe: async (signal) => {
      const slot = await probeSlots.acquire(signal);
      try {
        const found = await probeSandbox(run, { ...options, ...settings, slot, id: options.newId() }, signal);
        return found.kind === 'ok'
          ? { ...found, profile: `${found.profile}, ${await describeLimits(settings)}` }
          : found;
      } finally {
        probeSlots.release(slot);
      }
    },
  };
}

function toSettings(options: BubblewrapOptions): BubblewrapSettings {
  const { arch = ownArch, cgroups = findCgroups, graceMs = DEFAULT_GRACE_MS, programs = DEFAULT_PROGRAMS } = options;
  const own = { countMemoryKills, ...options };
  let found: Promise<Cgroups> | null = null;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return { ...own, arch, graceMs, programs, limits, cgroups: () => (found ??= cgroups()) };
}

/** What limits memory and processes on this machine. */
async function describeLimits({ cgroups, limits }: BubblewrapSettings): Promise<string> {
  const found = await cgroups();
  const size = `${String(Math.round(limits.maxMemoryBytes / 1024 ** 2))} MiB of memory`;
  return found.kind === 'delegated' ? `${size} by cgroup v2` : `${size} by a watcher (${found.why})`;
}

/** What the machine has, or the container that the service runs in. */
function toMachineMemory(): number {
  const constrained = constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

function toSlots(options: BubblewrapOptions): readonly SandboxSlot[] {
  return Array.from({ length: options.slots }, (_, index) => toSlot(options, index));
}

function toSlot(options: BubblewrapOptions, index: number): SandboxSlot {
  if (!options.isRoot) return { index, uid: null, gid: null };
  return { index, uid: options.uidBase + index, gid: options.gid };
}

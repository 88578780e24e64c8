import type { ChildProcess } from 'node:child_process';
import { arch as ownArch, pid as ownPid } from 'node:process';
import { InvariantError } from '../../core/model/errors.ts';
import type { NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Sandbox, SandboxCommand, SandboxOutcome, SandboxSlot } from '../../ports/sandbox.ts';
import { type BwrapStatus, createBwrapStatus } from './bwrap-status.ts';
import { findMountProblem } from './check-mounts.ts';
import { giveToSlot } from './give-to-slot.ts';
import { probeSandbox } from './probe-sandbox.ts';
import {
  findByPidNamespace,
  findByUid,
  findChildren,
  killAll,
  readProcesses,
  readStatus,
  signalProcess,
} from './processes.ts';
import { type CappedOutcome, FIRST_REPORT_FD, runCapped } from './run-capped.ts';
import { findArchitecture, toSeccompFilter } from './seccomp/to-seccomp-filter.ts';
import { createSlotPool } from './slot-pool.ts';
import {
  type SandboxLimits,
  type SandboxPrograms,
  toBwrapArgv,
  toEnvironmentOptions,
  toRelayMounts,
} from './to-bwrap-argv.ts';

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
  readonly limits?: SandboxLimits;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
}

export const DEFAULT_PROGRAMS: SandboxPrograms = {
  bwrap: '/usr/bin/bwrap',
  prlimit: '/usr/bin/prlimit',
  setpriv: '/usr/bin/setpriv',
  perl: '/usr/bin/perl',
};
export const DEFAULT_LIMITS: SandboxLimits = {
  maxOpenFiles: 4096,
  maxProcesses: 256,
  maxFileBytes: 256 * 1024 ** 2,
  maxTmpBytes: 64 * 1024 ** 2,
};
const DEFAULT_GRACE_MS = 5000;
/** The kernel takes a moment to remove a pid namespace. */
const BURIAL_MS = 2000;
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
  const run: Sandbox['run'] = (command, signal) => runInBubblewrap(options, command, signal);
  return {
    toolsDir: options.toolsDir,
    run,
    acquireSlot: acquire,
    releaseSlot: release,
    giveToSlot,
    probe: async (signal) => {
      const slot = await probeSlots.acquire(signal);
      try {
        const { arch = ownArch, limits = DEFAULT_LIMITS, programs = DEFAULT_PROGRAMS } = options;
        const { perl } = programs;
        return await probeSandbox(run, { ...options, perl, arch, limits, slot, id: options.newId() }, signal);
      } finally {
        probeSlots.release(slot);
      }
    },
  };
}

function toSlots(options: BubblewrapOptions): readonly SandboxSlot[] {
  return Array.from({ length: options.slots }, (_, index) => toSlot(options, index));
}

function toSlot(options: BubblewrapOptions, index: number): SandboxSlot {
  if (!options.isRoot) return { index, uid: null, gid: null };
  return { index, uid: options.uidBase + index, gid: options.gid };
}

async function runInBubblewrap(
  options: BubblewrapOptions,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const { arch = ownArch } = options;
  const architecture = findArchitecture(arch);
  if (architecture === null) return toNotStarted(`there is no system-call filter for the processor ${arch}`);
  const environment = toEnvironmentOptions(command.env);
  if (environment === null) return toNotStarted('a variable contains a NUL');
  const relays = command.relays ?? [];
  const mounts = [...command.mounts, ...toRelayMounts(relays)];
  const problem = await findMountProblem(mounts, command.slot, options.toolsDir);
  if (problem !== null) return toNotStarted(problem);
  const status = createBwrapStatus();
  const bridgeFailures: string[] = [];
  const ofBridge = (line: string): void => void bridgeFailures.push(line);
  const onReport = relays.length === 0 ? [status.readLine] : [status.readLine, ofBridge];
  try {
    const outcome = await runCapped(
      {
        ...command,
        argv: toBwrapArgv({
          ...command,
          programs: options.programs ?? DEFAULT_PROGRAMS,
          limits: await toLimits(options),
          launch: { architecture, cgroupProcs: null },
          toolsDir: options.toolsDir,
          statusFd: FIRST_REPORT_FD,
          environmentFd: FIRST_REPORT_FD + onReport.length,
          filterFd: FIRST_REPORT_FD + onReport.length + 1,
        }),
        env: {},
        feeds: [environment, toSeccompFilter(architecture)],
        cwd: '/',
        graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
        onReport,
        interrupt: (child) => interruptSandbox(child, status),
        kill: (child) => void child.kill('SIGKILL'),
      },
      signal,
    );
    const processesLeft = await buryProcesses(command.slot, status);
    if (processesLeft > 0)
      options.log.error({ processesLeft, slot: command.slot.index }, 'processes outlive a sandbox');
    return { ...toStarted(outcome, status, bridgeFailures), processesLeft };
  } finally {
    await status.close();
  }
}

/**
 * RLIMIT_NPROC counts all processes of the uid. A slot's uid runs nothing else. If the sandbox has the service's own
 * uid, adds what that uid already runs.
 */
async function toLimits(options: BubblewrapOptions): Promise<SandboxLimits> {
  const limits = options.limits ?? DEFAULT_LIMITS;
  if (options.isRoot) return limits;
  const processes = await readProcesses();
  const own = processes.find(({ pid }) => pid === ownPid);
  const tasks = processes.filter(({ uid }) => uid === own?.uid).reduce((sum, { threads }) => sum + threads, 0);
  return { ...limits, maxProcesses: limits.maxProcesses + tasks };
}

/** Sends SIGTERM to the command instead of bwrap: bwrap would exit at once and kill the command without warning. */
async function interruptSandbox(child: ChildProcess, status: BwrapStatus): Promise<void> {
  const firstPid = status.firstPid();
  const children = firstPid === null ? [] : await findChildren(firstPid);
  if (children.length === 0) child.kill('SIGKILL');
  for (const pid of children) {
    // The pid may have been reused since it was read.
    if ((await readStatus(pid))?.parentPid === firstPid) signalProcess(pid, 'SIGTERM');
  }
}

async function buryProcesses(slot: SandboxSlot, status: BwrapStatus): Promise<number> {
  const { uid } = slot;
  if (uid !== null) return killAll(() => findByUid(uid), BURIAL_MS);
  const namespace = status.pidNamespace();
  return namespace === null ? 0 : killAll(() => findByPidNamespace(namespace), BURIAL_MS);
}

/** bwrap and the bridge exit like the command. Only their reports tell a failed command from a failed sandbox. */
function toStarted(outcome: CappedOutcome, status: BwrapStatus, [bridgeFailure]: readonly string[]): CappedOutcome {
  if (outcome.kind !== 'exited' || outcome.signal !== null) return outcome;
  if (bridgeFailure !== undefined)
    return { ...outcome, kind: 'not_started', exitCode: null, stderrTail: bridgeFailure };
  return status.hasExitCode() ? outcome : { ...outcome, kind: 'not_started', exitCode: null };
}

function toNotStarted(why: string): SandboxOutcome {
  const nothing = { exitCode: null, signal: null, durationMs: 0, stdoutTail: '', processesLeft: 0 };
  return { kind: 'not_started', ...nothing, stderrTail: why };
}

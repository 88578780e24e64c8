import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { pid as ownPid } from 'node:process';
import type { ExceededLimit } from '../../core/model/command-end.ts';
import type { Log } from '../../ports/log.ts';
import type { SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import { type BwrapStatus, createBwrapStatus } from './bwrap-status.ts';
import { findMountProblem } from './check-mounts.ts';
import type { Cgroup, Cgroups } from './limits/find-cgroups.ts';
import { createLimitWatch, KERNEL_PROCESS_FACTOR, type LimitWatch } from './limits/watch-limits.ts';
import {
  findByPidNamespace,
  findByUid,
  findChildren,
  killAll,
  readProcesses,
  readStatus,
  signalProcess,
} from './processes.ts';
import { type CappedOutcome, type CappedRun, FIRST_REPORT_FD, runCapped } from './run-capped.ts';
import { findArchitecture, toSeccompFilter } from './seccomp/to-seccomp-filter.ts';
import {
  type SandboxLimits,
  type SandboxPrograms,
  toBwrapArgv,
  toEnvironmentOptions,
  toRelayMounts,
} from './to-bwrap-argv.ts';

/** How the commands of a sandbox run. */
export interface BubblewrapSettings {
  readonly isRoot: boolean;
  readonly toolsDir: string;
  readonly programs: SandboxPrograms;
  readonly limits: SandboxLimits;
  /** The processor as Node names it. */
  readonly arch: string;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly cgroups: () => Promise<Cgroups>;
  /** How many processes of the machine the kernel has killed because memory ran out. */
  readonly countMemoryKills: () => Promise<number>;
  readonly newId: () => string;
  readonly log: Log;
}

/** The kernel takes a moment to remove a pid namespace; on a busy machine it takes seconds until a killed process ends. */
const BURIAL_MS = 10_000;
/** What a shell and bwrap report for a process that SIGKILL ended. */
const EXIT_OF_SIGKILL = 137;

/** Runs one command in a sandbox of its own. See `Sandbox.run`. */
export async function runInBubblewrap(
  settings: BubblewrapSettings,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const mounts = [...command.mounts, ...toRelayMounts(command.relays ?? [])];
  const problem = await findMountProblem(mounts, command.slot, settings.toolsDir);
  if (problem !== null) return toNotStarted(problem);
  const status = createBwrapStatus();
  let cgroup: Cgroup | null = null;
  try {
    const limits = await toKernelLimits(settings);
    cgroup = await createCgroup(settings);
    const watch = await watchCommand(settings, command, { status, hasCgroup: cgroup !== null });
    const bridgeFailures: string[] = [];
    const run = toRun(settings, command, { limits, cgroup, status, bridgeFailures });
    if (typeof run === 'string') return toNotStarted(run);
    const killsBefore = await settings.countMemoryKills();
    const outcome = await runCapped({ ...run, watch: watch.start }, signal);
    const processesLeft = await buryProcesses(command, status);
    if (processesLeft > 0)
      settings.log.error({ processesLeft, slot: command.slot.index }, 'processes outlive a sandbox');
    const exceeded =
      (await watch.finish()) ??
      (await cgroup?.findExceeded()) ??
      (await findMemoryKill(settings, outcome, killsBefore));
    return { ...toEnd(outcome, exceeded, { status, bridgeFailures }), processesLeft };
  } catch (error) {
    return toNotStarted(error instanceof Error ? error.message : String(error));
  } finally {
    await cgroup?.remove();
    await status.close();
  }
}

async function createCgroup({ cgroups, limits, newId }: BubblewrapSettings): Promise<Cgroup | null> {
  const found = await cgroups();
  if (found.kind === 'none') return null;
  return found.create(newId(), { ...limits, maxProcesses: limits.maxProcesses * KERNEL_PROCESS_FACTOR });
}

async function watchCommand(
  { limits, programs }: BubblewrapSettings,
  { countedFolders, mounts }: SandboxCommand,
  { status, hasCgroup }: { readonly status: BwrapStatus; readonly hasCgroup: boolean },
): Promise<LimitWatch> {
  const writable = mounts.filter((mount) => mount.writable).map(({ source }) => source);
  return createLimitWatch({
    perl: programs.perl,
    folders: countedFolders ?? writable,
    quota: { bytes: limits.maxDiskBytes, entries: limits.maxDiskEntries },
    limits: { maxProcesses: limits.maxProcesses, maxMemoryBytes: hasCgroup ? null : limits.maxMemoryBytes },
    firstPid: status.firstPid,
  });
}

/** In one line why it cannot run, or the run. */
function toRun(
  { arch, graceMs, programs, toolsDir }: BubblewrapSettings,
  command: SandboxCommand,
  {
    limits,
    cgroup,
    status,
    bridgeFailures,
  }: {
    readonly limits: SandboxLimits;
    readonly cgroup: Cgroup | null;
    readonly status: BwrapStatus;
    readonly bridgeFailures: string[];
  },
): CappedRun | string {
  const architecture = findArchitecture(arch);
  if (architecture === null) return `there is no system-call filter for the processor ${arch}`;
  const environment = toEnvironmentOptions(command.env);
  if (environment === null) return 'a variable contains a NUL';
  const ofBridge = (line: string): void => void bridgeFailures.push(line);
  const onReport = (command.relays ?? []).length === 0 ? [status.readLine] : [status.readLine, ofBridge];
  const firstFeedFd = FIRST_REPORT_FD + onReport.length;
  return {
    ...command,
    argv: toBwrapArgv({
      ...{ ...command, programs, limits, toolsDir },
      launch: { architecture, cgroupProcs: cgroup?.procs ?? null },
      ...{ statusFd: FIRST_REPORT_FD, environmentFd: firstFeedFd, filterFd: firstFeedFd + 1 },
    }),
    env: {},
    feeds: [environment, toSeccompFilter(architecture)],
    cwd: '/',
    graceMs,
    onReport,
    interrupt: (child) => interruptSandbox(child, status),
    kill: (child) => void child.kill('SIGKILL'),
  };
}

/**
 * RLIMIT_NPROC counts all processes of the uid. A slot's uid runs nothing else. If the sandbox has the service's own
 * uid, adds what that uid already runs.
 */
async function toKernelLimits({ isRoot, limits }: BubblewrapSettings): Promise<SandboxLimits> {
  const maxProcesses = limits.maxProcesses * KERNEL_PROCESS_FACTOR;
  if (isRoot) return { ...limits, maxProcesses };
  const processes = await readProcesses();
  const own = processes.find(({ pid }) => pid === ownPid);
  const tasks = processes.filter(({ uid }) => uid === own?.uid).reduce((sum, { threads }) => sum + threads, 0);
  return { ...limits, maxProcesses: maxProcesses + tasks };
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

/** Every process of the sandbox is in its pid namespace. Its uid is asked beside that: nothing else has it, unless it is shared. */
async function buryProcesses(
  { slot: { uid }, sharesSlot = false }: Pick<SandboxCommand, 'slot' | 'sharesSlot'>,
  status: BwrapStatus,
): Promise<number> {
  if (uid !== null && !sharesSlot) return killAll(() => findByUid(uid), BURIAL_MS);
  const namespace = status.pidNamespace();
  return namespace === null ? 0 : killAll(() => findByPidNamespace(namespace), BURIAL_MS);
}

/** bwrap and the bridge exit like the command. Only their reports tell a failed command from a failed sandbox. */
function toEnd(
  outcome: CappedOutcome,
  exceeded: ExceededLimit | null,
  {
    status,
    bridgeFailures: [bridgeFailure],
  }: {
    readonly status: BwrapStatus;
    readonly bridgeFailures: readonly string[];
  },
): CappedOutcome {
  if (outcome.kind !== 'exited') return outcome;
  if (exceeded !== null) return { ...outcome, kind: exceeded };
  if (outcome.signal !== null) return outcome;
  if (bridgeFailure !== undefined)
    return { ...outcome, kind: 'not_started', exitCode: null, stderrTail: bridgeFailure };
  return status.hasExitCode() ? outcome : { ...outcome, kind: 'not_started', exitCode: null };
}

/** Where the memory of the whole machine ran out, the kernel ends sandboxes first. */
async function findMemoryKill(
  { countMemoryKills }: BubblewrapSettings,
  outcome: CappedOutcome,
  killsBefore: number,
): Promise<ExceededLimit | null> {
  const wasKilled = outcome.signal === 'SIGKILL' || outcome.exitCode === EXIT_OF_SIGKILL;
  return wasKilled && (await countMemoryKills()) > killsBefore ? 'memory_limit' : null;
}

/** See `BubblewrapSettings`. */
export async function countMemoryKills(): Promise<number> {
  const [, count] = /^oom_kill (\d+)$/m.exec(await readFile('/proc/vmstat', 'utf8').catch(() => '')) ?? [];
  return Number(count ?? 0);
}

function toNotStarted(why: string): SandboxOutcome {
  const nothing = { exitCode: null, signal: null, durationMs: 0, stdoutTail: '', processesLeft: 0 };
  return { kind: 'not_started', ...nothing, stderrTail: why };
}

import type { Mount, SandboxSlot } from '../../ports/sandbox.ts';
import type { SiteRelay } from '../../ports/site.ts';
import { type Launch, toLaunchArgv } from './launch-program.ts';
import { toBridgePath } from './prepare-tools-dir.ts';

/** Absolute paths of the programs that create a sandbox. */
export interface SandboxPrograms {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly setpriv: string;
  readonly perl: string;
}

/** Resource limits of one sandboxed command. */
export interface SandboxLimits {
  readonly maxOpenFiles: number;
  /** Processes and threads of the sandbox's uid. */
  readonly maxProcesses: number;
  readonly maxFileBytes: number;
  /** Size of each memory-backed folder (/tmp, /dev/shm). */
  readonly maxTmpBytes: number;
  /** Of all its processes together. */
  readonly maxMemoryBytes: number;
  /** Of everything that the site holds on the disk. */
  readonly maxDiskBytes: number;
  /** Files, folders and links. */
  readonly maxDiskEntries: number;
}

/** The parameters of a command line. */
export interface BwrapCommand {
  readonly programs: SandboxPrograms;
  readonly limits: SandboxLimits;
  readonly launch: Omit<Launch, 'perl'>;
  readonly slot: SandboxSlot;
  readonly toolsDir: string;
  readonly mounts: readonly Mount[];
  readonly relays?: readonly SiteRelay[];
  readonly cwd: string;
  readonly argv: readonly string[];
  /** File descriptor on which bwrap reports the pid of the first process and the exit code. */
  readonly statusFd: number;
  /** From which bwrap reads the environment of the command (`toEnvironmentOptions`). */
  readonly environmentFd: number;
  /** From which bwrap reads the system-call filter. */
  readonly filterFd: number;
}

const ETC_FILES = [
  'ssl/certs',
  'alternatives',
  'ld.so.cache',
  'nsswitch.conf',
  'localtime',
  'passwd',
  'group',
] as const;

/**
 * Builds the sandbox's command line: the launcher, the switch to the slot's uid (if it has one), limits, then bubblewrap with new
 * namespaces, a system-call filter, and without network or capabilities. Of the host, only /usr, some files of /etc, the tools
 * and `mounts` are visible. Where there are relays, a bridge runs the command. All of these programs must run with an empty environment (threat T31): the command's own would
 * change how they work before the sandbox exists. It contains no secret either way: anyone may read a command line.
 */
export function toBwrapArgv(command: BwrapCommand): readonly string[] {
  return [
    ...toLaunchArgv({ ...command.launch, perl: command.programs.perl }),
    ...toPrivilegeDrop(command),
    ...toLimits(command),
    command.programs.bwrap,
    ...ISOLATION,
    ...toSystemMounts(command.limits),
    ...['--ro-bind', command.toolsDir, command.toolsDir],
    ...toMounts([...command.mounts, ...toRelayMounts(command.relays ?? [])]),
    ...['--seccomp', String(command.filterFd), '--args', String(command.environmentFd)],
    ...['--json-status-fd', String(command.statusFd)],
    ...['--remount-ro', '/', '--chdir', command.cwd, '--'],
    ...toBridge(command),
    ...command.argv,
  ];
}

const ISOLATION = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--assert-userns-disabled'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'agent'],
] as const;

/** setpriv drops the uid first: bwrap's `--uid` changes it only inside the namespace; the host would still see root. */
function toPrivilegeDrop({ programs, slot }: BwrapCommand): readonly string[] {
  if (slot.uid === null || slot.gid === null) return [];
  return [
    ...[programs.setpriv, `--reuid=${String(slot.uid)}`, `--regid=${String(slot.gid)}`],
    ...['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'],
  ];
}

function toLimits({ programs, limits }: BwrapCommand): readonly string[] {
  return [
    programs.prlimit,
    `--nofile=${String(limits.maxOpenFiles)}`,
    `--nproc=${String(limits.maxProcesses)}`,
    `--fsize=${String(limits.maxFileBytes)}`,
    '--core=0',
  ];
}

function toSystemMounts(limits: SandboxLimits): readonly string[] {
  const size = ['--size', String(limits.maxTmpBytes)];
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...ETC_FILES.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...[...size, '--tmpfs', '/tmp', '--dir', '/run', '--dir', '/home'],
  ];
}

/** Sorts outer mounts first: an outer mount would hide an inner one that came before it. */
function toMounts(mounts: readonly Mount[]): readonly string[] {
  const depth = (mount: Mount): number => mount.target.split('/').length;
  return mounts
    .toSorted((left, right) => depth(left) - depth(right))
    .flatMap((mount) => [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.target]);
}

/** The options that set the environment of the command, as bwrap reads them from a descriptor. null: a variable contains a NUL. */
export function toEnvironmentOptions(env: Readonly<Record<string, string>>): Uint8Array | null {
  const words = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  // A NUL would end the value, and the rest of it would be an option of bwrap.
  if (words.some((word) => word.includes('\0'))) return null;
  return Buffer.from(words.map((word) => `${word}\0`).join(''));
}

/** The sockets of the relays as mounts. Only the sockets are visible, not the folders that they lie in. */
export function toRelayMounts(relays: readonly SiteRelay[]): readonly Mount[] {
  return relays.map((relay) => ({ source: relay.socketPath, target: toInnerSocket(relay), writable: false }));
}

function toInnerSocket({ name }: SiteRelay): string {
  return `/run/ratchet/${name}.sock`;
}

/** `--disable-sigusr1`: otherwise the command could start a debugger in the bridge. */
function toBridge({ toolsDir, relays = [] }: BwrapCommand): readonly string[] {
  if (relays.length === 0) return [];
  const ports = relays.map((relay) => `${String(relay.port)}=${toInnerSocket(relay)}`);
  return [`${toolsDir}/bin/node`, '--disable-sigusr1', toBridgePath(toolsDir), ...ports, '--'];
}

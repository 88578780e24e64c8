import type { Mount, SandboxSlot } from '../../ports/sandbox.ts';

/** Absolute paths of the programs that make a sandbox. */
export interface SandboxPrograms {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly setpriv: string;
}

/** Resource limits of one sandboxed command. */
export interface SandboxLimits {
  readonly maxOpenFiles: number;
  /** Processes and threads of the sandbox's uid. */
  readonly maxProcesses: number;
  readonly maxFileBytes: number;
  /** Size of each memory-backed folder (/tmp, /dev/shm). */
  readonly maxTmpBytes: number;
}

/** What one command line is made of. */
export interface BwrapCommand {
  readonly programs: SandboxPrograms;
  readonly limits: SandboxLimits;
  readonly slot: SandboxSlot;
  readonly toolsDir: string;
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  readonly argv: readonly string[];
  /** File descriptor on which bwrap reports the sandbox's first process and the exit code. */
  readonly statusFd: number;
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
 * The command line of the sandbox profile: drop to the slot's uid (only where there is one), limits, then bubblewrap with
 * fresh namespaces, no network, no capability, and of the host only /usr, a few files of /etc, the tools and `mounts`. No
 * environment and no secret stands in it: bwrap itself is started with the sandbox's environment (threat T31).
 */
export function toBwrapArgv(command: BwrapCommand): readonly string[] {
  return [
    ...toPrivilegeDrop(command),
    ...toLimits(command),
    command.programs.bwrap,
    ...ISOLATION,
    ...toSystemMounts(command.limits),
    ...['--ro-bind', command.toolsDir, command.toolsDir],
    ...toMounts(command.mounts),
    // A seccomp filter (`--seccomp FD`) and the bridge to the model's proxy have their place here.
    ...['--json-status-fd', String(command.statusFd)],
    ...['--remount-ro', '/', '--chdir', command.cwd, '--'],
    ...command.argv,
  ];
}

const ISOLATION = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--assert-userns-disabled'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'agent'],
] as const;

/** `--uid` of bwrap would only look like another uid: the kernel's would stay root's, so it is dropped before. */
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

/** Outer folders before what lies in them, or the outer mount would hide the inner one. */
function toMounts(mounts: readonly Mount[]): readonly string[] {
  const depth = (mount: Mount): number => mount.target.split('/').length;
  return mounts
    .toSorted((left, right) => depth(left) - depth(right))
    .flatMap((mount) => [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.target]);
}

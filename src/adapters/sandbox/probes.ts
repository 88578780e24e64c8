import type { SandboxSlot } from '../../ports/sandbox.ts';
import { KERNEL_PROCESS_FACTOR } from './limits/watch-limits.ts';
import { type Architecture, CHECKED_CALLS, DENIED_CALLS } from './seccomp/denied-calls.ts';
import type { SandboxLimits } from './to-bwrap-argv.ts';

/** System calls that the probe makes and that must be denied. The rest of the list would do harm, or needs a newer kernel. */
const PROBED_CALLS = [
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'add_key',
  'request_key',
  'keyctl',
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'process_madvise',
  'pidfd_getfd',
  'kcmp',
  'unshare',
  'setns',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'open_tree',
  'move_mount',
  'fsopen',
  'fsmount',
  'mount_setattr',
  'open_by_handle_at',
  'name_to_handle_at',
  'fanotify_init',
  'quotactl',
  'memfd_secret',
  'init_module',
  'finit_module',
  'delete_module',
  'kexec_load',
  'reboot',
  'swapon',
  'syslog',
  'settimeofday',
  'sethostname',
] as const satisfies readonly (keyof typeof DENIED_CALLS)[];

/** Kinds of namespaces as `/proc` names them. */
export const NAMESPACES = ['user', 'mnt', 'pid', 'net', 'ipc', 'uts', 'cgroup'] as const;

/** Every probe of `PROBE_PROGRAM`. One that is not reported as passed, for whatever reason, is a miss. */
export const PROBES: readonly string[] = [
  // Files of the machine
  ...[
    'host_file',
    'root_home',
    'host_etc',
    'host_sys',
    'host_run',
    'host_data',
    'host_tmp',
    'block_devices',
    'terminal',
  ],
  // What it may write
  ...['usr', 'root', 'etc', 'tools', 'dev', 'proc_sys', 'sysrq'].map((place) => `writable_${place}`),
  ...['read_only_mounts', 'no_set_uid_mounts', 'size_of_tmp', 'size_of_shm'],
  // Processes
  ...['host_processes', 'environment', 'first_environment', 'descriptors', 'dies_first', 'priority', 'user'],
  ...NAMESPACES.map((kind) => `namespace_${kind}`),
  ...['inh', 'prm', 'eff', 'bnd', 'amb'].map((set) => `capabilities_${set}`),
  ...['new_privileges', 'system_call_filter'],
  // System calls and keys
  ...PROBED_CALLS.map((call) => `call_${call}`),
  ...['clone_user_namespace', 'clone3_is_missing', 'terminal_input', 'keys'],
  // Network
  ...['vsock', 'packet', 'crypto', 'bluetooth', 'packet_filter'].map((family) => `family_${family}`),
  ...['interfaces', 'host_loopback', 'route_ipv4', 'route_ipv6', 'metadata_service', 'raw_socket'],
  ...['host_socket', 'abstract_socket'],
  // Limits and programs
  ...['limit_open_files', 'limit_processes', 'limit_file_size', 'limit_core_size', 'file_size_is_enforced', 'node'],
];

/** What the service lays out for the probe, all of which must be out of its reach. */
export interface ProbeBait {
  /** A file in the data folder. */
  readonly canary: string;
  readonly socketPath: string;
  readonly abstractName: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** Links of the service's namespaces, by kind. */
  readonly namespaces: Readonly<Record<string, string>>;
}

export interface ProbeExpectations {
  readonly bait: ProbeBait;
  readonly architecture: Architecture;
  readonly dataDir: string;
  readonly toolsDir: string;
  readonly slot: SandboxSlot;
  readonly limits: SandboxLimits;
  /** Names of the variables that the probe gets. */
  readonly variables: readonly string[];
}

/** Linux maps IPv6 documentation addresses like any other; no packet is sent to them. */
const DOCUMENTATION_IPV6 = '20010db8000000000000000000000001';
const DISCARD_PORT = 9;
/** The probe, bwrap, Node and the shell that may start it. */
const MAX_PROCESSES_SEEN = 8;

/** The facts that `PROBE_PROGRAM` takes as arguments. */
export function toProbeFacts(expected: ProbeExpectations): Readonly<Record<string, string>> {
  const { architecture, bait, dataDir, limits, slot, toolsDir, variables } = expected;
  const calls = { ...DENIED_CALLS, ...CHECKED_CALLS };
  const numbers = Object.entries(calls).map(
    ([name, numbersOf]) => [name, String(numbersOf[architecture] ?? '')] as const,
  );
  return {
    ...Object.fromEntries(numbers),
    ...Object.fromEntries(NAMESPACES.map((kind) => [`ns_${kind}`, bait.namespaces[kind] ?? ''])),
    /** EPERM, ENOSYS, EAFNOSUPPORT */
    errnos: '1,38,97',
    canary: bait.canary,
    ...{ root_home: '/root', host_etc: '/etc/shadow,/etc/hosts,/etc/ssh,/etc/machine-id', host_sys: '/sys,/boot' },
    ...{
      run: '/run',
      data: dataDir,
      tools: toolsDir,
      tmp: '/tmp',
      dev: '/dev',
      tty: '/dev/tty',
      nothing: '/dev/null',
      may_write: '/tmp',
    },
    ...{
      writable_usr: '/usr',
      writable_root: '',
      writable_etc: '/etc',
      writable_tools: toolsDir,
      writable_dev: '/dev',
    },
    ...{ writable_proc_sys: '/proc/sys/kernel/hostname', writable_sysrq: '/proc/sysrq-trigger' },
    tmp_kib: String(Math.ceil(limits.maxTmpBytes / 1024)),
    max_processes_seen: String(MAX_PROCESSES_SEEN),
    first_process: '1',
    variables: [...variables, 'PWD'].join(','),
    uid: slot.uid === null ? '' : String(slot.uid),
    host_port: String(bait.port),
    ...{ host_socket: bait.socketPath, abstract_socket: bait.abstractName },
    ...{ route_ipv4: '192,0,2,1', route_ipv6: DOCUMENTATION_IPV6, route_port: String(DISCARD_PORT) },
    metadata: '169,254,169,254',
    ...{
      max_open_files: String(limits.maxOpenFiles),
      max_file_bytes: String(limits.maxFileBytes),
      max_core_bytes: '0',
    },
    // As its own user, the service adds what that user already runs.
    max_processes: slot.uid === null ? '1000000' : String(limits.maxProcesses * KERNEL_PROCESS_FACTOR),
    node: `${toolsDir}/bin/node`,
  };
}

/** The misses in what the probe printed, each with its reason. Whatever is not reported as passed is one. */
export function findMisses(printed: string): readonly string[] {
  const lines = printed.split('\n');
  const passed = new Set(lines.flatMap((line) => /^ok (\w+)$/.exec(line)?.[1] ?? []));
  const reasons = new Map(
    lines.flatMap((line) => {
      const [, name, why] = /^miss (\w+) (.*)$/.exec(line) ?? [];
      return name === undefined || why === undefined ? [] : [[name, why] as const];
    }),
  );
  return PROBES.flatMap((name) => {
    const why = reasons.get(name);
    if (why !== undefined) return [`${name} (${why})`];
    return passed.has(name) ? [] : [`${name} (did not run)`];
  });
}

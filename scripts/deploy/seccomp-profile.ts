/** One rule: the calls that it allows, or answers with an error. */
interface Rule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly op: 'SCMP_CMP_EQ';
  }[];
  readonly includes?: { readonly arches: readonly string[] };
  readonly comment?: string;
}

/** A system-call filter as Docker and Podman read it. */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly archMap: readonly { readonly architecture: string; readonly subArchitectures: readonly string[] }[];
  readonly syscalls: readonly Rule[];
}

/**
 * What Docker denies to a container without capabilities, and bubblewrap needs to make a sandbox: new namespaces, mounts inside
 * of them, another root, and the name of the machine. The kernel allows them in a user namespace of one's own only.
 */
export const BUBBLEWRAP_CALLS: readonly string[] = [
  ...['clone', 'unshare'],
  ...['mount', 'umount2', 'pivot_root'],
  'sethostname',
];

const FILES =
  'access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate ' +
  'fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync flock fstat fstatfs fsync ftruncate futimesat getcwd getdents ' +
  'getdents64 ioctl lchown link linkat lseek lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pread64 preadv ' +
  'preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv rename renameat renameat2 rmdir sendfile splice ' +
  'stat statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes ' +
  'vmsplice write writev';
const ATTRIBUTES =
  'fgetxattr flistxattr fremovexattr fsetxattr getxattr lgetxattr listxattr llistxattr lremovexattr lsetxattr removexattr setxattr';
const EVENTS =
  'io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 inotify_add_watch inotify_init ' +
  'inotify_init1 inotify_rm_watch pipe pipe2 poll ppoll pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime ' +
  'timerfd_settime';
const MEMORY =
  'brk madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall munmap ' +
  'pkey_alloc pkey_free pkey_mprotect map_shadow_stack mseal';
const PROCESSES =
  'capget capset execve execveat exit exit_group fork getcpu getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid ' +
  'getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill pause pidfd_open ' +
  'pidfd_send_signal prctl prlimit64 sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr ' +
  'sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler ' +
  'sched_yield seccomp setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid ' +
  'setrlimit setsid setuid tgkill tkill uname vfork wait4 waitid';
const SIGNALS =
  'alarm restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait ' +
  'rt_tgsigqueueinfo sigaltstack';
const SHARED =
  'mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop ' +
  'semtimedop shmat shmctl shmdt shmget';
const SOCKETS =
  'accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto ' +
  'setsockopt shutdown socketpair';
const THREADS =
  'futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list set_robust_list set_tid_address rseq';
const TIME =
  'clock_getres clock_gettime clock_nanosleep getrandom gettimeofday nanosleep sysinfo time timer_create timer_delete ' +
  'timer_getoverrun timer_gettime timer_settime times';
const CONFINEMENT = 'landlock_add_rule landlock_create_ruleset landlock_restrict_self';

/** Of those that Docker allows by its own profile to a container without capabilities, what 64-bit programs use. */
export const ORDINARY_CALLS: readonly string[] = [
  ...[FILES, ATTRIBUTES, EVENTS, MEMORY, PROCESSES, SIGNALS, SHARED, SOCKETS, THREADS, TIME, CONFINEMENT],
].flatMap((group) => group.split(' '));

/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, by which the loopback of a sandbox is switched on. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
/** PER_LINUX, and the question which one it is. */
const PERSONALITIES = [0, 0xffffffff] as const;
const ENOSYS = 38;

/** Everything that is not named answers with EPERM. 32-bit programs do not run. */
export function toSeccompProfile(): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({ architecture, subArchitectures: [] })),
    syscalls: [
      allow(ORDINARY_CALLS.toSorted()),
      { ...allow(['arch_prctl']), includes: { arches: ['amd64'] } },
      ...SOCKET_FAMILIES.map((family) => ({ ...allow(['socket']), ...whereFirstIs(family) })),
      ...PERSONALITIES.map((personality) => ({ ...allow(['personality']), ...whereFirstIs(personality) })),
      {
        names: ['clone3'],
        ...{
          action: 'SCMP_ACT_ERRNO',
          errnoRet: ENOSYS,
          comment: 'its flags cannot be checked; libraries fall back to clone',
        },
      },
      { ...allow(BUBBLEWRAP_CALLS), comment: 'bubblewrap makes the sandboxes of agents with these' },
    ],
  };
}

function allow(names: readonly string[]): Rule {
  return { names, action: 'SCMP_ACT_ALLOW' };
}

function whereFirstIs(value: number): Pick<Rule, 'args'> {
  return { args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] };
}

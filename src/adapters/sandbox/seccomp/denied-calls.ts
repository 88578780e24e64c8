/** Processors that the filter is made for. */
export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The number of a system call. null: the processor does not have it. */
export type CallNumbers = Readonly<Record<Architecture, number | null>>;

const call = (x64: number, arm64: number | null): CallNumbers => ({ x64, arm64 });
/** Calls that were added after Linux 5.0 have the same number everywhere. */
const everywhere = (number: number): CallNumbers => ({ x64: number, arm64: number });

/**
 * System calls that a sandbox may not make, with their numbers in `asm/unistd_64.h` and `asm-generic/unistd.h`. The kernel
 * refuses most of them to a process without capabilities. They are denied all the same: each is a large part of the kernel
 * that code of a pull request has no use for, and several have been ways out of a sandbox.
 */
export const DENIED_CALLS = {
  // Work for the kernel that no later filter sees, and programs inside of it.
  io_uring_setup: everywhere(425),
  io_uring_enter: everywhere(426),
  io_uring_register: everywhere(427),
  bpf: call(321, 280),
  perf_event_open: call(298, 241),
  userfaultfd: call(323, 282),
  // Keyrings of the session and of the user.
  add_key: call(248, 217),
  request_key: call(249, 218),
  keyctl: call(250, 219),
  // Other processes: a traced first process would keep the sandbox from ending (T43).
  ptrace: call(101, 117),
  process_vm_readv: call(310, 270),
  process_vm_writev: call(311, 271),
  process_madvise: everywhere(440),
  pidfd_getfd: everywhere(438),
  kcmp: call(312, 272),
  move_pages: call(279, 239),
  migrate_pages: call(256, 238),
  // Namespaces and mounts.
  unshare: call(272, 97),
  setns: call(308, 268),
  mount: call(165, 40),
  umount2: call(166, 39),
  pivot_root: call(155, 41),
  chroot: call(161, 51),
  open_tree: everywhere(428),
  move_mount: everywhere(429),
  fsopen: everywhere(430),
  fsconfig: everywhere(431),
  fsmount: everywhere(432),
  fspick: everywhere(433),
  mount_setattr: everywhere(442),
  statmount: everywhere(457),
  listmount: everywhere(458),
  open_tree_attr: everywhere(467),
  // Files past their paths, and memory that cannot be reclaimed.
  open_by_handle_at: call(304, 265),
  name_to_handle_at: call(303, 264),
  fanotify_init: call(300, 262),
  quotactl: call(179, 60),
  quotactl_fd: everywhere(443),
  memfd_secret: everywhere(447),
  // The machine.
  kexec_load: call(246, 104),
  kexec_file_load: call(320, 294),
  init_module: call(175, 105),
  finit_module: call(313, 273),
  delete_module: call(176, 106),
  reboot: call(169, 142),
  swapon: call(167, 224),
  swapoff: call(168, 225),
  acct: call(163, 89),
  syslog: call(103, 116),
  vhangup: call(153, 58),
  settimeofday: call(164, 170),
  clock_settime: call(227, 112),
  sethostname: call(170, 161),
  setdomainname: call(171, 162),
  iopl: call(172, null),
  ioperm: call(173, null),
  modify_ldt: call(154, null),
  // Remains of old kernels.
  lookup_dcookie: call(212, 18),
  nfsservctl: call(180, 42),
  uselib: call(134, null),
  _sysctl: call(156, null),
  create_module: call(174, null),
  get_kernel_syms: call(177, null),
  query_module: call(178, null),
  ustat: call(136, null),
  sysfs: call(139, null),
} as const;

/** System calls whose arguments decide. */
export const CHECKED_CALLS = {
  clone: call(56, 220),
  clone3: everywhere(435),
  socket: call(41, 198),
  socketpair: call(53, 199),
  ioctl: call(16, 29),
} as const;

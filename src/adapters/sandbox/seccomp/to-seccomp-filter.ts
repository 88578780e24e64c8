import { assembleBpf, type BpfLine } from './assemble-bpf.ts';
import { ARCHITECTURES, type Architecture, type CallNumbers, CHECKED_CALLS, DENIED_CALLS } from './denied-calls.ts';

/** Offsets in `struct seccomp_data`. Of an argument, the lower half is loaded: it is all that the checked calls use. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const toArgument = (index: number): number => 16 + 8 * index;

/** Results of a filter: linux/seccomp.h. The error number is in the lower half. */
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const toError = (errno: number): number => 0x00050000 + errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** linux/audit.h */
const AUDIT_ARCHITECTURES: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Numbers of the x32 ABI have this bit: the same calls by another number. */
const X32_BIT = 0x40000000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e020000;
const FAMILIES = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const NETLINK_ROUTE = 0;
/** Put characters into the input of a terminal. */
const TERMINAL_REQUESTS = [0x5412, 0x541c] as const;

/** null: there is no filter for this processor. */
export function findArchitecture(arch: string): Architecture | null {
  return ARCHITECTURES.find((architecture) => architecture === arch) ?? null;
}

/**
 * The system-call filter of a sandbox (threats T39, T40, T43), as classic BPF. It denies what `DENIED_CALLS` lists and allows
 * the rest. Beside the list:
 * - A call of another architecture kills the process: its numbers mean other calls. So does a 32-bit program.
 * - x32 numbers and `clone3` do not exist (ENOSYS): the flags of `clone3` lie in memory that a filter cannot read, and libraries
 *   fall back to `clone`, whose flags may make no namespace.
 * - Sockets are local, IPv4, IPv6, or netlink for routes: no vsock, no packets, no kernel crypto.
 * - No characters are put into the input of a terminal.
 */
export function toSeccompFilter(architecture: Architecture): Uint8Array {
  return assembleBpf([
    { op: 'load', offset: ARCHITECTURE },
    { op: 'jump_if_equal', value: AUDIT_ARCHITECTURES[architecture], to: 'own' },
    { op: 'return', value: KILL_PROCESS },
    { op: 'label', name: 'own' },
    { op: 'load', offset: NUMBER },
    ...(architecture === 'x64' ? jumpTo('missing', [{ op: 'jump_if_at_least', value: X32_BIT }]) : []),
    ...jumpTo('missing', toNumbers(CHECKED_CALLS.clone3, architecture)),
    ...jumpTo('clone', toNumbers(CHECKED_CALLS.clone, architecture)),
    ...jumpTo('socket', toNumbers(CHECKED_CALLS.socket, architecture)),
    ...jumpTo('socketpair', toNumbers(CHECKED_CALLS.socketpair, architecture)),
    ...jumpTo('ioctl', toNumbers(CHECKED_CALLS.ioctl, architecture)),
    ...Object.values(DENIED_CALLS).flatMap((numbers) => jumpTo('denied', toNumbers(numbers, architecture))),
    { op: 'return', value: ALLOW },
    ...CHECKS,
    { op: 'label', name: 'allowed' },
    { op: 'return', value: ALLOW },
    { op: 'label', name: 'denied' },
    { op: 'return', value: toError(EPERM) },
    { op: 'label', name: 'missing' },
    { op: 'return', value: toError(ENOSYS) },
    { op: 'label', name: 'no_family' },
    { op: 'return', value: toError(EAFNOSUPPORT) },
  ]);
}

/** The checks of arguments. Each ends with a jump. */
const CHECKS: readonly BpfLine[] = [
  { op: 'label', name: 'clone' },
  { op: 'load', offset: toArgument(0) },
  { op: 'jump_if_any_bit', value: NEW_NAMESPACES, to: 'denied' },
  { op: 'jump', to: 'allowed' },
  { op: 'label', name: 'socket' },
  { op: 'load', offset: toArgument(0) },
  ...jumpTo('allowed', toEqual([FAMILIES.unix, FAMILIES.inet, FAMILIES.inet6])),
  { op: 'jump_if_equal', value: FAMILIES.netlink, to: 'netlink' },
  { op: 'jump', to: 'no_family' },
  { op: 'label', name: 'netlink' },
  { op: 'load', offset: toArgument(2) },
  { op: 'jump_if_equal', value: NETLINK_ROUTE, to: 'allowed' },
  { op: 'jump', to: 'no_family' },
  { op: 'label', name: 'socketpair' },
  { op: 'load', offset: toArgument(0) },
  { op: 'jump_if_equal', value: FAMILIES.unix, to: 'allowed' },
  { op: 'jump', to: 'no_family' },
  { op: 'label', name: 'ioctl' },
  { op: 'load', offset: toArgument(1) },
  ...jumpTo('denied', toEqual(TERMINAL_REQUESTS)),
  { op: 'jump', to: 'allowed' },
];

type Condition = Omit<Extract<BpfLine, { readonly value: number; readonly to: string }>, 'to'>;

function toNumbers(numbers: CallNumbers, architecture: Architecture): readonly Condition[] {
  const number = numbers[architecture];
  return number === null ? [] : toEqual([number]);
}

function toEqual(values: readonly number[]): readonly Condition[] {
  return values.map((value) => ({ op: 'jump_if_equal', value }));
}

function jumpTo(to: string, conditions: readonly Condition[]): readonly BpfLine[] {
  return conditions.map((condition) => ({ ...condition, to }));
}

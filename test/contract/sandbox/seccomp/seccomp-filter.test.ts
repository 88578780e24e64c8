import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assembleBpf } from '../../../../src/adapters/sandbox/seccomp/assemble-bpf.ts';
import { DENIED_CALLS } from '../../../../src/adapters/sandbox/seccomp/denied-calls.ts';
import { findArchitecture, toSeccompFilter } from '../../../../src/adapters/sandbox/seccomp/to-seccomp-filter.ts';
import { runBpf } from './run-bpf.ts';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028, riscv: 0xc00000f3 } as const;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x50001;
const ENOSYS = 0x50026;
const EAFNOSUPPORT = 0x50061;

/** Numbers that were written down anew from the kernel's tables, not taken from the code. */
const NUMBERS = {
  x64: {
    clone: 56,
    clone3: 435,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    unshare: 272,
    ptrace: 101,
    keyctl: 250,
    bpf: 321,
  },
  arm64: {
    clone: 220,
    clone3: 435,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    unshare: 97,
    ptrace: 117,
    keyctl: 219,
    bpf: 280,
  },
} as const;
/** What tools do all day: read, write, openat, close, mmap, execve, futex, exit_group, epoll_pwait, landlock, pidfd_open. */
const EVERYDAY = {
  x64: [0, 1, 257, 3, 9, 59, 202, 231, 281, 444, 434, 317, 319],
  arm64: [63, 64, 56, 57, 222, 221, 98, 94, 22, 444, 434, 277, 279],
} as const;

describe.each(['x64', 'arm64'] as const)('the system-call filter of %s', (architecture) => {
  const filter = toSeccompFilter(architecture);
  const numbers = NUMBERS[architecture];
  const ask = (number: number, ...args: readonly number[]): number =>
    runBpf(filter, { number, architecture: AUDIT[architecture], arguments: args.map(BigInt) });

  it('is exactly this program', () => {
    const hash = createHash('sha256').update(filter).digest('hex');

    expect({ instructions: filter.length / 8, hash }).toMatchSnapshot();
  });

  it('denies every call of the list (T40)', () => {
    const listed = Object.entries(DENIED_CALLS).filter(([, call]) => call[architecture] !== null);

    expect(listed.length).toBeGreaterThan(50);
    for (const [name, call] of listed) expect([name, ask(call[architecture] ?? -1)]).toEqual([name, EPERM]);
  });

  it('allows every other number', () => {
    const denied = new Set(Object.values(DENIED_CALLS).map((call) => call[architecture]));
    const checked: ReadonlySet<number> = new Set([numbers.clone3, numbers.socket, numbers.socketpair]);
    for (let number = 0; number < 1000; number += 1) {
      if (!denied.has(number) && !checked.has(number)) expect([number, ask(number)]).toEqual([number, ALLOW]);
    }
  });

  it.each(['unshare', 'ptrace', 'keyctl', 'bpf'] as const)('denies %s by its number in the kernel', (name) => {
    expect(ask(numbers[name])).toBe(EPERM);
  });

  it('allows what every tool does', () => {
    for (const number of EVERYDAY[architecture]) expect([number, ask(number)]).toEqual([number, ALLOW]);
  });

  it('says that clone3 does not exist, so that libraries use clone', () => {
    expect(ask(numbers.clone3)).toBe(ENOSYS);
  });

  it.each([
    ['a process', 0x11, ALLOW],
    ['a thread', 0x3d0f00, ALLOW],
    ['vfork', 0x4111, ALLOW],
    ['a user namespace', 0x10000011, EPERM],
    ['a mount namespace', 0x00020011, EPERM],
    ['a cgroup namespace', 0x02000011, EPERM],
    ['a host-name namespace', 0x04000011, EPERM],
    ['an IPC namespace', 0x08000011, EPERM],
    ['a process namespace', 0x20000011, EPERM],
    ['a network namespace', 0x40000011, EPERM],
  ])('judges a clone that makes %s', (_what, flags, expected) => {
    expect(ask(numbers.clone, flags)).toBe(expected);
  });

  it.each([
    ['local', 1, 0, ALLOW],
    ['IPv4', 2, 6, ALLOW],
    ['IPv6', 10, 17, ALLOW],
    ['routes by netlink', 16, 0, ALLOW],
    ['the packet filter by netlink', 16, 12, EAFNOSUPPORT],
    ['packets', 17, 0, EAFNOSUPPORT],
    ['kernel crypto', 38, 0, EAFNOSUPPORT],
    ['the machine underneath (vsock)', 40, 0, EAFNOSUPPORT],
    ['no family', 0, 0, EAFNOSUPPORT],
  ])('judges a socket for %s (T39)', (_what, family, protocol, expected) => {
    expect(ask(numbers.socket, family, 1, protocol)).toBe(expected);
  });

  it('reads of an argument what the kernel reads of it', () => {
    const call = { number: numbers.socket, architecture: AUDIT[architecture] };

    expect(runBpf(filter, { ...call, arguments: [0xffffffff_00000028n] })).toBe(EAFNOSUPPORT);
    expect(runBpf(filter, { ...call, arguments: [0xffffffff_00000001n] })).toBe(ALLOW);
  });

  it('allows pairs of local sockets only', () => {
    expect([ask(numbers.socketpair, 1), ask(numbers.socketpair, 2)]).toEqual([ALLOW, EAFNOSUPPORT]);
  });

  it('puts no characters into the input of a terminal, and allows other requests', () => {
    expect([0x5412, 0x541c, 0x5413, 0x5401].map((request) => ask(numbers.ioctl, 0, request))).toEqual([
      EPERM,
      EPERM,
      ALLOW,
      ALLOW,
    ]);
  });

  it('kills what calls by the numbers of another architecture', () => {
    for (const [name, other] of Object.entries(AUDIT)) {
      const answer = runBpf(filter, { number: 1, architecture: other });
      expect([name, answer]).toEqual([name, name === architecture ? ALLOW : KILL]);
    }
  });
});

describe('the system-call filter', () => {
  it('knows no x32 call', () => {
    const ask = (number: number): number => runBpf(toSeccompFilter('x64'), { number, architecture: AUDIT.x64 });

    expect([ask(0x40000000), ask(0x40000000 + 101), ask(0xffffffff), ask(0x3fffffff)]).toEqual([
      ENOSYS,
      ENOSYS,
      ENOSYS,
      ALLOW,
    ]);
  });

  it.each([
    ['x64', 'x64'],
    ['arm64', 'arm64'],
    ['riscv64', null],
    ['ia32', null],
  ])('is made for %s: %s', (arch, expected) => {
    expect(findArchitecture(arch)).toBe(expected);
  });
});

describe('assembleBpf', () => {
  it('refuses a jump that leads nowhere, back, or too far', () => {
    const far = Array.from({ length: 300 }, () => ({ op: 'load' as const, offset: 0 }));
    const jump = { op: 'jump_if_equal', value: 1, to: 'there' } as const;
    const there = { op: 'label', name: 'there' } as const;

    expect(() => assembleBpf([jump])).toThrow('there');
    expect(() => assembleBpf([there, jump])).toThrow('there');
    expect(() => assembleBpf([jump, ...far, there])).toThrow('there');
  });
});

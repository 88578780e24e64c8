import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, DEFAULT_PROGRAMS } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { type BwrapCommand, toBwrapArgv, toEnvironmentOptions } from '../../../src/adapters/sandbox/to-bwrap-argv.ts';

const COMMAND: BwrapCommand = {
  programs: DEFAULT_PROGRAMS,
  launch: { architecture: 'x64', cgroupProcs: null },
  limits: { ...DEFAULT_LIMITS, maxProcesses: 256, maxFileBytes: 1000, maxTmpBytes: 2000 },
  slot: { index: 0, uid: 5000, gid: 6000 },
  toolsDir: '/data/tools/v24',
  mounts: [],
  cwd: '/workspace',
  argv: ['node', '--version'],
  statusFd: 3,
  environmentFd: 4,
  filterFd: 5,
};

function line(change?: Partial<BwrapCommand>): string {
  const [perl, , , ...words] = toBwrapArgv({ ...COMMAND, ...change });
  return [perl, ...words].join(' ');
}

describe('toBwrapArgv', () => {
  it('is the whole profile', () => {
    expect(line()).toBe(
      [
        '/usr/bin/perl  1000 5 250',
        '/usr/bin/setpriv --reuid=5000 --regid=6000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all',
        '/usr/bin/prlimit --nofile=4096 --nproc=256 --fsize=1000 --core=0',
        '/usr/bin/bwrap --unshare-all --unshare-user --disable-userns --assert-userns-disabled',
        '--die-with-parent --new-session --cap-drop ALL --hostname agent',
        '--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64',
        '--ro-bind-try /etc/ssl/certs /etc/ssl/certs --ro-bind-try /etc/alternatives /etc/alternatives',
        '--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/nsswitch.conf /etc/nsswitch.conf',
        '--ro-bind-try /etc/localtime /etc/localtime --ro-bind-try /etc/passwd /etc/passwd --ro-bind-try /etc/group /etc/group',
        '--proc /proc --dev /dev --size 2000 --tmpfs /dev/shm --remount-ro /dev',
        '--size 2000 --tmpfs /tmp --dir /run --dir /home',
        '--ro-bind /data/tools/v24 /data/tools/v24',
        '--seccomp 5 --args 4 --json-status-fd 3 --remount-ro / --chdir /workspace -- node --version',
      ].join(' '),
    );
  });

  it('drops no uid where there is none to drop to', () => {
    expect(line({ slot: { index: 0, uid: null, gid: null } })).toMatch(/ 250 \/usr\/bin\/prlimit /);
  });

  it('mounts outer folders before inner ones and writes only where it was told', () => {
    const mounts = [
      { source: '/h/deps', target: '/workspace/a/deps', writable: false },
      { source: '/h/git', target: '/workspace/.git', writable: false },
      { source: '/h/work', target: '/workspace', writable: true },
    ];

    expect(line({ mounts })).toContain(
      '--bind /h/work /workspace --ro-bind /h/git /workspace/.git --ro-bind /h/deps /workspace/a/deps',
    );
  });

  it('begins in the cgroup of the command, with the numbers of its processor', () => {
    const launch = { architecture: 'arm64', cgroupProcs: '/sys/fs/cgroup/r/cgroup.procs' } as const;

    expect(line({ launch })).toMatch(/^\/usr\/bin\/perl \/sys\/fs\/cgroup\/r\/cgroup.procs 1000 5 219 /);
  });

  it.each(['--setenv', '--clearenv', '--share-net', '--uid', '--dev-bind'])('never says %s', (option) => {
    expect(toBwrapArgv(COMMAND)).not.toContain(option);
  });

  it('runs the command beside a bridge where there are relays', () => {
    const relays = [{ name: 'model', socketPath: '/s/1.sock', port: 4001 }] as const;

    expect(line({ relays })).toMatch(
      / --ro-bind \/s\/1\.sock \/run\/ratchet\/model\.sock .* -- \/data\/tools\/v24\/bin\/node --disable-sigusr1 \/data\/tools\/v24\/lib\/relay-bridge-program\.mjs 4001=\/run\/ratchet\/model\.sock -- node --version$/,
    );
    expect(line({ relays: [] })).toBe(line());
  });

  it('puts the command last, behind the end of options', () => {
    const argv = toBwrapArgv({ ...COMMAND, argv: ['--bind', '/', '/'] });

    expect(argv.slice(-4)).toEqual(['--', '--bind', '/', '/']);
  });
});

describe('toEnvironmentOptions', () => {
  it('is what bwrap reads', () => {
    const options = toEnvironmentOptions({ HOME: '/home', EMPTY: '', ODD: '--bind / /' });

    expect(Buffer.from(options ?? []).toString()).toBe(
      '--setenv\0HOME\0/home\0--setenv\0EMPTY\0\0--setenv\0ODD\0--bind / /\0',
    );
  });

  it.each([{ A: 'x\0--bind\0/\0/' }, { 'A\0--bind\0/\0/': 'x' }])(
    'refuses a NUL, which would begin an option: %j',
    (env) => {
      expect(toEnvironmentOptions(env)).toBeNull();
    },
  );
});

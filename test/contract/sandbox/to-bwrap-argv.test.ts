import { describe, expect, it } from 'vitest';
import { type BwrapCommand, toBwrapArgv } from '../../../src/adapters/sandbox/to-bwrap-argv.ts';

const COMMAND: BwrapCommand = {
  programs: { bwrap: '/usr/bin/bwrap', prlimit: '/usr/bin/prlimit', setpriv: '/usr/bin/setpriv' },
  limits: { maxOpenFiles: 4096, maxProcesses: 256, maxFileBytes: 1000, maxTmpBytes: 2000 },
  slot: { index: 0, uid: 5000, gid: 6000 },
  toolsDir: '/data/tools/v24',
  mounts: [],
  cwd: '/workspace',
  argv: ['node', '--version'],
  statusFd: 3,
};

function line(change?: Partial<BwrapCommand>): string {
  return toBwrapArgv({ ...COMMAND, ...change }).join(' ');
}

describe('toBwrapArgv', () => {
  it('is the whole profile', () => {
    expect(line()).toBe(
      [
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
        '--json-status-fd 3 --remount-ro / --chdir /workspace -- node --version',
      ].join(' '),
    );
  });

  it('drops no uid where there is none to drop to', () => {
    expect(line({ slot: { index: 0, uid: null, gid: null } })).toMatch(/^\/usr\/bin\/prlimit /);
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

  it.each(['--setenv', '--clearenv', '--share-net', '--uid', '--seccomp', '--dev-bind'])('never says %s', (option) => {
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

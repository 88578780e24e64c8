import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DENIED_CALLS } from '../../src/adapters/sandbox/seccomp/denied-calls.ts';
import { findArchitecture } from '../../src/adapters/sandbox/seccomp/to-seccomp-filter.ts';
import { createSandboxFixture, IS_ROOT, type SandboxFixture } from '../contract/sandbox/sandbox-fixture.ts';
import { createTempFolder } from '../support/git-repository.ts';

const CANARY = 'canary-7c1d0f';
const ORCHESTRATOR = join(import.meta.dirname, 'orchestrator.ts');

/** Everything that a curious agent can print about processes, files and descriptors. */
const SNOOP = `
env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; ps axeww 2>/dev/null
for pid in /proc/[0-9]*; do cat $pid/environ 2>/dev/null | tr '\\0' '\\n'; ls -l $pid/fd $pid/cwd $pid/root 2>/dev/null; done
for fd in /proc/self/fd/*; do [ "\${fd##*/}" -gt 2 ] && timeout 1 head -c 4096 "$fd" 2>/dev/null; done
grep -r canary /workspace /home /run /opt /etc /tmp 2>/dev/null
mount; cat /proc/self/mountinfo; ls -la / /home /run /var /root /work 2>&1
echo snooped
`;

describe('secrets of the service', () => {
  let root: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ path: root, remove } = await createTempFolder());
    await mkdir(join(root, 'data'), { mode: 0o711 });
    await writeFile(join(root, 'data', 'ratchet.db'), CANARY, { mode: 0o644 });
    await writeFile(join(root, 'private-key.pem'), CANARY, { mode: 0o644 });
  });

  afterAll(async () => {
    await remove();
  });

  it('are in no environment, command line, file or descriptor that the sandbox can reach (T31, trap 64)', async () => {
    const keyFile = join(root, 'private-key.pem');
    // The shell leaves a descriptor open that the service, and so the sandbox, would inherit.
    const launch = `exec 30<"${keyFile}"; exec "$@"`;
    const env = { PATH: '/usr/bin:/bin', PRIVATE_KEY: CANARY, GITHUB_TOKEN: `ghs_${CANARY}` };
    const argv = ['-c', launch, 'bash', process.execPath, ORCHESTRATOR, root, SNOOP];

    const { stdout } = await execa('bash', argv, { env, extendEnv: false });

    const seen = await readFile(join(root, 'stdout.log'), 'utf8');
    expect(stdout).toContain('"kind":"exited"');
    expect(seen).toContain('snooped');
    expect(seen.includes(CANARY), seen).toBe(false);
  });

  it('are no keys that the sandbox can find, even if no filter kept it from asking', async () => {
    const { add_key: addKey, keyctl } = DENIED_CALLS;
    const architecture = findArchitecture(process.arch) ?? 'x64';
    const [add, control] = [addKey[architecture], keyctl[architecture]].map(String);
    const texts = `my ($type, $name, $text) = ("user\\0", "${CANARY}\\0", "x");`;
    const plant = `${texts} syscall(${control}, 1, 0) > 0 and syscall(${add}, $type, $name, $text, 1, -3) > 0 or die; exec @ARGV`;
    const search = `${texts} print "found ", syscall(${control}, 10, -3, $type, $name, 0) > 0 ? 1 : 0`;
    const weakBwrap = join(root, 'bwrap');
    const withoutFilter =
      'my $all = join "\\0", @ARGV; $all =~ s/--seccomp\\0005\\0// or die; exec \'/usr/bin/bwrap\', split /\\0/, $all, -1;';
    await writeFile(weakBwrap, `#!/usr/bin/perl\n${withoutFilter}\n`);
    await chmod(weakBwrap, 0o755);
    const service = [process.execPath, ORCHESTRATOR, root, `perl -e '${search}'`, weakBwrap];

    const byService = await execa('/usr/bin/perl', ['-e', plant, '/usr/bin/perl', '-e', search]);
    await execa('/usr/bin/perl', ['-e', plant, ...service], { env: { PATH: '/usr/bin:/bin' }, extendEnv: false });

    expect(byService.stdout).toBe('found 1');
    expect(await readFile(join(root, 'stdout.log'), 'utf8')).toBe('found 0');
  });

  it('do not end up on the command line of the sandbox either', async () => {
    const env = { PATH: '/usr/bin:/bin', PRIVATE_KEY: CANARY };
    const argv = [ORCHESTRATOR, root, 'echo up; sleep 3'];
    const running = execa(process.execPath, argv, { env, extendEnv: false });
    const found: string[] = [];
    for (let tries = 0; tries < 100 && !found.some((line) => line.includes('bwrap')); tries += 1) {
      const { stdout } = await execa('ps', ['axww', '-o', 'args']);
      found.push(...stdout.split('\n').filter((line) => line.includes(root)));
    }
    running.kill();
    await running.catch(() => undefined);

    expect(found.some((line) => line.includes('bwrap'))).toBe(true);
    expect(found.filter((line) => line.includes(CANARY))).toEqual([]);
  });
});

describe('the host, from inside the sandbox', () => {
  let fixture: SandboxFixture;

  beforeAll(async () => {
    fixture = await createSandboxFixture();
  });

  afterAll(async () => {
    await fixture.remove();
  });

  it.each([
    ['/root'],
    ['/etc/shadow'],
    ['/var'],
    ['/work'],
    ['/run/docker.sock'],
    ['/sys'],
    ['/boot'],
    ['/proc/1/root/root'],
  ])('has no %s', async (path) => {
    expect((await fixture.sh(`ls ${path} && echo visible`)).stdoutTail).not.toContain('visible');
  });

  it.each([
    ['/usr', 'touch /usr/x'],
    ['/etc', 'touch /etc/x'],
    ['the root folder', 'touch /x'],
    ['/dev', 'touch /dev/x'],
    ['the tools', 'touch $(dirname $(command -v node))/x'],
    ['the mounts', 'mount -t tmpfs none /home'],
    ['another user namespace', 'unshare --user true'],
    ['another user', 'setpriv --reuid=0 true || su -c true'],
    ['kernel settings', 'echo 1 > /proc/sys/kernel/printk'],
  ])('does not let it change %s', async (_what, script) => {
    const outcome = await fixture.sh(`${script} && echo DONE`);

    expect(outcome.kind).toBe('exited');
    expect(outcome.stdoutTail).not.toContain('DONE');
  });

  it('is a process space of its own without capabilities', async () => {
    const outcome = await fixture.sh(
      `ls /proc | grep -c '^[0-9]'; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; kill -0 ${String(process.pid)} && echo HOST; hostname`,
    );

    const [count = '99', ...rest] = outcome.stdoutTail.trim().split('\n');
    expect(Number(count)).toBeLessThan(8);
    expect(rest).toEqual(['CapEff:\t0000000000000000', 'NoNewPrivs:\t1', 'agent']);
  });

  it('runs as the slot’s own user', async () => {
    const uid = IS_ROOT ? fixture.slot.uid : process.getuid?.();

    expect((await fixture.sh('id -u')).stdoutTail.trim()).toBe(String(uid));
  });

  it('cannot be reached over any network: loopback, addresses, names, abstract sockets (trap 46)', async () => {
    const accepted: string[] = [];
    const tcp = createServer((socket) => {
      accepted.push('tcp');
      socket.end();
    });
    const abstract = createServer((socket) => {
      accepted.push('abstract');
      socket.end();
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const name = `\0ratchet-${String(process.pid)}`;
    await new Promise<void>((resolve) => abstract.listen(name, resolve));
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const targets = JSON.stringify([
      { host: '127.0.0.1', port },
      { host: '169.254.169.254', port: 80 },
      { host: '::1', port },
      { host: '2130706433', port },
      { host: 'github.com', port: 443 },
      { path: name },
    ]);
    const program = `
      const net = require('node:net');
      for (const target of ${targets}) {
        const socket = net.connect({ ...target, timeout: 2000 });
        socket.on('connect', () => { console.log('CONNECTED', JSON.stringify(target)); process.exit(1); });
        socket.on('timeout', () => socket.destroy(new Error('timeout')));
        socket.on('error', () => console.log('refused'));
      }`;

    const outcome = await fixture.run(['node', '-e', program]);
    tcp.close();
    abstract.close();

    expect(outcome.stdoutTail.trim().split('\n')).toEqual(Array.from({ length: 6 }, () => 'refused'));
    expect(accepted).toEqual([]);
  });

  it('keeps nothing of one run for the next but the workspace and the given home', async () => {
    await fixture.sh(
      'echo planted > /tmp/x; echo planted > /dev/shm/x; echo planted > ~/.profile; echo kept > /workspace/x',
    );

    const outcome = await fixture.sh('cat /tmp/x /dev/shm/x; cat /workspace/x');

    expect(outcome.stdoutTail).toBe('kept\n');
  });
});

describe('resource limits', () => {
  let fixture: SandboxFixture;

  beforeAll(async () => {
    const limits = { maxOpenFiles: 256, maxProcesses: 40, maxFileBytes: 1024 * 1024, maxTmpBytes: 1024 * 1024 };
    fixture = await createSandboxFixture('bubblewrap', { limits });
  });

  afterAll(async () => {
    await fixture.remove();
  });

  it('bound the number of processes', async () => {
    const outcome = await fixture.sh('i=0; while [ $i -lt 200 ]; do sleep 100 & i=$((i+1)); done; echo ALL');

    expect(outcome.stdoutTail).not.toContain('ALL');
    expect(outcome.processesLeft).toBe(0);
  });

  it.each([
    ['a file of the workspace', '/workspace/big'],
    ['/tmp', '/tmp/big'],
    ['/dev/shm', '/dev/shm/big'],
  ])('bound the size of %s', async (_what, path) => {
    const outcome = await fixture.sh(`head -c 3000000 /dev/zero > ${path} && echo ALL; stat -c %s ${path}`);

    expect(outcome.stdoutTail).not.toContain('ALL');
    expect(Number(outcome.stdoutTail.trim())).toBeLessThanOrEqual(1024 * 1024);
  });
});

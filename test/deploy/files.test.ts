import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { BUBBLEWRAP_CALLS, ORDINARY_CALLS, toSeccompProfile } from '../../scripts/deploy/seccomp-profile.ts';
import { makeContainer } from '../support/container.ts';

const ROOT = join(import.meta.dirname, '../..');

async function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

describe.each(['Dockerfile', 'deploy/agent.Dockerfile'])('%s', (path) => {
  it('is a Dockerfile in which a linter finds nothing, and its last user is not root', async () => {
    const text = await read(path);

    expect(validate(text)).toEqual([]);
    expect([...text.matchAll(/^USER (.+)$/gmu)].at(-1)?.[1]).toBe('node');
  });
});

describe('the image', () => {
  it('copies no secret, no data and nothing of Git from the folder that it is built in', async () => {
    const ignored = (await read('.dockerignore')).trim().split('\n');

    expect(ignored).toEqual(
      expect.arrayContaining(['.git', '**/node_modules', 'dist', '.cache', '**/.env*', 'data', '**/*.pem']),
    );
  });

  it('says how it is checked, and starts `ratchet serve`, which is on the PATH', async () => {
    const text = await read('Dockerfile');

    expect(text).toMatch(/^HEALTHCHECK .*\/healthz/mu);
    expect(text).toContain('ln -s /app/dist/main.js /usr/local/bin/ratchet');
    expect(text).toMatch(/ENTRYPOINT \["tini", "--", "ratchet"\]\nCMD \["serve"\]\n$/u);
  });

  it('has an agent of the version that the tests run, in the example', async () => {
    const { dependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await read('test/agents/clis/codex/package.json')));

    expect(await read('deploy/agent.Dockerfile')).toContain(`@openai/codex@${dependencies['@openai/codex'] ?? ''}`);
  });
});

describe('deploy/compose.yaml', () => {
  it('is a Compose file in which a linter finds nothing', async () => {
    const options = { cwd: ROOT, preferLocal: true, reject: false, all: true } as const;
    const { exitCode, all } = await execa(
      'dclint',
      ['--config', 'test/deploy/dclint.json', '--max-warnings', '0', 'deploy/compose.yaml'],
      options,
    );

    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' });
  });

  it('gives the container what bubblewrap needs and nothing more, time to stop, a volume and Redis', async () => {
    const { services, volumes } = z
      .object({
        services: z.record(z.string(), z.record(z.string(), z.unknown())),
        volumes: z.record(z.string(), z.null()),
      })
      .parse(parse(await read('deploy/compose.yaml')));

    expect(services['ratchet']).toMatchObject({
      ...{ cap_drop: ['ALL'], read_only: true, stop_grace_period: '15s', volumes: ['data:/data'], env_file: '.env' },
      security_opt: [
        'no-new-privileges:true',
        'seccomp=./seccomp.json',
        'apparmor=ratchet-container',
        'systempaths=unconfined',
      ],
      environment: { REDIS_URL: 'redis://redis:6379' },
    });
    expect(services['ratchet']).not.toHaveProperty('privileged');
    expect(services['redis']).toMatchObject({ cap_drop: ['ALL'] });
    expect(services['redis']).not.toHaveProperty('ports');
    expect(volumes).toEqual({ data: null });
  });
});

describe('deploy/ratchet.service', () => {
  it('is a unit that systemd accepts without a warning', async () => {
    // The program is not installed here.
    const unit = (await read('deploy/ratchet.service')).replace('/usr/local/bin/ratchet', '/usr/bin/true');
    const path = join(tmpdir(), `ratchet-${String(process.pid)}.service`);
    await writeFile(path, unit);
    const { exitCode, all } = await execa('systemd-analyze', ['verify', '--man=no', path], {
      reject: false,
      all: true,
    });

    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' });
  });

  it('delegates cgroups, leaves bubblewrap what it needs, and stops Ratchet before anything below it', async () => {
    const settings = (await read('deploy/ratchet.service')).split('\n').filter((line) => /^\w+=/u.test(line));

    expect(settings).toEqual(
      expect.arrayContaining(['Delegate=cpu memory pids', 'OOMPolicy=continue', 'KillMode=mixed', 'TimeoutStopSec=15']),
    );
    const harmful =
      /^(?:RestrictNamespaces|ProtectProc|ProcSubset|ProtectKernelTunables|ProtectKernelLogs|ProtectHostname|ProtectControlGroups|PrivateUsers|SystemCallFilter|MemoryDenyWriteExecute)=/u;
    expect(settings.filter((line) => harmful.test(line))).toEqual([]);
  });
});

describe('deploy/apparmor-profile', () => {
  it('is a profile that AppArmor compiles', async () => {
    const options = { reject: false, all: true } as const;
    const args = ['--skip-kernel-load', '--skip-cache', join(ROOT, 'deploy/apparmor-profile')];
    const { exitCode, all } = await execa('/usr/sbin/apparmor_parser', args, options);

    expect({ exitCode, faults: all.split('\n').filter((line) => /error|syntax/iu.test(line)) }).toEqual({
      exitCode: 0,
      faults: [],
    });
  });
});

describe('deploy/seccomp.json', () => {
  it('is what `node scripts/write-seccomp.ts` writes', async () => {
    expect(JSON.parse(await read('deploy/seccomp.json'))).toEqual(toSeccompProfile());
  });

  it('has the shape that Docker reads, and denies what it does not name', async () => {
    const rule = z.strictObject({
      names: z.array(z.string().regex(/^[a-z0-9_]+$/u)).nonempty(),
      action: z.enum(['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO']),
      errnoRet: z.int().optional(),
      args: z.array(z.strictObject({ index: z.int(), value: z.int(), op: z.literal('SCMP_CMP_EQ') })).optional(),
      includes: z.strictObject({ arches: z.array(z.string()) }).optional(),
      comment: z.string().optional(),
    });
    const shape = z.strictObject({
      defaultAction: z.literal('SCMP_ACT_ERRNO'),
      defaultErrnoRet: z.literal(1),
      archMap: z.array(z.strictObject({ architecture: z.string(), subArchitectures: z.array(z.string()) })),
      syscalls: z.array(rule),
    });

    expect(shape.parse(JSON.parse(await read('deploy/seccomp.json'))).syscalls.length).toBeGreaterThan(5);
  });

  it('adds only the calls of bubblewrap to the ordinary ones, and none that reaches out of a container', () => {
    const allowed = toSeccompProfile()
      .syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW')
      .flatMap(({ names }) => names);

    const checked = ['arch_prctl', 'personality', 'socket'];
    expect(allowed.filter((name) => !ORDINARY_CALLS.includes(name) && !checked.includes(name))).toEqual([
      ...BUBBLEWRAP_CALLS,
    ]);
    expect(ORDINARY_CALLS.filter((name) => BUBBLEWRAP_CALLS.includes(name))).toEqual([]);
    expect(new Set(ORDINARY_CALLS).size).toBe(ORDINARY_CALLS.length);
    const dangerous =
      'acct add_key bpf chroot clock_settime delete_module fanotify_init finit_module fsmount fsopen init_module io_uring_setup ' +
      'kexec_load keyctl lookup_dcookie mount_setattr move_mount open_by_handle_at open_tree perf_event_open pidfd_getfd ptrace ' +
      'process_vm_readv process_vm_writev quotactl reboot request_key setdomainname setns settimeofday swapon syslog userfaultfd';
    expect(dangerous.split(' ').filter((name) => allowed.includes(name))).toEqual([]);
  });
});

/** Where the tests do not run as root, runc cannot make a container. */
describe.runIf(process.getuid?.() === 0)('bubblewrap in a container', () => {
  /** As Ratchet calls it. */
  const SANDBOX = [
    ...[
      'bwrap',
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--assert-userns-disabled',
      '--die-with-parent',
    ],
    ...[
      '--new-session',
      '--cap-drop',
      'ALL',
      '--hostname',
      'agent',
      '--ro-bind',
      '/usr',
      '/usr',
      '--symlink',
      'usr/bin',
      '/bin',
    ],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev'],
    ...['--tmpfs', '/tmp', '--remount-ro', '/', '--', 'sh', '-c', 'echo made'],
  ];

  async function makeSandbox(change: Omit<Parameters<typeof makeContainer>[0], 'args'> = {}): Promise<string> {
    const container = await makeContainer({ args: SANDBOX, ...change });
    try {
      return (await container.run({ reject: false, all: true, timeout: 30_000 })).all;
    } finally {
      await container.remove();
    }
  }

  it('makes a sandbox with the flags of the documentation', async () => {
    expect(await makeSandbox()).toBe('made');
  });

  it.each(BUBBLEWRAP_CALLS)(
    'makes none without the call %s: the profile allows no more than is needed',
    async (name) => {
      expect(await makeSandbox({ without: [name] })).not.toContain('made');
    },
  );

  it('makes none where /proc is masked, as it is without `systempaths=unconfined`', async () => {
    expect(await makeSandbox({ isProcMasked: true })).not.toContain('made');
  });
});

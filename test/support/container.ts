import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type Options } from 'execa';
import { type SeccompProfile, toSeccompProfile } from '../../scripts/deploy/seccomp-profile.ts';

/** A container of runc, the program by which Docker starts its own, as `docker run --cap-drop ALL --read-only` makes it. */
export interface ContainerOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** System calls of bubblewrap that its filter denies, as Docker's own does. */
  readonly without?: readonly string[];
  /** As Docker masks it by default. */
  readonly isProcMasked?: boolean;
  /** Of the host, by their place in the container. */
  readonly mounts?: Readonly<Record<string, { readonly from: string; readonly isWritable?: true }>>;
}

/** What Docker's documentation lists as masked, and as read-only. */
const MASKED = ['/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/scsi', '/sys/firmware'];
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
const NEW_NAMESPACES = 0x7e020000;
/** The user `node` of the image. */
export const CONTAINER_UID = 1000;

/** Makes the container's folder and returns what starts it; `remove` ends it. */
export async function makeContainer(options: ContainerOptions): Promise<{
  readonly run: <Run extends Options>(how: Run) => ReturnType<typeof execa<Run>>;
  readonly kill: (signal: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}> {
  const bundle = await mkdtemp(join(tmpdir(), 'ratchet-container-'));
  const id = `ratchet-${String(process.pid)}-${bundle.slice(-6)}`;
  await mkdir(join(bundle, 'rootfs'), { mode: 0o755 });
  for (const name of ['usr', 'etc', 'proc', 'dev', 'sys', 'tmp', 'app', 'data'])
    await mkdir(join(bundle, 'rootfs', name));
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(bundle, 'rootfs', name));
  await writeFile(join(bundle, 'config.json'), JSON.stringify(toConfig(options)));
  const runc = ['--root', join(bundle, 'state')];
  return {
    run: (how) => execa('runc', [...runc, 'run', '--bundle', bundle, id], how),
    kill: async (signal) => {
      await execa('runc', [...runc, 'kill', id, signal]);
    },
    remove: async () => {
      await execa('runc', [...runc, 'delete', '--force', id], { reject: false });
      await rm(bundle, { recursive: true, force: true });
    },
  };
}

function toConfig({ args, env = {}, without = [], isProcMasked = false, mounts = {} }: ContainerOptions): object {
  const bound = Object.entries(mounts).map(([destination, { from, isWritable }]) =>
    toBind(from, destination, isWritable === true ? 'rw' : 'ro'),
  );
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid: CONTAINER_UID, gid: CONTAINER_UID },
      args,
      env: Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...env }).map(([name, value]) => `${name}=${value}`),
      cwd: '/tmp',
      noNewPrivileges: true,
      capabilities: {},
    },
    root: { path: 'rootfs', readonly: true },
    hostname: 'container',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'noexec', 'mode=1777'] },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'ro'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=1777'] },
      toBind('/usr', '/usr', 'ro'),
      toBind('/etc', '/etc', 'ro'),
      ...bound,
    ],
    linux: {
      // The network is that of the host, so that a test reaches a server in it.
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      seccomp: toOciSeccomp(toSeccompProfile(), without),
      ...(isProcMasked ? { maskedPaths: MASKED, readonlyPaths: READ_ONLY } : {}),
    },
  };
}

function toBind(source: string, destination: string, mode: 'ro' | 'rw'): object {
  return { source, destination, type: 'bind', options: ['rbind', mode] };
}

/** The profile as Docker hands it to runc, on this processor. `clone` without namespaces is what everybody may do. */
function toOciSeccomp({ defaultAction, archMap, syscalls }: SeccompProfile, without: readonly string[]): object {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const rules = syscalls
    .filter(({ includes }) => includes === undefined || includes.arches.includes(arch))
    .map(({ names, action, errnoRet, args }) => ({
      ...{ names: names.filter((name) => !without.includes(name)), action },
      ...{ errnoRet, args },
    }))
    .filter(({ names }) => names.length > 0);
  const plainClone = {
    names: ['clone'],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  };
  return {
    defaultAction,
    architectures: archMap.map(({ architecture }) => architecture),
    syscalls: without.includes('clone') ? [...rules, plainClone] : rules,
  };
}

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cgroups, findCgroups, lookForCgroups } from '../../../../src/adapters/sandbox/limits/find-cgroups.ts';
import type { ProcessStatus } from '../../../../src/adapters/sandbox/processes.ts';
import { createTempFolder } from '../../../support/git-repository.ts';
import { NEVER } from '../../../support/never.ts';
import { createSandboxFixture } from '../sandbox-fixture.ts';

const LIMITS = { maxMemoryBytes: 1000, maxProcesses: 50 };

function aProcess(pid: number, parentPid: number): ProcessStatus {
  return { pid, parentPid, uid: 0, threads: 1, isZombie: false, memoryBytes: 0 };
}

/** The service, its parent and its child, and a stranger. */
const PROCESSES = [
  aProcess(1, 0),
  aProcess(50, 1),
  aProcess(process.pid, 50),
  aProcess(process.pid + 1, process.pid),
  aProcess(70, 1),
];

describe('the cgroups of commands', () => {
  let root: string;
  let base: string;
  let remove: () => Promise<void>;

  /** A folder that looks like a delegated cgroup. */
  beforeEach(async () => {
    ({ path: root, remove } = await createTempFolder());
    base = join(root, 'mount', 'service.slice');
    await mkdir(base, { recursive: true });
    await writeFile(join(root, 'own'), '1:name=systemd:/x\n0::/service.slice\n');
    await write({
      'cgroup.controllers': 'cpuset cpu io memory pids\n',
      'cgroup.procs': `${String(process.pid)}\n50\n${String(process.pid + 1)}\n`,
      'cgroup.subtree_control': '',
    });
  });

  afterEach(async () => {
    await remove();
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) await writeFile(join(base, name), text);
  }

  function find(): Promise<Cgroups> {
    return findCgroups({
      mountPoint: join(root, 'mount'),
      ownCgroup: join(root, 'own'),
      processes: () => Promise.resolve(PROCESSES),
      removeFolder: (folder) => rm(folder, { recursive: true }),
    });
  }

  async function createOne(): Promise<Awaited<ReturnType<Extract<Cgroups, { kind: 'delegated' }>['create']>>> {
    const found = await find();
    if (found.kind === 'none') throw new Error(found.why);
    return found.create('a', LIMITS);
  }

  const read = (name: string): Promise<string> => readFile(join(base, name), 'utf8');

  it('are only looked for by a diagnosis: those of a running service stay', async () => {
    await mkdir(join(base, 'ratchet-run-busy'));
    const before = await readdir(base);
    const options = { mountPoint: join(root, 'mount'), ownCgroup: join(root, 'own') };

    expect(await lookForCgroups(options)).toEqual({
      kind: 'none',
      why: 'a service here uses cgroup v2; this look leaves it alone',
    });
    expect(await readdir(base)).toEqual(before);
    expect(await read('cgroup.subtree_control')).toBe('');
    await write({ 'cgroup.controllers': 'cpuset cpu io memory\n' });
    expect(await lookForCgroups(options)).toMatchObject({ why: 'cgroup v2 has no controller for pids here' });
  });

  it('share out the controllers below the service, which moves out of the way', async () => {
    await mkdir(join(base, 'ratchet-run-left'));

    expect(await find()).toMatchObject({ kind: 'delegated' });
    expect(await read('cgroup.subtree_control')).toBe('+cpu +memory +pids');
    // cgroup.procs takes one process with each write: the file keeps the last.
    expect(await read('ratchet-service/cgroup.procs')).toBe(String(process.pid + 1));
    expect(await readdir(base)).not.toContain('ratchet-run-left');
  });

  it('limit memory and processes, and end a command as a whole', async () => {
    const { procs } = await createOne();

    expect(procs).toBe(join(base, 'ratchet-run-a', 'cgroup.procs'));
    expect(await read('ratchet-run-a/memory.max')).toBe('1000');
    expect(await read('ratchet-run-a/memory.oom.group')).toBe('1');
    expect(await read('ratchet-run-a/memory.swap.max')).toBe('0');
    expect(await read('ratchet-run-a/pids.max')).toBe('50');
    expect(await read('ratchet-run-a/cpu.weight')).toBe('50');
    expect(await read('ratchet-run-a/cpu.max')).toMatch(/^\d+75000 100000$/);
  });

  it('need no controller for the processor', async () => {
    await write({ 'cgroup.controllers': 'memory pids\n' });

    const { procs } = await createOne();

    expect(await read('cgroup.subtree_control')).toBe('+memory +pids');
    expect(await readdir(join(procs, '..'))).not.toContain('cpu.max');
  });

  it.each([
    ['low 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n', 'memory_limit'],
    ['low 0\nmax 3\noom 0\noom_kill 0\noom_group_kill 0\n', null],
    ['', null],
  ])('tell of memory that ran out: %j', async (events, expected) => {
    const cgroup = await createOne();
    await write({ 'ratchet-run-a/memory.events': events });

    expect(await cgroup.findExceeded()).toBe(expected);
    await cgroup.remove();
    expect(await readdir(base)).not.toContain('ratchet-run-a');
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['no cgroup v2', () => writeFile(join(root, 'own'), '4:memory:/x\n'), 'no cgroup v2'],
    [
      'a shell around it',
      () => writeFile(join(root, 'own'), '0::/user.slice/session-3.scope\n'),
      'started from a session',
    ],
    ['no controllers', () => write({ 'cgroup.controllers': 'cpu pids\n' }), 'no controller for memory'],
    ['no such folder', () => rm(base, { recursive: true }), 'no controller for memory and pids'],
    ['strangers in it', () => write({ 'cgroup.procs': `${String(process.pid)}\n70\n` }), 'other programs'],
    ['a file that is missing', () => rm(join(base, 'cgroup.subtree_control')), 'not delegated'],
    [
      'a folder where a file should be',
      () => mkdir(join(base, 'ratchet-service', 'cgroup.procs'), { recursive: true }),
      'cannot be divided',
    ],
  ])('are left alone where there is %s', async (_what, arrange, why) => {
    await arrange();

    const found = await find();

    expect(found.kind === 'none' ? found.why : 'delegated').toContain(why);
  });

  it('are entered by a sandbox before it starts, and tell why it ended', async () => {
    const procs = join(root, 'procs');
    const calls: string[] = [];
    const cgroups: Cgroups = {
      kind: 'delegated',
      create: (id, limits) => {
        calls.push(`${id === '' ? 'no id' : 'created'} ${String(limits.maxProcesses)}`);
        return Promise.resolve({
          procs,
          findExceeded: () => Promise.resolve('memory_limit'),
          remove: () => Promise.resolve(void calls.push('removed')),
        });
      },
    };
    const fixture = await createSandboxFixture('bubblewrap', {
      cgroups: () => Promise.resolve(cgroups),
      limits: { maxProcesses: 100 },
    });

    const outcome = await fixture.sh('exit 137');
    const profile = await fixture.sandbox.probe(NEVER);
    await fixture.remove();

    expect(outcome).toMatchObject({ kind: 'memory_limit', exitCode: 137 });
    expect(Number(await readFile(procs, 'utf8'))).toBeGreaterThan(1);
    expect(calls.slice(0, 2)).toEqual(['created 200', 'removed']);
    expect(JSON.stringify(profile)).toContain('unavailable');
  });

  it('are needed where they were found: without its own, no command starts', async () => {
    const create = (): Promise<never> => Promise.reject(new Error('no space in the cgroup'));
    const fixture = await createSandboxFixture('bubblewrap', {
      cgroups: () => Promise.resolve({ kind: 'delegated', create }),
    });

    const outcome = await fixture.sh('echo ran');
    await fixture.remove();

    expect(outcome).toMatchObject({ kind: 'not_started', stdoutTail: '', stderrTail: 'no space in the cgroup' });
  });

  it('are not the only witness: the kernel counts what it kills where the machine has no memory left', async () => {
    let kills = 0;
    const countMemoryKills = (): Promise<number> => Promise.resolve(kills++);
    const fixture = await createSandboxFixture('bubblewrap', { countMemoryKills });

    const kinds = [await fixture.sh('kill -9 $$'), await fixture.sh('exit 1')].map(({ kind }) => kind);
    await fixture.remove();

    expect(kinds).toEqual(['memory_limit', 'exited']);
  });
});

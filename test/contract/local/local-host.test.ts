import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeScratch } from '../../../src/adapters/local/take-scratch.ts';
import { createUnsafeSandbox } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { createCheckoutHost } from '../../../src/compose/compose-check.ts';
import type { EngineHost, Invocation } from '../../../src/ports/engine-host.ts';
import { expectGone } from '../../support/expect-gone.ts';
import { createTempFolder, createTestLog } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';
import { createTestIds } from '../sandbox/sandbox-fixture.ts';

const signal = NEVER;
let root = '';
let scratch = '';
let remove = async (): Promise<void> => undefined;

beforeEach(async () => {
  const folder = await createTempFolder({ inMemory: true });
  root = join(folder.path, 'repository');
  scratch = join(folder.path, 'scratch');
  await mkdir(root);
  await mkdir(scratch);
  remove = folder.remove;
});
afterEach(() => remove());

function createHost(files: readonly string[] = [], folder = root): EngineHost {
  const newId = createTestIds();
  return createCheckoutHost({
    root: folder,
    files,
    dependencies: 'ready',
    sandbox: createUnsafeSandbox({ slots: 1, toolsDir: scratch, log: createTestLog(), newId, graceMs: 200 }),
    scratch,
    nodePath: process.execPath,
    env: { PATH: '/usr/bin:/bin' },
    log: createTestLog(),
    surroundings: () => Promise.resolve(''),
  });
}

function sh(script: string, change: Partial<Invocation> = {}): Invocation {
  return {
    name: 'tool-target',
    argv: ['/bin/sh', '-c', script],
    env: {},
    cwd: '.',
    timeoutMs: 120_000,
    maxOutputBytes: 1_000_000,
    reports: [],
    keepsArtifacts: false,
    ...change,
  };
}

describe('an engine at a terminal', () => {
  it('runs in its folder with a clean environment, and both streams are read whole', async () => {
    await mkdir(join(root, 'sub'));
    const script =
      'pwd; env | sort | grep -v -e ^_= -e ^PWD= -e ^SHLVL= -e ^OLDPWD= -e ^RATCHET_SANDBOX_ID=; echo no >&2';

    const { exit, stdout, stderr } = await createHost().run(sh(script, { cwd: 'sub', env: { MINE: '1' } }), signal);

    expect(exit).toMatchObject({ kind: 'exited', exitCode: 0, signal: null });
    expect(stdout.split('\n')).toEqual([
      join(root, 'sub'),
      'CI=1',
      'FORCE_COLOR=0',
      'MINE=1',
      'NO_COLOR=1',
      'PATH=/usr/bin:/bin',
      '',
    ]);
    expect(stderr).toBe('no\n');
  });

  it('is read without colours, byte order mark and what is no UTF-8', async () => {
    const { stdout } = await createHost().run(sh(String.raw`printf '\357\273\277\033[31mred\033[0m \377'`), signal);

    expect(stdout).toBe('red \uFFFD');
  });

  it('finds its report again, and never one of an earlier run', async () => {
    const host = createHost();
    const folder = host.artifacts('tool-target');
    const write = sh(`echo one > ${folder}/r.txt`, { reports: ['r.txt', 'other.txt'] });

    expect((await host.run(write, signal)).reports).toEqual({ 'r.txt': 'one\n', 'other.txt': null });
    expect((await host.run(sh('true', { reports: ['r.txt'] }), signal)).reports).toEqual({ 'r.txt': null });
  });

  it('keeps what an earlier step wrote where it is told to, but for the report itself', async () => {
    const host = createHost();
    const folder = host.artifacts('tool-target');
    await host.run(sh(`echo data > ${folder}/data; echo old > ${folder}/r.txt`), signal);

    const next = sh(`cat ${folder}/data`, { reports: ['r.txt'], keepsArtifacts: true });

    expect(await host.run(next, signal)).toMatchObject({ stdout: 'data\n', reports: { 'r.txt': null } });
  });

  it.each([
    ['exits', sh('exit 3'), { kind: 'exited', exitCode: 3 }],
    ['dies of a signal', sh('kill -SEGV $$'), { kind: 'signalled', exitCode: null, signal: 'SIGSEGV' }],
    ['takes too long', sh('sleep 60', { timeoutMs: 50 }), { kind: 'timed_out' }],
    ['prints too much', sh('yes', { maxOutputBytes: 1000 }), { kind: 'output_limit' }],
    ['is not there', { ...sh(''), argv: ['no-such-tool'] }, { kind: 'not_found' }],
    ['is no program', { ...sh(''), argv: ['/etc'] }, { kind: 'not_launched' }],
    ['has no folder to run in', sh('true', { cwd: 'nowhere' }), { kind: 'not_launched' }],
  ])('tells how it ended: %s', async (_, invocation, expected) => {
    expect((await createHost().run(invocation, signal)).exit).toMatchObject(expected);
  });

  it('is ended with all that it started when the check is stopped', async () => {
    const stop = new AbortController();
    const marker = join(scratch, 'started');
    const running = createHost().run(sh(`sleep 61 & echo $! > ${marker}; wait`), stop.signal);
    let pid = '';
    while (pid === '') pid = (await readFile(marker, 'utf8').catch(() => '')).trim();
    stop.abort();

    expect((await running).exit.kind).toBe('aborted');
    await expectGone(Number(pid));
  });
});

describe('the files of a checkout', () => {
  it('are read as texts below a limit, and a folder or a pipe is none', async () => {
    await writeFile(join(root, 'a.txt'), 'abc');
    await execa('mkfifo', [join(root, 'pipe')]);
    const host = createHost();

    expect(await host.readText('a.txt', 3)).toBe('abc');
    expect(await host.readText('a.txt', 2)).toBeNull();
    expect(await host.readText('.', 100)).toBeNull();
    expect(await host.readText('pipe', 100)).toBeNull();
    expect(await host.has('a.txt')).toBe(true);
    expect(await host.has('b.txt')).toBe(false);
  });

  it('have one identity in every clone of the same content, and another after any change (000.R7)', async () => {
    const clone = join(scratch, 'clone');
    await mkdir(clone);
    for (const folder of [root, clone]) {
      await writeFile(join(folder, 'a'), 'one');
      await writeFile(join(folder, 'b'), 'two');
      await symlink('a', join(folder, 'link'));
    }
    const files = ['a', 'b', 'gone', 'link'];
    const hash = await createHost(files).contentHash();

    expect(await createHost(files, clone).contentHash()).toBe(hash);
    expect(await createHost(files.slice(0, 2)).contentHash()).not.toBe(hash);
    await writeFile(join(clone, 'b'), 'Two');
    expect(await createHost(files, clone).contentHash()).not.toBe(hash);
  });
});

describe('the folder of a run', () => {
  it('is the same for runs one after the other, and empty', async () => {
    const first = await takeScratch(scratch, { pid: process.pid });
    await writeFile(join(first.folder, 'left'), '');
    await first.release();
    const second = await takeScratch(scratch, { pid: process.pid });

    expect(second.folder).toBe(first.folder);
    expect(await readdir(second.folder)).toEqual(['owner']);
  });

  it('is another for a run at the same time', async () => {
    const folders = await Promise.all([1, 2, 3].map(() => takeScratch(scratch, { pid: process.pid })));

    expect(new Set(folders.map(({ folder }) => folder)).size).toBe(3);
  });

  it('is taken over from a process that is gone', async () => {
    const child = execa('true');
    await child;
    const dead = await takeScratch(scratch, { pid: child.pid ?? 0 });

    expect((await takeScratch(scratch, { pid: process.pid })).folder).toBe(dead.folder);
  });

  it('is refused where very many are at work', async () => {
    for (let count = 0; count < 32; count += 1) await takeScratch(scratch, { pid: process.pid });

    await expect(takeScratch(scratch, { pid: process.pid })).rejects.toThrow('32 runs are at work');
  });
});

import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBubblewrapSandbox, DEFAULT_PROGRAMS } from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { toHostPath } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { explainFailure } from '../../../src/adapters/sandbox/probe-sandbox.ts';
import { DENIED_CALLS } from '../../../src/adapters/sandbox/seccomp/denied-calls.ts';
import { findArchitecture } from '../../../src/adapters/sandbox/seccomp/to-seccomp-filter.ts';
import { NEVER } from '../../support/never.ts';
import {
  createSandboxFixture,
  IS_ROOT,
  type SandboxFixture,
  TIMEOUT_MS,
  toBubblewrapOptions,
} from './sandbox-fixture.ts';

/** What holds for every sandbox, with or without isolation. */
describe.each(['bubblewrap', 'unsafe'] as const)('the %s sandbox', (kind) => {
  let fixture: SandboxFixture;

  beforeAll(async () => {
    fixture = await createSandboxFixture(kind);
  });

  afterAll(async () => {
    await fixture.remove();
  });

  it('runs a command in the workspace and returns its exit code and output', async () => {
    const outcome = await fixture.sh('cat; pwd > /dev/null; echo to-stderr >&2; echo made > file; exit 3', {
      stdin: 'from stdin\n',
    });

    expect(outcome).toMatchObject({
      kind: 'exited',
      exitCode: 3,
      signal: null,
      stdoutTail: 'from stdin\n',
      stderrTail: 'to-stderr\n',
      processesLeft: 0,
    });
    expect(await readFile(join(fixture.workDir, 'file'), 'utf8')).toBe('made\n');
    expect(await fixture.readStdout()).toBe('from stdin\n');
  });

  it('gives the command exactly the environment that it was told', async () => {
    const outcome = await fixture.run(['/usr/bin/env'], { env: { ONLY: 'this' } });

    const names = outcome.stdoutTail
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('RATCHET_SANDBOX_ID='));
    expect(names.filter((line) => line !== 'PWD=/workspace')).toEqual(['ONLY=this']);
  });

  it('runs the Node of the tools', async () => {
    const outcome = await fixture.run(['node', '-p', '1 + 1']);

    expect(outcome).toMatchObject({ exitCode: 0, stdoutTail: '2\n' });
  });

  it('is not disturbed by a command that reads no input', async () => {
    const outcome = await fixture.sh('exit 0', { stdin: 'x'.repeat(1_000_000) });

    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 });
  });

  it('ends a command at the deadline with SIGTERM first', async ({ onTestFinished }) => {
    // The deadline passes when the command is ready for it, and its grace is long: on a busy machine each step takes its time.
    const { run, workDir, remove } = await createSandboxFixture(kind, { graceMs: 60_000 });
    onTestFinished(remove);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const running = run(['bash', '-c', "trap 'echo asked; exit 9' TERM; echo up; : > up; sleep 60 & wait"]);
    while (!existsSync(join(workDir, 'up'))) await setImmediate();
    // bwrap has told which process is the command's before that started; these turns read it.
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    vi.advanceTimersByTime(TIMEOUT_MS);
    vi.useRealTimers();
    const outcome = await running;

    expect(outcome).toMatchObject({ kind: 'timed_out', processesLeft: 0 });
    expect(outcome.stdoutTail).toBe('up\nasked\n');
  });

  it('kills a command that ignores SIGTERM (trap 106)', async () => {
    const outcome = await fixture.run(['node', '-e', "process.on('SIGTERM',()=>{});setInterval(()=>{},1e4)"], {
      timeoutMs: 2_000,
    });

    expect(outcome).toMatchObject({ kind: 'timed_out', processesLeft: 0 });
    expect(outcome.durationMs).toBeLessThan(60_000);
  });

  it('kills a command on abort, and starts none after it (trap 121)', async () => {
    const controller = new AbortController();
    const running = fixture.sh('sleep 1000', {}, controller.signal);
    setTimeout(() => controller.abort(), 200);

    expect(await running).toMatchObject({ kind: 'aborted', processesLeft: 0 });
    expect(await fixture.sh('echo ran', {}, controller.signal)).toMatchObject({ kind: 'aborted', stdoutTail: '' });
  });

  it('kills a command that ignores SIGTERM soon after an abort, whatever its grace at a deadline is', async ({
    onTestFinished,
  }) => {
    const { run, workDir, remove } = await createSandboxFixture(kind, { graceMs: 300_000 });
    onTestFinished(remove);
    const controller = new AbortController();
    const running = run(['bash', '-c', "trap '' TERM; : > up; while :; do sleep 60; done"], {}, controller.signal);
    while (!existsSync(join(workDir, 'up'))) await setImmediate();
    controller.abort();

    expect(await running).toMatchObject({ kind: 'aborted', processesLeft: 0 });
  });

  it('kills a flood at the cap, with the file cut and the tail kept', async () => {
    const before = process.memoryUsage().rss;

    const outcome = await fixture.sh('yes flood', { maxOutputBytes: 8 * 1024 * 1024 });

    expect(outcome).toMatchObject({ kind: 'output_flood', processesLeft: 0 });
    expect(outcome.stdoutTail.length).toBe(64 * 1024);
    expect((await stat(join(fixture.root, 'stdout.log'))).size).toBe(8 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('does not write its output through a link', async () => {
    const target = join(fixture.root, 'precious');
    await writeFile(target, 'precious\n');
    await symlink(target, join(fixture.root, 'link.log'));

    const outcome = await fixture.sh('echo overwritten', { stdoutPath: join(fixture.root, 'link.log') });

    expect(outcome.kind).toBe('not_started');
    expect(await readFile(target, 'utf8')).toBe('precious\n');
  });

  it('loses no output of commands that end at once', async () => {
    const tails: string[] = [];
    for (let run = 0; run < 20; run += 1) tails.push((await fixture.run(['/usr/bin/echo', String(run)])).stdoutTail);

    expect(tails).toEqual(Array.from({ length: 20 }, (_, run) => `${String(run)}\n`));
  });

  it('says that a program is missing', async () => {
    const outcome = await fixture.run(['/usr/bin/no-such-program']);

    expect(outcome.kind).toBe('not_started');
    expect(outcome.stderrTail).toContain('no-such-program');
  });

  it('hands out each slot once and serves the waiting in order', async () => {
    const { sandbox } = fixture;
    const second = await sandbox.acquireSlot(NEVER);
    const aborted = new AbortController();
    const given = sandbox.acquireSlot(aborted.signal);
    const third = sandbox.acquireSlot(NEVER);
    aborted.abort(new Error('gave up'));

    await expect(given).rejects.toThrow('gave up');
    sandbox.releaseSlot(second);
    sandbox.releaseSlot(second);

    expect(await third).toEqual(second);
    sandbox.releaseSlot(second);
  });
});

describe('the bubblewrap sandbox', () => {
  let fixture: SandboxFixture;

  beforeAll(async () => {
    fixture = await createSandboxFixture();
  });

  afterAll(async () => {
    await fixture.remove();
  });

  it('passes its probe', async () => {
    expect(await fixture.sandbox.probe(NEVER)).toMatchObject({ kind: 'ok' });
  });

  it('changes with its environment no program that runs before it is closed (T31)', async () => {
    const env = { PATH: '/usr/bin', PERL5OPT: '-Mno_such_module', LD_PRELOAD: '/no/such/library.so' };

    const outcome = await fixture.run(['/usr/bin/env'], { env });

    // Only the command itself is preloaded into, which complains once.
    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 });
    expect(outcome.stderrTail.match(/library\.so/g)).toHaveLength(1);
    expect(outcome.stdoutTail).toContain('PERL5OPT=-Mno_such_module\n');
  });

  it('cannot trace or stop its first process, and is ended at its deadline (T43)', async () => {
    const ptrace = DENIED_CALLS.ptrace[findArchitecture(process.arch) ?? 'x64'];
    const attach = `perl -e 'print syscall(${String(ptrace)}, 16, 1, 0, 0), " ", $! + 0'`;

    const outcome = await fixture.sh(`${attach}; kill -STOP 1; sleep 1000`, { timeoutMs: 5000 });

    expect(outcome).toMatchObject({ kind: 'timed_out', stdoutTail: '-1 1', processesLeft: 0 });
    expect(outcome.durationMs).toBeLessThan(60_000);
  });

  it('starts nothing with a variable that would end in an option of bwrap', async () => {
    expect(await fixture.run(['/usr/bin/env'], { env: { A: 'x\0--bind\0/\0/x' } })).toMatchObject({
      kind: 'not_started',
    });
  });

  it('starts nothing on a processor that it has no filter for', async () => {
    const sandbox = createBubblewrapSandbox({ ...(await toBubblewrapOptions(fixture.root)), arch: 'riscv64' });

    expect(await sandbox.probe(NEVER)).toEqual({
      kind: 'unavailable',
      why: 'there is no system-call filter for the processor riscv64',
    });
  });

  it('says in one line what to do when bubblewrap is missing', async () => {
    const options = await toBubblewrapOptions(fixture.root);
    const programs = { ...DEFAULT_PROGRAMS, bwrap: '/usr/bin/no-bwrap' };

    const probe = await createBubblewrapSandbox({ ...options, programs }).probe(NEVER);

    expect(probe).toMatchObject({ kind: 'unavailable' });
    expect(JSON.stringify(probe)).toContain('apt-get install bubblewrap');
  });

  it.each([
    ['bwrap: Creating new namespace failed: Operation not permitted', 'user namespaces are blocked'],
    ['bwrap: setting up uid map: Permission denied', 'user namespaces are blocked'],
    ['spawn /usr/bin/bwrap ENOENT', 'apt-get install'],
    ['', 'could not start'],
  ])('explains %j', (stderr, expected) => {
    expect(explainFailure(stderr)).toContain(expected);
    expect(explainFailure(stderr)).not.toContain('\n');
  });

  it('refuses to use uids of the machine’s own users', async () => {
    const options = await toBubblewrapOptions(fixture.root);

    expect(() => createBubblewrapSandbox({ ...options, isRoot: true, uidBase: 100 })).toThrow('slot uids');
  });

  it('mounts read-only what is not writable, also inside a writable folder', async () => {
    const git = join(fixture.workDir, '.git');
    await mkdir(git);
    await writeFile(join(git, 'config'), 'x\n');
    const deps = join(fixture.root, 'data', 'deps');
    await mkdir(deps);
    await writeFile(join(deps, 'index.js'), 'dep\n');
    const mounts = [
      { source: deps, target: '/workspace/node_modules', writable: false },
      { source: git, target: '/workspace/.git', writable: false },
      { source: fixture.workDir, target: '/workspace', writable: true },
    ];

    const outcome = await fixture.sh(
      'cat node_modules/index.js; touch node_modules/x; touch .git/x; rm -rf .git; mv .git y; touch ok && ls -A',
      { mounts },
    );

    expect(outcome.stdoutTail).toContain('dep\n');
    expect(outcome.stdoutTail).toContain('ok');
    expect(await readFile(join(git, 'config'), 'utf8')).toBe('x\n');
    expect(await stat(join(deps, 'x')).catch(() => 'absent')).toBe('absent');
  });

  it('refuses a mount whose source is a link that an agent may have put there', async () => {
    const link = join(fixture.workDir, 'evil');
    await symlink('/etc', link);

    const outcome = await fixture.sh('ls', { mounts: [{ source: link, target: '/workspace', writable: false }] });

    expect(outcome).toMatchObject({ kind: 'not_started' });
    expect(outcome.stderrTail).toContain('symbolic link');
  });

  it.each(['/usr', '/usr/lib/x', '/etc/passwd', '/proc', '/dev/x', '/tmp', 'relative', '/a/../b', '/a/'])(
    'refuses the mount target %j',
    async (target) => {
      const outcome = await fixture.sh('ls', { mounts: [{ source: fixture.workDir, target, writable: false }] });

      expect(outcome.kind).toBe('not_started');
      expect(outcome.stderrTail).toContain('mount target');
    },
  );

  it('names the folder that the sandbox’s user cannot pass', async () => {
    const closed = join(fixture.root, 'closed');
    await mkdir(join(closed, 'inner'), { recursive: true, mode: 0o700 });

    const outcome = await fixture.sh('ls', {
      mounts: [{ source: join(closed, 'inner'), target: '/workspace', writable: false }],
    });

    // As its own user the service may always pass.
    expect([outcome.kind, outcome.stderrTail.includes(closed)]).toEqual(
      IS_ROOT ? ['not_started', true] : ['exited', false],
    );
  });

  it('runs sandboxes of two slots at once without one ending the other', async () => {
    const other = await fixture.sandbox.acquireSlot(NEVER);
    const long = fixture.sh('sleep 1; echo survived');
    const short = await fixture.sh('exit 0', {
      slot: other,
      mounts: [],
      cwd: '/',
      stdoutPath: join(fixture.root, 'b.out'),
      stderrPath: join(fixture.root, 'b.err'),
    });

    expect(short).toMatchObject({ kind: 'exited', processesLeft: 0 });
    expect(await long).toMatchObject({ kind: 'exited', stdoutTail: 'survived\n', processesLeft: 0 });
  });
});

describe('toHostPath', () => {
  const mounts = [
    { source: '/host/work', target: '/workspace', writable: true },
    { source: '/host/script.json', target: '/workspace/script.json', writable: false },
  ];

  it.each([
    ['/workspace', '/host/work'],
    ['/workspace/src/a.js', '/host/work/src/a.js'],
    ['/workspace/script.json', '/host/script.json'],
    ['/workspaces', '/workspaces'],
    ['--x=/workspace', '--x=/workspace'],
  ])('maps %j to %j', (text, expected) => {
    expect(toHostPath(text, mounts)).toBe(expected);
  });
});

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CappedRun, runCapped } from '../../../src/adapters/sandbox/run-capped.ts';
import { createTempFolder } from '../../support/git-repository.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/adapters/sandbox/run-capped.ts')).href;

let root: string;
let removeRoot: () => Promise<void>;

beforeEach(async () => {
  ({ path: root, remove: removeRoot } = await createTempFolder());
});

afterEach(async () => {
  vi.useRealTimers();
  await removeRoot();
});

/** A shell script, run in the temporary folder. */
function aRun(script: string, changes: Partial<CappedRun> = {}): CappedRun {
  return {
    argv: ['/bin/sh', '-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: root,
    stdin: '',
    timeoutMs: 60_000,
    graceMs: 200,
    maxOutputBytes: 1000,
    stdoutPath: join(root, 'stdout'),
    stderrPath: join(root, 'stderr'),
    onReport: [],
    interrupt: async (child) => void child.kill('SIGTERM'),
    kill: (child) => void child.kill('SIGKILL'),
    ...changes,
  };
}

/** Waits without timers: those stand still in these tests. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

const isMade = (name: string) => (): boolean => existsSync(join(root, name));
const make = (name: string): void => writeFileSync(join(root, name), '');
const UNTIL_GO = 'until [ -e go ]; do sleep 0.01; done';

describe('the output of a process', () => {
  it('is whole where it came before the deadline of the reading, however late we look at it (F21)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const script = `echo $$ > group; echo early; (${UNTIL_GO}; echo late; : > written; exec sleep 60) &`;
    const running = runCapped(aRun(script), new AbortController().signal);
    // The deadline of the run, then that of the reading.
    await until(() => vi.getTimerCount() === 2);

    // From here to the end of the time nothing is read: this process is busy.
    make('go');
    while (!isMade('written')()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    vi.advanceTimersByTime(2000);
    const outcome = await running;
    kill(-Number(readFileSync(join(root, 'group'), 'utf8')), 'SIGKILL');

    expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdoutTail: 'early\nlate\n' });
    expect(readFileSync(join(root, 'stdout'), 'utf8')).toBe('early\nlate\n');
  });

  it('is not lost in silence where it cannot be stored', async () => {
    const outcome = await runCapped(
      aRun('echo lost; exec sleep 60', { stdoutPath: '/dev/full' }),
      new AbortController().signal,
    );

    expect(outcome.kind).toBe('not_started');
    expect(outcome.stderrTail).toContain('ENOSPC');
  });
});

describe('a process that is asked to end', () => {
  const script = `trap '${UNTIL_GO}; echo asked; exit 9' TERM; : > up; while :; do sleep 0.01; done`;

  it('has its whole grace, however long it took to find out whom to ask', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const found = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    const run = aRun(script, {
      interrupt: async (child) => {
        await found.promise;
        child.kill('SIGTERM');
        asked.resolve(undefined);
      },
    });
    const running = runCapped(run, new AbortController().signal);
    await until(isMade('up'));

    vi.advanceTimersByTime(60_000);
    vi.advanceTimersByTime(1000);
    found.resolve(undefined);
    await asked.promise;
    await setImmediate();
    vi.advanceTimersByTime(199);
    make('go');

    expect(await running).toMatchObject({ kind: 'timed_out', exitCode: 9, stdoutTail: 'asked\n' });
  });

  it.each([
    ['after its grace', async () => undefined, 200],
    ['at once where it cannot be asked', async () => Promise.reject(new Error('no such process')), 0],
    ['in the end where nobody finds out whom to ask', () => new Promise<void>(() => undefined), 5000],
  ])('is killed %s', async (_when, interrupt, afterMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const running = runCapped(aRun(script, { interrupt }), new AbortController().signal);
    await until(isMade('up'));

    vi.advanceTimersByTime(60_000);
    await setImmediate();
    vi.advanceTimersByTime(afterMs);

    expect(await running).toMatchObject({ kind: 'timed_out', signal: 'SIGKILL' });
  });
});

describe('a process for which no pipe is left (EMFILE)', () => {
  it.each([5, 7, 9])('is not started, and does not end the service (%i descriptors left)', async (left) => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      const { runCapped } = await import(${JSON.stringify(MODULE)});
      const open = [];
      try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
      for (let count = 0; count < ${String(left)}; count += 1) closeSync(open.pop());
      const outcome = await runCapped({
        argv: ['/bin/true'], env: {}, cwd: '/', stdin: '', timeoutMs: 5000, graceMs: 100, maxOutputBytes: 1000,
        stdoutPath: ${JSON.stringify(join(root, 'stdout'))}, stderrPath: ${JSON.stringify(join(root, 'stderr'))},
        onReport: [() => undefined], interrupt: async () => undefined, kill: (child) => child.kill('SIGKILL'),
      }, new AbortController().signal);
      for (const fd of open) closeSync(fd);
      // Whatever was rejected unheard ends the process before this.
      await new Promise((resolve) => setImmediate(resolve));
      process.stdout.write(outcome.kind);`;
    const shell = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"';

    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell, process.execPath, program]);

    expect(stdout).toBe('not_started');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readProcesses } from '../../../src/adapters/sandbox/processes.ts';
import { findFamily, readFamily } from '../../../src/adapters/sandbox/read-family.ts';

const PROCESSES = [
  [1, 0],
  [20, 10],
  [10, 1],
  [30, 20],
  [11, 10],
  [12, 1],
].map(([pid = 0, parentPid = 0]) => ({ pid, parentPid, uid: 0, threads: 1, isZombie: false, memoryBytes: 0 }));

describe('the family of a process', () => {
  it.each([
    [10, [10, 11, 20, 30]],
    [12, [12]],
    [99, []],
  ])('of %s are %j', (firstPid, expected) => {
    const found = findFamily(PROCESSES, firstPid).map(({ pid }) => pid);

    expect(found.toSorted((left, right) => left - right)).toEqual(expected);
  });

  it('is nobody before there is a process, and after it', async () => {
    expect(await readFamily(null)).toEqual([]);
    expect(await readFamily(2 ** 30)).toEqual([]);
  });

  it('is read by the lists of the kernel as by the parents of all processes, children of threads included', async ({
    onTestFinished,
  }) => {
    // The worker is a thread that makes a child of its own.
    const worker = `require('node:child_process').spawn('sleep', ['100'], { stdio: 'ignore' });`;
    const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(worker)}, { eval: true });
      const child = require('node:child_process').spawn('sh', ['-c', 'sleep 100 & echo up; wait'], { stdio: ['ignore', 'inherit', 'ignore'] });`;
    const parent: ChildProcess = spawn(process.execPath, ['-e', program], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = parent.pid ?? 0;
    onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
    if (parent.stdout !== null) await once(parent.stdout, 'data');
    // Node, the shell and two sleepers.
    while (findFamily(await readProcesses(), pid).length < 4) await new Promise(setImmediate);

    const [family, expected] = [await readFamily(pid), findFamily(await readProcesses(), pid)];

    const toPids = (processes: typeof family): readonly number[] =>
      processes.map((one) => one.pid).toSorted((left, right) => left - right);
    expect(toPids(family)).toEqual(toPids(expected));
    expect(family.length).toBe(4);
  });
});

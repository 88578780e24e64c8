import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Measurement, measureFolders } from '../../../../src/adapters/sandbox/limits/measure-folders.ts';
import { createTempFolder } from '../../../support/git-repository.ts';

const MAX = { bytes: 10 ** 9, entries: 10 ** 6 };
const PAGE = 4096;

describe('the measurement of folders', () => {
  let root: string;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ path: root, remove } = await createTempFolder());
  });

  afterEach(async () => {
    await remove();
  });

  const measure = (folders = [root], max = MAX, pids: readonly number[] = []): Promise<Measurement | null> =>
    measureFolders({ perl: '/usr/bin/perl', folders, pids, max });

  it('counts blocks and names, each file once, and follows no link', async () => {
    await mkdir(join(root, 'a/b'), { recursive: true });
    const before = (await measure())?.bytes ?? 0;
    await writeFile(join(root, 'a/b/file'), Buffer.alloc(25 * PAGE));
    await link(join(root, 'a/b/file'), join(root, 'a/other-name'));
    await symlink('/usr', join(root, 'a/b/link'));

    const found = await measure();

    expect(found).toMatchObject({ entries: 5, isComplete: true });
    expect((found?.bytes ?? 0) - before).toBeGreaterThanOrEqual(25 * PAGE);
    expect((found?.bytes ?? 0) - before).toBeLessThan(27 * PAGE);
  });

  it('sums up several folders, and passes over what is gone', async () => {
    for (const name of ['a', 'b']) await mkdir(join(root, name, 'c'), { recursive: true });

    expect(await measure([join(root, 'a'), join(root, 'b'), join(root, 'gone')])).toMatchObject({
      entries: 2,
      isComplete: true,
    });
  });

  it('ends as soon as a maximum is exceeded', async () => {
    for (let index = 0; index < 20; index += 1) await writeFile(join(root, String(index)), 'x');

    expect(await measure([root], { ...MAX, entries: 5 })).toMatchObject({ entries: 6 });
    expect((await measure([root], { ...MAX, bytes: 1 }))?.entries).toBe(1);
  });

  it('says that it could not read everything', async () => {
    // Longer than the system allows in one path, which no permission changes.
    const long = 'x'.repeat(200);
    await execa('/usr/bin/perl', ['-e', 'for (1 .. 30) { mkdir $ARGV[0]; chdir $ARGV[0] or die }', long], {
      cwd: root,
    });

    expect(await measure()).toMatchObject({ isComplete: false });
    await execa('rm', ['-rf', join(root, long)]);
  });

  it('counts a deleted file that a process holds open', async () => {
    const path = join(root, 'file');
    const file = await open(path, 'w');
    await file.write(Buffer.alloc(25 * PAGE));
    await rm(path);

    const found = await measure([root], MAX, [process.pid]);
    const without = await measure();
    await file.close();

    expect((found?.bytes ?? 0) - (without?.bytes ?? 0)).toBeGreaterThanOrEqual(25 * PAGE);
  });

  it('counts a deleted file that a process has mapped', async ({ onTestFinished }) => {
    const path = join(root, 'file');
    const mmap = process.arch === 'arm64' ? 222 : 9;
    const program = `open(F, '+>', $ARGV[0]); truncate F, ${String(25 * PAGE)};
      syscall(${String(mmap)}, 0, ${String(25 * PAGE)}, 3, 1, fileno(F), 0); close F; unlink $ARGV[0]; print "up"; close STDOUT; sleep 100`;
    const child = spawn('/usr/bin/perl', ['-e', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');

    expect((await measure([root], MAX, [child.pid ?? 0]))?.bytes).toBe(25 * PAGE);
    expect((await measure())?.bytes).toBe(0);
  });

  it('is null without Perl', async () => {
    expect(await measureFolders({ perl: '/usr/bin/no-perl', folders: [root], pids: [], max: MAX })).toBeNull();
  });
});

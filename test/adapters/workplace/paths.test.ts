import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readState } from './read-state.ts';
import { createWorkplaceFixture, toShell, type WorkplaceFixture } from './workplace-fixture.ts';

let fixture: WorkplaceFixture;
const text = (value: string): Uint8Array => Buffer.from(value);

beforeEach(async () => {
  fixture = await createWorkplaceFixture();
});
afterEach(async () => {
  await fixture.close();
});

describe('paths of a workplace', () => {
  const OUTSIDE = [
    ['/etc/passwd', 'absolute'],
    ['../x', '".."'],
    ['a/../../x', '".."'],
    ['a/../b', '".."'],
    ['.git/config', 'git'],
    ['sub/.GIT/hooks/pre-commit', 'git'],
    ['git~1/config', 'git'],
    ['.g\u200Cit/config', 'git'],
    ['a\0b', 'NUL'],
    ['\uD800', 'Unicode'],
    ['', 'folder of the plan itself'],
    ['.', 'folder of the plan itself'],
    ['n'.repeat(256), '255 bytes'],
    [`${'n'.repeat(200)}/`.repeat(20) + 'x', 'too long'],
    ['out/secret', 'leads out'],
    ['up/secret', 'leads out'],
    ['ring/x', 'ring'],
    ['gitlink/config', 'git'],
  ] as const;

  it.each(OUTSIDE)('refuse %j, and touch nothing (004.R3)', async (path, why) => {
    const { root, outside, place } = fixture;
    await writeFile(join(outside, 'secret'), 'secret');
    await mkdir(join(root, '.git'));
    await writeFile(join(root, '.git', 'config'), 'mine');
    await symlink(outside, join(root, 'out'));
    await symlink('../outside', join(root, 'up'));
    await symlink('ring', join(root, 'ring'));
    await symlink('.git', join(root, 'gitlink'));
    const before = [await readState(root), await readState(outside)];
    const refused = async (work: Promise<unknown>): Promise<void> => {
      const error: unknown = await work.catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'PATH_REFUSED' });
      expect(String(error)).toContain(why);
    };
    await refused(place.writeFile(path, text('x'), null));
    await refused(place.readFile(path, 100));
    await refused(place.removeFile(path));
    await refused(place.record(path, 'target'));
    expect([await readState(root), await readState(outside)]).toEqual(before);
  });

  it('follow a link that stays inside, and keep the link', async () => {
    const { root, place } = fixture;
    await mkdir(join(root, 'real'));
    await symlink('real', join(root, 'alias'));
    await symlink('real/file', join(root, 'to-file'));
    await place.writeFile('alias/file', text('one'), null);
    await place.writeFile('to-file', text('two'), null);
    expect(await readFile(join(root, 'real', 'file'), 'utf8')).toBe('two');
    expect((await readState(root))['to-file']).toBe('link real/file');
    expect(await place.removeFile('to-file')).toBe(true);
    expect(await readFile(join(root, 'real', 'file'), 'utf8')).toBe('two');
  });

  it('never write through a link that a command puts in their way', async () => {
    const { root, outside, place } = fixture;
    await writeFile(join(outside, 'secret'), 'secret');
    const swap = `mkdir -p d && rmdir d && ln -s ${outside} d`;
    expect(await place.run({ ...COMMAND, argv: toShell(swap) }, AbortSignal.timeout(60_000))).toMatchObject({
      exitCode: 0,
    });
    await expect(place.writeFile('d/secret', text('x'), null)).rejects.toMatchObject({ code: 'PATH_REFUSED' });
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect((await readState(root))['d']).toBe(`link ${outside}`);
  });

  it('refuse what is no regular file: a folder, a pipe, a device', async () => {
    const { root, place } = fixture;
    await mkdir(join(root, 'folder'));
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    for (const path of ['folder', 'pipe']) {
      const wrong = { code: 'WRONG_KIND' };
      await expect(place.readFile(path, 100)).rejects.toMatchObject(wrong);
      await expect(place.writeFile(path, text('x'), null)).rejects.toMatchObject(wrong);
      await expect(place.removeFile(path)).rejects.toMatchObject(wrong);
    }
    await place.writeFile('file', text('x'), null);
    await expect(place.writeFile('file/below', text('x'), null)).rejects.toMatchObject({ code: 'WRONG_KIND' });
    expect(await place.readFile('file/below', 100)).toBeNull();
  });

  it('keep the mode of a file that they replace, and give a new one what was asked for', async () => {
    const { root, place } = fixture;
    await place.writeFile('a/b/new', text('x'), '100755');
    await place.writeFile('plain', text('x'), null);
    await chmod(join(root, 'plain'), 0o640);
    await place.writeFile('plain', text('y'), null);
    const modes = await Promise.all(
      ['a/b/new', 'plain'].map(async (path) => (await stat(join(root, path))).mode & 0o777),
    );
    expect(modes).toEqual([0o755, 0o640]);
  });

  it('read no more than they are asked to', async () => {
    await fixture.place.writeFile('big', Buffer.alloc(101), null);
    await expect(fixture.place.readFile('big', 100)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await fixture.place.readFile('none', 100)).toBeNull();
  });
});

const COMMAND = { cwd: '.', timeoutMs: 60_000, maxOutputBytes: 100_000 };

describe('commands of a workplace', () => {
  it('own what steps wrote, run side by side, and see neither network nor the outside', async () => {
    const { root, outside, place } = fixture;
    await writeFile(join(outside, 'secret'), 'secret');
    await place.writeFile('shared/file', text('one'), null);
    // Each waits for the other: one after the other, both would time out.
    const meet = (own: string, other: string): readonly string[] =>
      toShell(
        `touch ${own}; i=0; while [ ! -e ${other} ]; do i=$((i+1)); [ $i -gt 3000 ] && exit 9; sleep 0.01; done; echo ${own} >> shared/file`,
      );
    const signal = AbortSignal.timeout(120_000);
    const [left, right] = await Promise.all([
      place.run({ ...COMMAND, argv: meet('left', 'right') }, signal),
      place.run({ ...COMMAND, argv: meet('right', 'left') }, signal),
    ]);
    expect([left.exitCode, right.exitCode]).toEqual([0, 0]);
    expect((await readFile(join(root, 'shared/file'), 'utf8')).match(/left|right/gu)?.toSorted()).toEqual([
      'left',
      'right',
    ]);
    const look = await place.run(
      { ...COMMAND, argv: toShell(`cat ${outside}/secret; ls /sys/class/net 2>/dev/null; env`) },
      signal,
    );
    expect(look.stdoutTail).not.toContain('secret');
    expect(look.stdoutTail).toContain('PATH=');
  });

  it('let file operations wait for them, and go on in order afterwards', async () => {
    const { place } = fixture;
    const order: string[] = [];
    const signal = AbortSignal.timeout(120_000);
    const command = place
      .run({ ...COMMAND, argv: toShell('sleep 0.2; echo done > by-command') }, signal)
      .then(() => order.push('command'));
    const write = place.writeFile('by-step', text('x'), null).then(() => order.push('write'));
    const later = place
      .run({ ...COMMAND, argv: toShell('cat by-step by-command') }, signal)
      .then(({ exitCode }) => order.push(`later ${String(exitCode)}`));
    await Promise.all([command, write, later]);
    expect(order).toEqual(['command', 'write', 'later 0']);
  });

  it('leave no process behind, whoever else is at work', async () => {
    const { place } = fixture;
    const signal = AbortSignal.timeout(120_000);
    const daemon = toShell('setsid sleep 1000 >/dev/null 2>&1 & echo started');
    const beside = place.run(
      {
        ...COMMAND,
        argv: toShell(
          'i=0; while [ ! -e go ]; do i=$((i+1)); [ $i -gt 6000 ] && exit 9; sleep 0.01; done; echo still here',
        ),
      },
      signal,
    );
    const first = await place.run({ ...COMMAND, argv: daemon }, signal);
    expect(first).toMatchObject({ exitCode: 0, processesLeft: 0 });
    const last = await place.run({ ...COMMAND, argv: toShell('touch go; ls /proc | grep -c "^[0-9]"') }, signal);
    expect(last.exitCode).toBe(0);
    // The end of the first killed only what was its own.
    expect(await beside).toMatchObject({ exitCode: 0, stdoutTail: 'still here\n' });
  });

  it('start below the folder that they name', async () => {
    const { place } = fixture;
    await place.writeFile('sub/x', text('in sub'), null);
    const end = await place.run({ ...COMMAND, cwd: 'sub', argv: ['cat', 'x'] }, AbortSignal.timeout(60_000));
    expect(end).toMatchObject({ exitCode: 0, stdoutTail: 'in sub' });
  });
});

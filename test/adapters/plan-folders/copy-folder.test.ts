import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanFolders } from '../../../src/adapters/plan-folders/create-plan-folders.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

const { copy, read } = createPlanFolders();
let root = '';
let from = '';
let to = '';
beforeEach(async () => {
  root = (await createTempFolder()).path;
  from = join(root, 'from');
  to = join(root, 'to');
  await mkdir(from);
});
afterEach(() => {
  execFileSync('rm', ['-rf', root]);
});

describe('the copy of a folder', () => {
  it('has files, modes, times, links, empty folders and names that are no text', async () => {
    const odd = Buffer.from([0x61, 0xff, 0x62]);
    await mkdir(join(from, 'a/empty'), { recursive: true });
    await writeFile(join(from, 'a/run.sh'), '#!/bin/sh', { mode: 0o755 });
    await writeFile(Buffer.concat([Buffer.from(`${from}/`), odd]), 'odd');
    await symlink('a/run.sh', join(from, 'inside'));
    await symlink('/etc/passwd', join(from, 'outside'));
    await utimes(join(from, 'a/run.sh'), 1000, 2000);
    await chmod(join(from, 'a'), 0o555);

    const { state, left } = await copy(from, to, NEVER);

    expect(left).toEqual([]);
    expect([...state.keys()].toSorted()).toEqual(['a', 'a/empty', 'a/run.sh', 'a\u00FFb', 'inside', 'outside']);
    expect(state.get('a')).toEqual({ kind: 'folder', mode: 0o555 });
    expect(state.get('outside')).toEqual({ kind: 'link', target: '/etc/passwd' });
    expect(await readlink(join(to, 'outside'))).toBe('/etc/passwd');
    expect(await readFile(Buffer.concat([Buffer.from(`${to}/`), odd]), 'utf8')).toBe('odd');
    const copied = await stat(join(to, 'a/run.sh'));
    expect([copied.mode & 0o7777, copied.mtimeMs]).toEqual([0o755, 2_000_000]);
    expect(await read(from, NEVER)).toEqual({ state, left: [] });
    expect((await read(to, NEVER)).state).toEqual(state);
  });

  it('shares no file with the original, not even one with two names', async () => {
    await writeFile(join(from, 'one'), 'as it was');
    await link(join(from, 'one'), join(from, 'two'));

    await copy(from, to, NEVER);
    await writeFile(join(to, 'one'), 'changed');

    expect(await readFile(join(from, 'one'), 'utf8')).toBe('as it was');
    expect(await readFile(join(to, 'two'), 'utf8')).toBe('as it was');
  });

  it('has no .git, in whatever case and depth', async () => {
    for (const folder of ['.git', 'sub/.GIT']) {
      await mkdir(join(from, folder), { recursive: true });
      await writeFile(join(from, folder, 'config'), 'x');
    }
    await mkdir(join(from, 'worktree'));
    await writeFile(join(from, 'worktree/.git'), 'gitdir: /elsewhere');
    await writeFile(join(from, '.gitignore'), 'x');

    const { state } = await copy(from, to, NEVER);

    expect([...state.keys()].toSorted()).toEqual(['.gitignore', 'sub', 'worktree']);
  });

  it('leaves out setuid, and reports what cannot be copied', async () => {
    await writeFile(join(from, 'suid'), 'x');
    await chmod(join(from, 'suid'), 0o4755);
    execFileSync('mkfifo', [join(from, 'pipe')]);

    const { state, left } = await copy(from, to, NEVER);

    expect(left).toEqual(['pipe']);
    expect(state.get('suid')).toMatchObject({ mode: 0o755 });
    expect((await lstat(join(to, 'suid'))).mode & 0o7777).toBe(0o755);
  });

  it('replaces what an earlier try left, and follows no link there', async () => {
    await mkdir(join(root, 'other'));
    await writeFile(join(root, 'other/kept'), 'x');
    await mkdir(to);
    await symlink(join(root, 'other'), join(to, 'a'));
    await writeFile(join(from, 'b'), 'x');

    await copy(from, to, NEVER);

    expect([...(await read(to, NEVER)).state.keys()]).toEqual(['b']);
    expect(await readFile(join(root, 'other/kept'), 'utf8')).toBe('x');
  });

  it('fails with the reason where the folder is larger than a run may have', async () => {
    await writeFile(join(from, 'huge'), '');
    await truncate(join(from, 'huge'), 5 * 1024 ** 3);

    await expect(copy(from, to, NEVER)).rejects.toThrow(new ConfigError([`${from} has more than 4 GiB`]));
  });

  it('stops when it is told to', async () => {
    await writeFile(join(from, 'a'), '');

    await expect(copy(from, to, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

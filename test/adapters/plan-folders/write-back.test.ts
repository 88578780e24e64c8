import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanFolders } from '../../../src/adapters/plan-folders/create-plan-folders.ts';
import { findFolderChanges } from '../../../src/core/execution/folder-changes.ts';
import type { FolderChange, FolderState } from '../../../src/core/model/folder-state.ts';
import type { WriteBack } from '../../../src/ports/plan-folders.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

const folders = createPlanFolders();
let root = '';
let folder = '';
let copy = '';
let before: FolderState = new Map();
beforeEach(async () => {
  root = (await createTempFolder()).path;
  folder = join(root, 'folder');
  copy = join(root, 'copy');
  await mkdir(join(folder, 'src/deep'), { recursive: true });
  await writeFile(join(folder, 'a'), 'a');
  await writeFile(join(folder, 'src/b'), 'b');
  await writeFile(join(folder, 'src/deep/c'), 'c');
  await symlink('a', join(folder, 'link'));
  before = (await folders.copy(folder, copy, NEVER)).state;
});
afterEach(() => {
  execFileSync('rm', ['-rf', root]);
});

async function changes(): Promise<readonly FolderChange[]> {
  return findFolderChanges(before, (await folders.read(copy, NEVER)).state);
}

async function bringBack(mode: 'all-or-nothing' | 'rest' = 'all-or-nothing'): Promise<WriteBack> {
  return folders.writeBack(await changes(), { folder, copy, mode });
}

describe('bringing the changes of a copy back', () => {
  it('makes the folder equal to the copy: files, modes, links, folders, and kinds that turned', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    await chmod(join(copy, 'src/b'), 0o755);
    await rm(join(copy, 'src/deep'), { recursive: true });
    await writeFile(join(copy, 'src/deep'), 'a file now');
    await rm(join(copy, 'link'));
    await mkdir(join(copy, 'link/empty'), { recursive: true });
    await writeFile(join(copy, 'link/new'), 'new');
    await chmod(join(copy, 'link'), 0o555);
    await symlink('../a', join(copy, 'src/to-a'));

    const { written, conflicts } = await bringBack();

    expect(conflicts).toEqual([]);
    expect(written).toEqual(['a', 'link', 'link/empty', 'link/new', 'src/b', 'src/deep', 'src/deep/c', 'src/to-a']);
    expect((await folders.read(folder, NEVER)).state).toEqual((await folders.read(copy, NEVER)).state);
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('.tmp'));
  });

  it('writes nothing where nothing changed, although the person did', async () => {
    await writeFile(join(folder, 'a'), 'mine');

    expect(await bringBack()).toEqual({ written: [], conflicts: [] });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('mine');
  });

  it('may be repeated after it was killed halfway', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    await writeFile(join(copy, 'src/new'), 'new');
    const all = await changes();
    await folders.writeBack(all.slice(0, 1), { folder, copy, mode: 'all-or-nothing' });

    expect(await folders.writeBack(all, { folder, copy, mode: 'all-or-nothing' })).toEqual({
      written: ['a', 'src/new'],
      conflicts: [],
    });
  });

  it('of two runs at the same time leaves each file as one of them made it, and breaks neither', async () => {
    const second = join(root, 'second');
    await folders.copy(folder, second, NEVER);
    const names = Array.from({ length: 60 }, (_, index) => `src/new-${index}`);
    for (const name of names) {
      await writeFile(join(copy, name), 'first'.repeat(1000));
      await writeFile(join(second, name), 'other'.repeat(1000));
    }
    const mine = await changes();
    const others = findFolderChanges(before, (await folders.read(second, NEVER)).state);
    const ends = await Promise.all([
      folders.writeBack(mine, { folder, copy, mode: 'rest' }),
      folders.writeBack(others, { folder, copy: second, mode: 'rest' }),
    ]);

    const claimed = new Set(ends.flatMap(({ written }) => written));
    for (const name of names) {
      expect(claimed).toContain(name);
      expect(await readFile(join(folder, name), 'utf8')).toMatch(/^(?:(?:first)+|(?:other)+)$/u);
    }
    expect((await readdir(join(folder, 'src'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('writes nothing at all if somebody changed one of the files meanwhile', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    await writeFile(join(copy, 'src/b'), 'changed');
    await writeFile(join(folder, 'src/b'), 'mine');

    expect(await bringBack()).toEqual({ written: [], conflicts: ['src/b'] });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a');
    expect(await readFile(join(folder, 'src/b'), 'utf8')).toBe('mine');
  });

  it('keeps only that file where the rest is wanted', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    await writeFile(join(copy, 'src/b'), 'changed');
    await writeFile(join(folder, 'src/b'), 'mine');

    expect(await bringBack('rest')).toEqual({ written: ['a'], conflicts: ['src/b'] });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('changed');
    expect(await readFile(join(folder, 'src/b'), 'utf8')).toBe('mine');
  });

  it('is no conflict where the person made the same change', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    await writeFile(join(folder, 'a'), 'changed');

    expect(await bringBack()).toEqual({ written: ['a'], conflicts: [] });
  });

  it('leaves a removed folder with what the person put into it', async () => {
    await rm(join(copy, 'src/deep'), { recursive: true });
    await writeFile(join(folder, 'src/deep/mine'), 'mine');

    expect(await bringBack()).toMatchObject({ conflicts: [] });
    expect(await readdir(join(folder, 'src/deep'))).toEqual(['mine']);
  });

  it('writes through no link that leads out of the folder', async () => {
    await mkdir(join(root, 'outside/deep'), { recursive: true });
    await writeFile(join(root, 'outside/b'), 'b');
    await writeFile(join(root, 'outside/deep/c'), 'c');
    await writeFile(join(copy, 'src/b'), 'changed');
    await writeFile(join(copy, 'src/new'), 'new');
    await rm(join(copy, 'src/deep'), { recursive: true });
    await rename(join(folder, 'src'), join(root, 'moved'));
    await symlink(join(root, 'outside'), join(folder, 'src'));

    expect(await bringBack('rest')).toEqual({ written: ['src/deep', 'src/deep/c'], conflicts: ['src/b', 'src/new'] });
    expect(await readFile(join(root, 'outside/b'), 'utf8')).toBe('b');
    expect(await readdir(join(root, 'outside/deep'))).toEqual(['c']);
    expect(await readdir(join(root, 'outside'))).toEqual(['b', 'deep']);
  });

  it('replaces a link, and never the file behind it', async () => {
    await writeFile(join(root, 'target'), 'outside');
    await rm(join(copy, 'link'));
    await writeFile(join(copy, 'link'), 'a file now');
    const all = await changes();

    await folders.writeBack(all, { folder, copy, mode: 'all-or-nothing' });

    expect((await lstat(join(folder, 'link'))).isFile()).toBe(true);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a');
  });

  it('never brings a .git back, whatever a command made of it', async () => {
    await mkdir(join(copy, 'src/.git/hooks'), { recursive: true });
    await writeFile(join(copy, 'src/.git/hooks/post-checkout'), '#!/bin/sh');
    await writeFile(join(copy, '.GiT'), 'gitdir: x');

    expect(await changes()).toEqual([]);
  });

  it('writes nothing where the folder is another one now', async () => {
    await writeFile(join(copy, 'a'), 'changed');
    const all = await changes();
    await rename(folder, join(root, 'elsewhere'));
    await symlink(join(root, 'elsewhere'), folder);

    expect(await folders.writeBack(all, { folder, copy, mode: 'rest' })).toEqual({ written: [], conflicts: ['a'] });
    expect(await readFile(join(root, 'elsewhere/a'), 'utf8')).toBe('a');
  });

  it('brings a link back as it is', async () => {
    await symlink('/nowhere/at all', join(copy, 'new-link'));

    await bringBack();

    expect(await readlink(join(folder, 'new-link'))).toBe('/nowhere/at all');
  });
});

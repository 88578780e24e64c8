import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasLeft, readLeft, removeLeft } from '../../../src/adapters/sites/read-left.ts';
import { createTempFolder } from '../../support/git-repository.ts';

let root: string;
let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ path: root, remove } = await createTempFolder({ inMemory: true }));
  folder = join(root, 'checkout');
  await mkdir(join(folder, 'web'), { recursive: true });
  await writeFile(join(root, 'secret'), 'secret');
});

afterEach(async () => {
  await remove();
});

describe('readLeft', () => {
  it('reads a file, at any depth', async () => {
    await writeFile(join(folder, 'web', 'yarn.lock'), 'made anew\n');

    expect(await readLeft(folder, 'web/yarn.lock', 100)).toEqual(Buffer.from('made anew\n'));
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['a link', 'lock', () => symlink(join(root, 'secret'), join(folder, 'lock'))],
    ['a link on the way', 'sub/secret', () => symlink(root, join(folder, 'sub'))],
    ['a folder', 'web', () => Promise.resolve()],
    ['a pipe', 'lock', () => execa('mkfifo', [join(folder, 'lock')])],
    ['nothing', 'lock', () => Promise.resolve()],
    ['a path that leaves the folder', '../secret', () => Promise.resolve()],
    ['a path from the root', '/etc/passwd', () => Promise.resolve()],
  ])('reads nothing of %s (T24)', async (_what, path, arrange) => {
    await arrange();

    expect(await readLeft(folder, path, 100)).toBeNull();
  });

  it('reads up to a size, and a sparse file of any length costs nothing', async () => {
    await writeFile(join(folder, 'lock'), 'x'.repeat(100));
    expect(await readLeft(folder, 'lock', 100)).toHaveLength(100);
    expect(await readLeft(folder, 'lock', 99)).toBeNull();
    await truncate(join(folder, 'lock'), 8 * 1024 ** 3);
    expect(await readLeft(folder, 'lock', 100)).toBeNull();
  });

  it('reads what a second name of the same folder points to: a hard link cannot leave the sandbox’s own files', async () => {
    await writeFile(join(folder, 'a'), 'x');
    await link(join(folder, 'a'), join(folder, 'b'));

    expect(await readLeft(folder, 'b', 100)).toEqual(Buffer.from('x'));
  });
});

describe('hasLeft and removeLeft', () => {
  it('see a link, and remove it without what it points to', async () => {
    await symlink(root, join(folder, 'sub'));
    expect(await hasLeft(folder, 'sub')).toBe(true);

    await removeLeft(folder, 'sub');

    expect(await hasLeft(folder, 'sub')).toBe(false);
    expect(await hasLeft(root, 'secret')).toBe(true);
  });

  it.each(['sub/secret', '../secret', '/etc/passwd'])('see and remove nothing at %s, which leads out', async (path) => {
    await symlink(root, join(folder, 'sub'));

    await removeLeft(folder, path);

    expect(await hasLeft(folder, path)).toBe(false);
    expect(await hasLeft(root, 'secret')).toBe(true);
  });

  it('remove a folder with all that is in it', async () => {
    await writeFile(join(folder, 'web', 'report'), 'x');

    await removeLeft(folder, 'web');

    expect(await hasLeft(folder, 'web')).toBe(false);
    expect(await hasLeft(folder, '.')).toBe(true);
  });
});

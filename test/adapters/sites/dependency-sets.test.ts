import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDependencySets, type DependencySets } from '../../../src/adapters/sites/create-dependency-sets.ts';
import type { DependencyKey, PreparedDependencies } from '../../../src/ports/site.ts';

const TARGET = '/workspace';
const isRoot = process.getuid?.() === 0;

let dataDir: string;
let sets: DependencySets;

function aKey(hash: string, number = 7): DependencyKey {
  return { repositoryId: 10, number, hash };
}

/** A checkout with these files; a name that ends in `/` is an empty folder. */
async function makeCheckout(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(dataDir, 'checkout-'));
  for (const name of names) {
    await mkdir(join(folder, name.endsWith('/') ? name : join(name, '..')), { recursive: true });
    if (!name.endsWith('/')) await writeFile(join(folder, name), name);
  }
  return folder;
}

async function keep(key: DependencyKey, checkout: string, tracked: readonly string[] = []) {
  return sets.keep(key, checkout, tracked);
}

/** Folder of this machine that the first entry lies in. */
async function sourceOf(prepared: PreparedDependencies): Promise<string> {
  const [mount] = await sets.toMounts(prepared, { root: TARGET, work: dataDir });
  return mount?.source ?? '';
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ratchet-files-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  sets = createDependencySets({ dataDir, maxDependencySets: 2, slotGid: null });
});

describe('prepared dependencies', () => {
  it('are none before they were kept', async () => {
    expect(await sets.find(aKey('a1'))).toBeNull();
  });

  it('are the new top-level entries, mounted read-only, and found again by their key', async () => {
    const checkout = await makeCheckout('package.json', 'src/a.ts', 'node_modules/a/index.js', '.venv/bin/python');

    const kept = await keep(aKey('a1'), checkout, ['package.json', 'src/a.ts']);
    const found = await sets.find(aKey('a1'));

    expect(kept.paths).toEqual(['.venv', 'node_modules']);
    const mounts = await sets.toMounts(kept, { root: TARGET, work: dataDir });
    expect(mounts.map(({ target }) => target)).toEqual(['/workspace/.venv', '/workspace/node_modules']);
    expect(mounts.every(({ writable }) => !writable)).toBe(true);
    expect(found).toMatchObject({ key: kept.key, paths: kept.paths });
    expect(await readFile(join(mounts[1]?.source ?? '', 'a/index.js'), 'utf8')).toBe('node_modules/a/index.js');
  });

  it('of a setup that made nothing are an empty set, not a missing one', async () => {
    await keep(aKey('a1'), await makeCheckout('src/a.ts'), ['src/a.ts']);

    expect(await sets.find(aKey('a1'))).toMatchObject({ paths: [] });
  });

  it('are shared neither with another lockfile nor with another pull request', async () => {
    await keep(aKey('a1'), await makeCheckout('node_modules/a.js'));

    expect(await sets.find(aKey('a2'))).toBeNull();
    expect(await sets.find(aKey('a1', 8))).toBeNull();
  });

  it('are never a link, a pipe or a git folder, and nothing that passes for our own mark', async () => {
    const checkout = await makeCheckout('node_modules/a.js', '.git/config', '.complete/x');
    await symlink('/etc', join(checkout, 'etc'));
    execFileSync('mkfifo', [join(checkout, 'pipe')]);

    const kept = await keep(aKey('a1'), checkout);

    expect(kept.paths).toEqual(['node_modules']);
    expect(await sets.find(aKey('a1'))).toMatchObject({ paths: ['node_modules'] });
  });

  it('keep the links inside them as links', async () => {
    const checkout = await makeCheckout('node_modules/a/cli.js', 'node_modules/.bin/');
    await symlink('../a/cli.js', join(checkout, 'node_modules/.bin/a'));

    const kept = await keep(aKey('a1'), checkout);

    expect((await lstat(join(await sourceOf(kept), '.bin/a'))).isSymbolicLink()).toBe(true);
  });

  it('that were only half made are not used', async () => {
    const kept = await keep(aKey('a1'), await makeCheckout('node_modules/a.js'));
    await rm(join(await sourceOf(kept), '../.complete'));

    expect(await sets.find(aKey('a1'))).toBeNull();
  });

  it('are replaced when the same key is kept again', async () => {
    await keep(aKey('a1'), await makeCheckout('node_modules/a.js', 'old/b'));

    const kept = await keep(aKey('a1'), await makeCheckout('node_modules/c.js'));

    expect(kept.paths).toEqual(['node_modules']);
    expect(await readdir(await sourceOf(kept))).toEqual(['c.js']);
    expect(await readdir(join(dataDir, 'dependencies'))).toEqual(['10-7-a1']);
  });

  it.each(['../../escape', 'a/b', ''])('are refused under the hash %j', async (hash) => {
    await expect(sets.find(aKey(hash))).rejects.toThrow('not a file name of ours');
  });

  it('beyond the quota are evicted, the least recently used first', async () => {
    for (const hash of ['a1', 'a2', 'a3']) await keep(aKey(hash), await makeCheckout('node_modules/a.js'));
    for (const [index, hash] of ['a1', 'a2', 'a3'].entries()) {
      await utimes(join(dataDir, 'dependencies', `10-7-${hash}`), 1_000 + index, 1_000 + index);
    }
    await sets.find(aKey('a1'));

    await sets.sweep();

    expect((await readdir(join(dataDir, 'dependencies'))).sort()).toEqual(['10-7-a1', '10-7-a3']);
  });

  it.runIf(isRoot)('belong to root and the slots’ group, and nobody may write to them (T34)', async () => {
    const outside = join(dataDir, 'outside');
    await writeFile(outside, 'host', { mode: 0o644 });
    const checkout = await makeCheckout('node_modules/a/run.sh');
    await chmod(join(checkout, 'node_modules/a/run.sh'), 0o4777);
    await symlink(outside, join(checkout, 'node_modules/link'));
    sets = createDependencySets({ dataDir, maxDependencySets: 2, slotGid: 231_000 });

    const kept = await keep(aKey('a1'), checkout);

    const folder = await stat(await sourceOf(kept));
    const file = await stat(join(await sourceOf(kept), 'a/run.sh'));
    expect([folder.uid, folder.gid, folder.mode & 0o7777]).toEqual([0, 231_000, 0o750]);
    expect([file.uid, file.gid, file.mode & 0o7777]).toEqual([0, 231_000, 0o550]);
    expect(await stat(outside)).toMatchObject({ gid: 0, mode: 0o100644 });
    expect(await sets.find(aKey('a1'))).toMatchObject({ paths: ['node_modules'] });
  });

  it.runIf(isRoot)('are none where the sandboxes have another group now: they could not enter them', async () => {
    const open = (slotGid: number): DependencySets => createDependencySets({ dataDir, maxDependencySets: 2, slotGid });
    sets = open(231_000);
    await keep(aKey('a1'), await makeCheckout('node_modules/a'));

    expect(await open(231_001).find(aKey('a1'))).toBeNull();
    expect(await open(231_000).find(aKey('a1'))).not.toBeNull();
  });
});

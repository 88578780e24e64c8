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
import { createSessionFiles } from '../../../src/adapters/files/create-session-files.ts';
import { parseRunId } from '../../../src/core/model/ids.ts';
import type { DependencyKey, SessionFiles } from '../../../src/ports/session-files.ts';

const SESSION = parseRunId('session-1');
const SLOT = { index: 0, uid: null, gid: null };
const TARGET = '/workspace';
const isRoot = process.getuid?.() === 0;

let dataDir: string;
let files: SessionFiles;

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
  return files.keepDependencies(key, { checkout, tracked, target: TARGET, slot: SLOT });
}

function targetsOf(mounts: readonly { readonly target: string }[] | null): readonly string[] | undefined {
  return mounts?.map(({ target }) => target);
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ratchet-files-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  files = createSessionFiles({ dataDir, maxDependencySets: 2, slotGid: null });
});

describe('a folder of a session', () => {
  it('is empty each time it is made', async () => {
    const folder = await files.makeFolder(SESSION, 'home');
    await writeFile(join(folder, 'left-behind'), 'text');

    const again = await files.makeFolder(SESSION, 'home');

    expect(again).toBe(folder);
    expect(await readdir(again)).toEqual([]);
  });

  it('lies below the session, and two of them are apart', async () => {
    const home = await files.makeFolder(SESSION, 'home');
    const evidence = await files.makeFolder(SESSION, 'evidence');

    expect(home).toBe(join(dataDir, 'sessions', SESSION, 'home'));
    expect(evidence).not.toBe(home);
  });

  it.each(['..', '../other', 'a/b', '.hidden', '', 'a\0b', 'x'.repeat(65)])('is never called %j', async (name) => {
    await expect(files.makeFolder(SESSION, name)).rejects.toThrow('not a file name of ours');
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('a file of the service', () => {
  it('is written whole, and its path is told', async () => {
    const folder = await files.makeFolder(SESSION, 'evidence');

    const path = await files.writeFile(folder, 'check-1.txt', 'Check: build\n');

    expect(await readFile(path, 'utf8')).toBe('Check: build\n');
    expect(path).toBe(join(folder, 'check-1.txt'));
  });

  it('never lies outside of its folder', async () => {
    const folder = await files.makeFolder(SESSION, 'evidence');

    await expect(files.writeFile(folder, '../escaped', 'text')).rejects.toThrow('not a file name of ours');
    expect(await readdir(join(folder, '..'))).toEqual(['evidence']);
  });
});

describe('artifacts', () => {
  it('are kept when their folder is asked for again, and are nobody else’s to read', async () => {
    const folder = await files.artifactsFolder(SESSION);
    await files.writeFile(folder, 'patch.diff', 'diff');

    const again = await files.artifactsFolder(SESSION);

    expect(await readFile(join(again, 'patch.diff'), 'utf8')).toBe('diff');
    expect((await stat(again)).mode & 0o777).toBe(0o700);
  });

  it('are swept when they are older than asked, the others stay', async () => {
    const old = await files.artifactsFolder(SESSION);
    const young = await files.artifactsFolder(parseRunId('session-2'));
    await utimes(old, 1_000, 1_000);

    await files.sweep(2_000_000);

    expect(await readdir(join(young, '..'))).toEqual(['session-2']);
  });

  it('that were never made are no error for a sweep', async () => {
    await expect(files.sweep(0)).resolves.toBeUndefined();
  });
});

describe('tracked files that are taken out', () => {
  it('are gone, missing ones are no matter, everything else stays', async () => {
    const checkout = await makeCheckout('AGENTS.md', '.claude/settings.json', 'src/a.ts');

    await files.removeTracked(checkout, ['AGENTS.md', '.claude/settings.json', 'missing/CLAUDE.md']);

    expect(await readdir(checkout)).toEqual(['.claude', 'src']);
    expect(await readdir(join(checkout, '.claude'))).toEqual([]);
  });

  it('may be links: the link goes, what it points to stays', async () => {
    const checkout = await makeCheckout('docs/agents.txt');
    await symlink('docs/agents.txt', join(checkout, 'AGENTS.md'));
    await symlink('docs', join(checkout, 'CLAUDE.md'));

    await files.removeTracked(checkout, ['AGENTS.md', 'CLAUDE.md']);

    expect(await readdir(checkout)).toEqual(['docs']);
    expect(await readdir(join(checkout, 'docs'))).toEqual(['agents.txt']);
  });

  it('may be submodules, which are folders', async () => {
    const checkout = await makeCheckout('AGENTS.md/', 'src/a.ts');

    await files.removeTracked(checkout, ['AGENTS.md']);

    expect(await readdir(checkout)).toEqual(['src']);
  });
});

describe('prepared dependencies', () => {
  it('are none before they were kept', async () => {
    expect(await files.findDependencies(aKey('a1'), TARGET)).toBeNull();
  });

  it('are the new top-level entries, mounted read-only, and found again by their key', async () => {
    const checkout = await makeCheckout('package.json', 'src/a.ts', 'node_modules/a/index.js', '.venv/bin/python');

    const kept = await keep(aKey('a1'), checkout, ['package.json', 'src/a.ts']);
    const found = await files.findDependencies(aKey('a1'), TARGET);

    expect(targetsOf(kept)).toEqual(['/workspace/.venv', '/workspace/node_modules']);
    expect(kept.every(({ writable }) => !writable)).toBe(true);
    expect(found).toEqual(kept);
    expect(await readFile(join(kept[1]?.source ?? '', 'a/index.js'), 'utf8')).toBe('node_modules/a/index.js');
  });

  it('of a setup that made nothing are an empty set, not a missing one', async () => {
    await keep(aKey('a1'), await makeCheckout('src/a.ts'), ['src/a.ts']);

    expect(await files.findDependencies(aKey('a1'), TARGET)).toEqual([]);
  });

  it('are shared neither with another lockfile nor with another pull request', async () => {
    await keep(aKey('a1'), await makeCheckout('node_modules/a.js'));

    expect(await files.findDependencies(aKey('a2'), TARGET)).toBeNull();
    expect(await files.findDependencies(aKey('a1', 8), TARGET)).toBeNull();
  });

  it('are never a link, a pipe or a git folder, and nothing that passes for our own mark', async () => {
    const checkout = await makeCheckout('node_modules/a.js', '.git/config', '.complete/x');
    await symlink('/etc', join(checkout, 'etc'));
    execFileSync('mkfifo', [join(checkout, 'pipe')]);

    const kept = await keep(aKey('a1'), checkout);

    expect(targetsOf(kept)).toEqual(['/workspace/node_modules']);
    expect(targetsOf(await files.findDependencies(aKey('a1'), TARGET))).toEqual(['/workspace/node_modules']);
  });

  it('keep the links inside them as links', async () => {
    const checkout = await makeCheckout('node_modules/a/cli.js', 'node_modules/.bin/');
    await symlink('../a/cli.js', join(checkout, 'node_modules/.bin/a'));

    const [mount] = await keep(aKey('a1'), checkout);

    expect((await lstat(join(mount?.source ?? '', '.bin/a'))).isSymbolicLink()).toBe(true);
  });

  it('that were only half made are not used', async () => {
    const [mount] = await keep(aKey('a1'), await makeCheckout('node_modules/a.js'));
    await rm(join(mount?.source ?? '', '../.complete'));

    expect(await files.findDependencies(aKey('a1'), TARGET)).toBeNull();
  });

  it('are replaced when the same key is kept again', async () => {
    await keep(aKey('a1'), await makeCheckout('node_modules/a.js', 'old/b'));

    const kept = await keep(aKey('a1'), await makeCheckout('node_modules/c.js'));

    expect(targetsOf(kept)).toEqual(['/workspace/node_modules']);
    expect(await readdir(kept[0]?.source ?? '')).toEqual(['c.js']);
    expect(await readdir(join(dataDir, 'dependencies'))).toEqual(['10-7-a1']);
  });

  it.each(['../../escape', 'a/b', ''])('are refused under the hash %j', async (hash) => {
    await expect(files.findDependencies(aKey(hash), TARGET)).rejects.toThrow('not a file name of ours');
  });

  it('beyond the quota are evicted, the least recently used first', async () => {
    for (const hash of ['a1', 'a2', 'a3']) await keep(aKey(hash), await makeCheckout('node_modules/a.js'));
    for (const [index, hash] of ['a1', 'a2', 'a3'].entries()) {
      await utimes(join(dataDir, 'dependencies', `10-7-${hash}`), 1_000 + index, 1_000 + index);
    }
    await files.findDependencies(aKey('a1'), TARGET);

    await files.sweep(0);

    expect((await readdir(join(dataDir, 'dependencies'))).sort()).toEqual(['10-7-a1', '10-7-a3']);
  });

  it.runIf(isRoot)('belong to root and the slots’ group, and nobody may write to them (T34)', async () => {
    const outside = join(dataDir, 'outside');
    await writeFile(outside, 'host', { mode: 0o644 });
    const checkout = await makeCheckout('node_modules/a/run.sh');
    await chmod(join(checkout, 'node_modules/a/run.sh'), 0o4777);
    await symlink(outside, join(checkout, 'node_modules/link'));
    files = createSessionFiles({ dataDir, maxDependencySets: 2, slotGid: 231_000 });

    const [mount] = await keep(aKey('a1'), checkout);

    const folder = await stat(mount?.source ?? '');
    const file = await stat(join(mount?.source ?? '', 'a/run.sh'));
    expect([folder.uid, folder.gid, folder.mode & 0o7777]).toEqual([0, 231_000, 0o750]);
    expect([file.uid, file.gid, file.mode & 0o7777]).toEqual([0, 231_000, 0o550]);
    expect(await stat(outside)).toMatchObject({ gid: 0, mode: 0o100644 });
    expect(await files.findDependencies(aKey('a1'), TARGET)).toHaveLength(1);
  });
});

import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalRepository, toRenames } from '../../../src/adapters/local/open-local-repository.ts';
import { createCheckoutFiles } from '../../../src/adapters/sites/checkout-files.ts';
import { hashSurroundings } from '../../../src/adapters/sites/hash-surroundings.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

const signal = NEVER;
const VARIABLES = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

let root = '';
let remove = async (): Promise<void> => undefined;

async function git(...args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  const { stdout } = await execa('git', [...identity, ...args], { cwd: root, env: VARIABLES, extendEnv: false });
  return stdout;
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

beforeEach(async () => {
  const folder = await createTempFolder({ inMemory: true });
  root = folder.path;
  remove = folder.remove;
});
afterEach(() => remove());

async function commitAll(message: string): Promise<string> {
  await git('add', '-A');
  await git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
}

describe('a checkout of git', () => {
  it('has its root where the work tree begins, from whichever folder it is opened', async () => {
    await git('init', '-q');
    await write({ 'src/deep/a.ts': '' });

    expect((await openLocalRepository(join(root, 'src/deep'), VARIABLES, signal)).root).toBe(root);
  });

  it('lists tracked and new files and links, but nothing that is ignored, deleted or a folder of another repository', async () => {
    await git('init', '-q');
    await write({ '.gitignore': 'out/\n', 'b.ts': '', 'gone.ts': '', 'ü mlaut.ts': '', 'out/x.js': '' });
    await commitAll('one');
    await rm(join(root, 'gone.ts'));
    await write({ 'a.ts': '' });
    await symlink('a.ts', join(root, 'link.ts'));
    await mkdir(join(root, 'nested'));
    await execa('git', ['init', '-q'], { cwd: join(root, 'nested') });

    const repository = await openLocalRepository(root, VARIABLES, signal);

    expect(await repository.listFiles(signal)).toEqual(['.gitignore', 'a.ts', 'b.ts', 'link.ts', 'ü mlaut.ts']);
  });

  it('finds what HEAD and a revision have in common, and no base of a revision that is none', async () => {
    await git('init', '-q', '-b', 'main');
    await write({ a: '1' });
    const common = await commitAll('common');
    await git('checkout', '-q', '-b', 'topic');
    await write({ b: '1' });
    await commitAll('topic');
    await git('checkout', '-q', 'main');
    await write({ c: '1' });
    await commitAll('main');
    await git('checkout', '-q', 'topic');
    const repository = await openLocalRepository(root, VARIABLES, signal);

    expect(await repository.findBase('main', signal)).toEqual({ kind: 'found', commit: common });
    const none = { kind: 'no_commit', isShallow: false };
    expect(await repository.findBase('nowhere', signal)).toEqual(none);
    expect(await repository.findBase('--output=x', signal)).toEqual(none);
  });

  it('lists a file whose name is no UTF-8, so that nobody passes over it, and identifies no content with one', async () => {
    await git('init', '-q');
    await write({ 'b.sh': '' });
    await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.sh')]), '');
    await commitAll('one');
    const repository = await openLocalRepository(root, VARIABLES, signal);

    const files = await repository.listFiles(signal);

    expect(files).toEqual(['b.sh', 'caf\uFFFD.sh']);
    const toHash = (listed: readonly string[]) => createCheckoutFiles(root, listed, async () => '').contentHash();
    expect(await toHash(files)).toBeNull();
    expect(await toHash(['b.sh'])).toMatch(/^[0-9a-f]{64}$/u);
    expect(await hashSurroundings({ root, files: ['b.sh'], home: null })).toBeNull();
  });

  it('places the files of a commit without touching index and work tree', async () => {
    await git('init', '-q');
    await write({ 'src/a.ts': 'then' });
    const commit = await commitAll('one');
    await write({ 'src/a.ts': 'now', 'src/b.ts': 'now' });
    await mkdir(join(root, '../placed-here'), { recursive: true });
    const folder = join(root, '.git', 'placed');
    await mkdir(folder);
    const before = await git('status', '--porcelain');
    const repository = await openLocalRepository(root, VARIABLES, signal);

    expect(await repository.placeCommit(commit, folder, signal)).toEqual({
      ...{ files: ['src/a.ts'], content: '', apart: [], notes: [] },
    });

    expect(await readdir(folder, { recursive: true })).toEqual(['src', 'src/a.ts']);
    expect(await readFile(join(folder, 'src/a.ts'), 'utf8')).toBe('then');
    expect(await git('status', '--porcelain')).toBe(before);
    await rm(join(root, '../placed-here'), { recursive: true });
  });

  it('tells the difference to a commit, with renames, cut at the limit', async () => {
    await git('init', '-q');
    const text = Array.from({ length: 20 }, (_, index) => `line ${String(index)}\n`).join('');
    await write({ 'old.ts': text, 'b.ts': 'one\n' });
    const commit = await commitAll('one');
    await git('mv', 'old.ts', 'new.ts');
    await write({ 'b.ts': 'two\n' });
    const repository = await openLocalRepository(root, VARIABLES, signal);

    const { patch, renames, changed, isPatchWhole } = await repository.diffFrom(commit, 1_000_000, signal);

    expect(renames).toEqual(new Map([['new.ts', 'old.ts']]));
    expect(changed).toEqual(new Set(['b.ts', 'new.ts', 'old.ts']));
    expect(isPatchWhole).toBe(true);
    expect((await repository.diffFrom(commit, patch.length, signal)).isPatchWhole).toBe(true);
    expect(patch).toContain('-one\n+two\n');
    const cut = await repository.diffFrom(commit, patch.length - 1, signal);
    expect(cut).toEqual({ patch: patch.slice(0, -1), isPatchWhole: false, renames, changed });
  });

  it('tells a change of the same size that was made in the second of the index', async () => {
    const second = new Date('2026-01-01T00:00:00Z');
    await git('init', '-q');
    // Git has this second only to go by; its index tells it to look into the files of that second.
    await git('config', 'core.trustctime', 'false');
    await write({ 'b.ts': 'one\n' });
    await utimes(join(root, 'b.ts'), second, second);
    const commit = await commitAll('one');
    await utimes(join(root, '.git/index'), second, second);
    await write({ 'b.ts': 'two\n' });
    await utimes(join(root, 'b.ts'), second, second);
    const repository = await openLocalRepository(root, VARIABLES, signal);

    expect((await repository.diffFrom(commit, 1_000_000, signal)).patch).toContain('-one\n+two\n');
  });

  it('tells of files that git does not know yet as of new ones, and writes nothing for it', async () => {
    await git('init', '-q');
    await write({ '.gitignore': 'out\n', 'a.ts': 'one\n' });
    const commit = await commitAll('one');
    await write({ 'sub/new.ts': 'new\n', out: 'ignored\n' });
    const before = await git('count-objects', '-v');
    const repository = await openLocalRepository(join(root, 'sub'), VARIABLES, signal);

    const { patch, changed } = await repository.diffFrom(commit, 1_000_000, signal);

    expect(changed).toEqual(new Set(['sub/new.ts']));
    expect(patch).toContain('+++ b/sub/new.ts\n@@ -0,0 +1 @@\n+new\n');
    expect(patch).not.toContain('ignored');
    expect(await git('count-objects', '-v')).toBe(before);
    expect(await git('status', '--porcelain')).toBe('?? sub/');
  });

  it('is an error where git refuses it: it is not taken for a folder without git', async () => {
    await git('init', '-q');
    const variables = { ...VARIABLES, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };

    await expect(openLocalRepository(root, variables, signal)).rejects.toThrow(
      /^git: fatal: detected dubious ownership/u,
    );
  });

  it('has the same state until something in it changes', async () => {
    await git('init', '-q');
    await write({ 'a.ts': 'one\n' });
    await commitAll('one');
    await write({ 'a.ts': 'two\n' });
    const repository = await openLocalRepository(root, VARIABLES, signal);
    const before = await repository.state(signal);

    expect(await repository.state(signal)).toBe(before);
    await write({ 'a.ts': 'six\n' });
    expect(await repository.state(signal)).not.toBe(before);
  });
});

describe('a folder without git', () => {
  it('lists what is not a dependency or a cache, and knows no commits', async () => {
    await write({
      'b/c.py': '',
      'a.py': '',
      'node_modules/x/index.js': '',
      '.venv/bin/python': '',
      'b/__pycache__/c': '',
    });
    const repository = await openLocalRepository(root, VARIABLES, signal);

    expect(await repository.listFiles(signal)).toEqual(['a.py', 'b/c.py']);
    expect(await repository.findBase('main', signal)).toEqual({ kind: 'no_commit', isShallow: false });
    expect(await repository.diffFrom('main', 10, signal)).toEqual({
      ...{ patch: '', isPatchWhole: false, changed: new Set(), renames: new Map() },
    });
    expect(await repository.state(signal)).toBeNull();
    await expect(repository.placeCommit('main', root, signal)).rejects.toThrow('without git');
  });

  it('is what a checkout is taken for where there is no git', async () => {
    expect((await openLocalRepository(root, { PATH: '/nowhere' }, signal)).root).toBe(root);
  });
});

describe('the names and statuses of git', () => {
  it('give renames, and skip the two paths of a copy', () => {
    const names = ['M', 'a', 'R087', 'old', 'new', 'C100', 'x', 'y', 'A', 'R', 'R100', 'p', 'q', ''].join('\0');

    expect(toRenames(names)).toEqual(
      new Map([
        ['new', 'old'],
        ['q', 'p'],
      ]),
    );
  });
});

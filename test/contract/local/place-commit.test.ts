import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalRepository } from '../../../src/adapters/local/open-local-repository.ts';
import type { PlacedCommit } from '../../../src/ports/local-repository.ts';
import { createTempFolder } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

const VARIABLES = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

let top = '';
let root = '';
let placed = '';
let remove = async (): Promise<void> => undefined;

beforeEach(async () => {
  const folder = await createTempFolder({ inMemory: true });
  [top, root, placed] = [folder.path, join(folder.path, 'checkout'), join(folder.path, 'placed')];
  for (const path of [root, placed]) await mkdir(path);
  remove = folder.remove;
  await git(root, 'init', '-q', '-b', 'main');
});
afterEach(() => remove());

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const settings = ['user.name=A', 'user.email=a@example.com', 'protocol.file.allow=always'];
  const options = settings.flatMap((setting) => ['-c', setting]);
  return (await execa('git', [...options, ...args], { cwd, env: VARIABLES, extendEnv: false })).stdout;
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function commitAll(folder: string): Promise<string> {
  await git(folder, 'add', '-A');
  await git(folder, 'commit', '-qm', 'a commit');
  return git(folder, 'rev-parse', 'HEAD');
}

async function place(commit: string): Promise<PlacedCommit> {
  return (await openLocalRepository(root, VARIABLES, NEVER)).placeCommit(commit, placed, NEVER);
}

async function read(path: string): Promise<string | null> {
  return readFile(join(placed, path), 'utf8').catch(() => null);
}

describe('a commit that is placed for a comparison', () => {
  it('has the files that git ignores as the checkout has them, without dependencies and caches', async () => {
    const gen = { 'src/gen.ts': 'generated', 'dist/a/b.js': 'built' };
    await write(root, { '.gitignore': 'gen.ts\ndist/\nnode_modules/\n.cache/\n', 'a.ts': '' });
    const commit = await commitAll(root);
    await write(root, { ...gen, 'node_modules/x/a.js': '', 'dist/.cache/x': '', '.cache/y': '' });

    const { files, apart, notes } = await place(commit);

    expect(files).toEqual(['.gitignore', 'a.ts']);
    expect([await read('src/gen.ts'), await read('dist/a/b.js')]).toEqual(['generated', 'built']);
    expect([await read('node_modules/x/a.js'), await read('dist/.cache/x'), await read('.cache/y')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(apart).toEqual([]);
    expect(notes).toEqual(['git ignores dist/, src/gen.ts: both sides were looked at with that of the checkout']);
  });

  it('keeps a file that it tracks and that is ignored now', async () => {
    await write(root, { 'gen.ts': 'then' });
    const commit = await commitAll(root);
    await git(root, 'rm', '-q', '--cached', 'gen.ts');
    await write(root, { '.gitignore': 'gen.ts\n', 'gen.ts': 'now' });

    expect((await place(commit)).files).toEqual(['gen.ts']);
    expect(await read('gen.ts')).toBe('then');
  });

  it('leaves out what a sparse checkout leaves out, also what only the commit has', async () => {
    await write(root, { 'in/a': '1', 'out/b': '1', 'out/gone': '1' });
    const commit = await commitAll(root);
    await rm(join(root, 'out/gone'));
    await commitAll(root);
    await git(root, 'sparse-checkout', 'set', 'in');

    const { files, notes } = await place(commit);

    expect(files).toEqual(['in/a']);
    expect([await read('in/a'), await read('out/b'), await read('out/gone')]).toEqual(['1', null, null]);
    expect(notes).toEqual(['2 files outside of the sparse checkout: neither side was looked at there']);
    expect(await git(root, 'status', '--porcelain')).toBe('');
  });

  it('has the content of submodules as it records them (E5)', async () => {
    const library = join(top, 'library');
    await mkdir(library);
    await git(library, 'init', '-q', '-b', 'main');
    await write(library, { 'lib.c': 'one' });
    const first = await commitAll(library);
    await git(root, 'submodule', '--quiet', 'add', library, 'sub');
    const commit = await commitAll(root);
    await write(join(root, 'sub'), { 'lib.c': 'two' });
    await commitAll(join(root, 'sub'));
    await commitAll(root);

    const { content, apart, files } = await place(commit);

    expect(await read('sub/lib.c')).toBe('one');
    expect(files).toEqual(['.gitmodules']);
    expect({ content, apart }).toEqual({ content: `sub ${first}`, apart: [] });
  });

  it.each([
    ['whose commit is not here', true],
    ['that it does not have', false],
  ])('names a submodule %s (E5)', async (_what, isRecorded) => {
    const sub = join(root, 'sub');
    await write(root, { 'a.c': '' });
    if (isRecorded) await git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    await git(root, 'commit', '-qm', 'base', '--allow-empty');
    const commit = await git(root, 'rev-parse', 'HEAD');
    await mkdir(sub, { recursive: true });
    await git(sub, 'init', '-q', '-b', 'main');
    await write(sub, { 'lib.c': 'one' });
    await commitAll(sub);
    await git(root, 'add', 'sub');

    const { apart, notes } = await place(commit);

    expect(apart).toEqual(['sub']);
    expect(notes).toEqual(["the base's commit of the submodule sub is not here: what is in it was not compared"]);
  });
});

describe('the base of a checkout without all history', () => {
  it.each([
    ['shallow', ['--depth', '1', '--no-single-branch'], { kind: 'no_common_commit', isShallow: true }],
    ['shallow and without the branch', ['--depth', '1'], { kind: 'no_commit', isShallow: true }],
    ['whole', ['--no-single-branch'], { kind: 'found' }],
  ] as const)('is found only if the history is there (%s) (E6)', async (_what, options, expected) => {
    await write(root, { a: '1' });
    await commitAll(root);
    await git(root, 'checkout', '-qb', 'topic');
    await write(root, { a: '2' });
    await commitAll(root);
    const clone = join(top, 'clone');
    await git(top, 'clone', '-q', ...options, '-b', 'topic', `file://${root}`, clone);
    const repository = await openLocalRepository(clone, VARIABLES, NEVER);

    expect(await repository.findBase('origin/main', NEVER)).toMatchObject(expected);
  });

  it('is none if the histories have nothing in common (E6)', async () => {
    await write(root, { a: '1' });
    await commitAll(root);
    await git(root, 'checkout', '-q', '--orphan', 'other');
    await write(root, { a: '2' });
    await commitAll(root);
    const repository = await openLocalRepository(root, VARIABLES, NEVER);

    expect(await repository.findBase('main', NEVER)).toEqual({ kind: 'no_common_commit', isShallow: false });
  });
});

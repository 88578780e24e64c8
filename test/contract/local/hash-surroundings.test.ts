import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashSurroundings } from '../../../src/adapters/sites/hash-surroundings.ts';
import { createTempFolder } from '../../support/git-repository.ts';

let root = '';
let home = '';
let remove = async (): Promise<void> => undefined;

beforeEach(async () => {
  const folder = await createTempFolder({ inMemory: true });
  [root, home] = [join(folder.path, 'root'), join(folder.path, 'home')];
  for (const path of [root, home]) await mkdir(path);
  remove = folder.remove;
  await write({
    'src/a.ts': '',
    'src/gen.ts': 'one',
    'node_modules/x/index.d.ts': 'one',
    'sub/.git': '',
    'sub/lib.c': 'one',
  });
});
afterEach(() => remove());

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

function hash(maxEntries?: number): Promise<string | null> {
  return hashSurroundings({ root, files: ['src/a.ts'], home, ...(maxEntries === undefined ? {} : { maxEntries }) });
}

describe('what tools may read beside the files of the repository', () => {
  it.each([
    ['generated code', () => write({ 'src/gen.ts': 'two' })],
    ['types of a package', () => write({ 'node_modules/x/index.d.ts': 'two' })],
    ['a submodule', () => write({ 'sub/lib.c': 'two' })],
    ['a new file', () => write({ 'node_modules/y/index.js': '' })],
    ['a file that is gone', () => rm(join(root, 'src/gen.ts'))],
    [
      'the same size at the same time',
      async () => {
        await write({ 'src/gen.ts': 'eno' });
        await utimes(join(root, 'src/gen.ts'), new Date(0), new Date(0));
      },
    ],
    ['settings above the root', () => write({ '../.eslintrc.json': '{}' })],
    ['settings of the person', () => writeFile(join(home, '.shellcheckrc'), 'disable=all')],
    [
      'the file of a link',
      async () => {
        await symlink('../../home/python', join(root, 'src/python'));
        await writeFile(join(home, 'python'), 'x');
      },
    ],
  ])('is another with %s', async (_what, change) => {
    const before = await hash();
    await change();

    expect(before).toMatch(/^[0-9a-f]{64}$/u);
    expect(await hash()).not.toBe(before);
  });

  it.each([
    ['a file whose content is hashed elsewhere', 'src/a.ts'],
    ['what git writes', '.git/index'],
    ['what a tool caches', 'node_modules/.cache/x'],
    ['what Python compiles', 'src/__pycache__/a.pyc'],
    ['what TypeScript remembers', 'tsconfig.tsbuildinfo'],
  ])('is the same with %s', async (_what, path) => {
    const before = await hash();
    await write({ [path]: 'other' });

    expect(await hash()).toBe(before);
  });

  it('cannot be told if a link leads to a folder elsewhere, or if there is too much', async () => {
    await symlink('../node_modules', join(root, 'src/node_modules'));
    expect(await hash()).not.toBeNull();
    expect(await hash(3)).toBeNull();

    await symlink(home, join(root, 'node_modules/linked'));
    expect(await hash()).toBeNull();
  });

  it.each([
    ['tsconfig.json', '{"extends":"../shared/base.json"}', true],
    ['packages/a/tsconfig.build.json', '{"extends":"../../../shared/base.json"}', true],
    ['packages/a/eslint.config.mjs', "import all from '../../../shared/eslint.mjs';", true],
    ['.eslintrc.json', String.raw`{"extends":"..\\shared"}`, true],
    ['pyproject.toml', '[tool.ruff]\nextend = "../ruff.toml"', true],
    ['tsconfig.json', ' '.repeat(300_000), true],
    ['packages/a/tsconfig.json', '{"extends":"../../tsconfig.base.json"}', false],
    ['packages/a/eslint.config.mjs', "import all from '../../eslint.config.mjs';", false],
    ['packages/a/src/x.ts', "import '../../../../elsewhere';", false],
  ])('cannot be told where a configuration names a path out of the root: %s', async (path, text, isOutside) => {
    await write({ [path]: text });
    const found = await hashSurroundings({ root, files: [path], home });

    expect(found === null).toBe(isOutside);
  });
});

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../support/git-repository.ts';

const run = promisify(execFile);
const FILES = 120_000;
const MAX_GROWTH_MIB = 60;

let root: string;
let removeRoot: () => Promise<void>;

beforeEach(async () => {
  ({ path: root, remove: removeRoot } = await createTempFolder({ inMemory: true }));
});

afterEach(async () => {
  await removeRoot();
});

/** Runs `source` in a process of its own; returns by how many MiB its peak of memory grew over `source`. */
async function measureGrowth(source: string): Promise<number> {
  const program = `
    const before = process.resourceUsage().maxRSS;
    ${source}
    process.stdout.write(String((process.resourceUsage().maxRSS - before) / 1024));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

function toImport(name: string, file: string): string {
  const url = pathToFileURL(join(import.meta.dirname, '../../../src', file)).href;
  return `const { ${name} } = await import(${JSON.stringify(url)});`;
}

/** An agent makes more files than fit into the memory of the service, which starts anew to find them still there. */
describe('a folder with very many files', () => {
  let folder: string;

  beforeEach(async () => {
    folder = join(root, 'many');
    await mkdir(folder);
    await run('/bin/sh', ['-c', `seq -f f%.0f ${String(FILES)} | xargs touch`], { cwd: folder });
  });

  it('is removed in memory that does not grow with it', async () => {
    const load = toImport('removeTree', 'system/remove-tree.ts');
    const growth = await measureGrowth(`${load} await removeTree(${JSON.stringify(folder)});`);

    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(existsSync(folder)).toBe(false);
  });

  it('is refused by cleanFolder before it is read to its end', async () => {
    const options = JSON.stringify({ discardDir: join(root, 'discarded'), maxEntries: 1000 });
    const source = `${toImport('cleanFolder', 'adapters/git/clean-folder.ts')}
      const error = await cleanFolder(${JSON.stringify(folder)}, ${options}).catch((thrown) => thrown);
      if (error.code !== 'GIT_FAILED') throw error;`;

    expect(await measureGrowth(source)).toBeLessThan(MAX_GROWTH_MIB);
  });
});

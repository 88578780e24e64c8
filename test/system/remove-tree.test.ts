import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from '../../src/system/remove-tree.ts';
import { createTempFolder } from '../support/git-repository.ts';

let root: string;
let removeRoot: () => Promise<void>;

beforeEach(async () => {
  ({ path: root, remove: removeRoot } = await createTempFolder());
});

afterEach(async () => {
  await removeRoot();
});

describe('removeTree (T28)', () => {
  it.each([
    ['that may not be entered', 'mkdir -p sealed/in; : > sealed/in/file; chmod 000 sealed/in sealed'],
    ['deeper than a path may be long', `for i in {1..40}; do mkdir ${'d'.repeat(200)}; cd ${'d'.repeat(200)}; done`],
  ])('removes a folder %s', async (_what, script) => {
    const folder = join(root, 'folder');
    await mkdir(folder);
    await promisify(execFile)('/bin/bash', ['-c', script], { cwd: folder });

    await removeTree(folder);

    await expect(access(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

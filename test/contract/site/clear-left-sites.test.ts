import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearLeftSites } from '../../../src/adapters/sites/clear-left-sites.ts';
import { createTempFolder } from '../../support/git-repository.ts';

describe('the sites that an earlier process left', () => {
  let dataDir: string;
  let remove: () => Promise<void>;
  const newId = (): string => 'id';

  beforeEach(async () => {
    ({ path: dataDir, remove } = await createTempFolder());
    for (const run of ['one', 'two'])
      await mkdir(join(dataDir, 'sessions', run, 'sites', 'a', 'work'), { recursive: true });
    await mkdir(join(dataDir, 'sessions', 'three', 'control'), { recursive: true });
    await writeFile(join(dataDir, 'sessions', 'one', 'sites', 'a', 'work', 'file'), 'x');
  });

  afterEach(async () => {
    await remove();
  });

  it('go to the trash at once, and nothing else does', async () => {
    await clearLeftSites({ dataDir, newId, minFreeBytes: 0 });

    expect((await readdir(join(dataDir, 'trash'))).toSorted()).toEqual(['one.id', 'two.id']);
    expect(await readdir(join(dataDir, 'sessions', 'one'))).toEqual([]);
    expect(await readdir(join(dataDir, 'sessions', 'three'))).toEqual(['control']);
  });

  it('are removed before the start continues where the disk is nearly full', async () => {
    await clearLeftSites({ dataDir, newId, minFreeBytes: Number.POSITIVE_INFINITY });

    expect(await readdir(join(dataDir, 'trash'))).toEqual([]);
  });

  it('may be none', async () => {
    await clearLeftSites({ dataDir: join(dataDir, 'new'), newId });

    expect(await readdir(dataDir)).toEqual(['sessions']);
  });
});

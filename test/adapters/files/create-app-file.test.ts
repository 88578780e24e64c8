import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAppFile } from '../../../src/adapters/files/create-app-file.ts';
import { ConfigError } from '../../../src/core/model/errors.ts';
import type { RegisteredApp } from '../../../src/core/model/registered-app.ts';

const APP: RegisteredApp = {
  appId: 7,
  slug: 'ratchet-acme',
  name: 'Ratchet of Acme',
  owner: null,
  pageUrl: 'https://github.com/apps/ratchet-acme',
  githubApiUrl: 'https://api.github.com',
  privateKey: 'the private key',
  webhookSecret: 'the webhook secret',
};

let dataDir = '';
let path = '';
let ids = 0;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ratchet-app-file-'));
  path = join(dataDir, 'github-app.json');
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

function open() {
  return createAppFile({
    dataDir,
    newId: () => {
      ids += 1;
      return String(ids);
    },
  });
}

describe('the file of the App', () => {
  it('gives back what was stored, and is readable by its owner alone whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await open().create(APP);
    } finally {
      process.umask(umask);
    }

    expect(await open().read()).toEqual(APP);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['github-app.json']);
  });

  it('is none where there is no file, and no folder', async () => {
    expect(await open().read()).toBeNull();
    dataDir = join(dataDir, 'missing');
    expect(await open().read()).toBeNull();
  });

  it('is never replaced, and of two that come at once one is stored', async () => {
    const other = { ...APP, appId: 8 };
    const results = await Promise.allSettled([open().create(APP), open().create(other)]);

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const kept = await readFile(path, 'utf8');
    await expect(open().create({ ...APP, appId: 9 })).rejects.toThrow('EEXIST');
    expect(await readFile(path, 'utf8')).toBe(kept);
    expect(await readdir(dataDir)).toEqual(['github-app.json']);
  });

  it('is not a file that a crash left half-written', async () => {
    await writeFile(`${path}.left`, '{"version": 1, "app', { mode: 0o600 });

    expect(await open().read()).toBeNull();
    await open().create(APP);
    expect(await open().read()).toEqual(APP);
  });

  it.each([
    [
      'that others can read',
      async () => writeFile(path, '{}').then(() => chmod(path, 0o640)),
      'others can read it: chmod 600',
    ],
    ['that is a link', async () => symlink('/etc/hostname', path), 'ELOOP'],
    ['that is a folder', async () => mkdir(path), 'it is not a file'],
    ['that is no JSON', async () => writeFile(path, 'the private key', { mode: 0o600 }), 'it is damaged: restore it'],
    [
      'without a secret',
      async () => writeFile(path, JSON.stringify({ version: 1, app: { ...APP, webhookSecret: '' } }), { mode: 0o600 }),
      'it is damaged (app.webhookSecret)',
    ],
    [
      'of a later version',
      async () => writeFile(path, JSON.stringify({ version: 2, app: APP }), { mode: 0o600 }),
      'it is damaged (version)',
    ],
    ['that is too long', async () => writeFile(path, 'x'.repeat(65_537), { mode: 0o600 }), 'it is too long'],
  ])('cannot be used as one %s, and the error says so without its content', async (_what, write, why) => {
    await write();

    const error: unknown = await open()
      .read()
      .catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(why);
    expect(String(error)).toContain(path);
    expect(String(error)).not.toMatch(/the private key|the webhook secret/u);
  });
});

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createMachine } from '../../../src/adapters/machine/create-machine.ts';

const UID = process.getuid?.() ?? 0;
const { signal } = new AbortController();
const machine = createMachine({ uid: UID, fetch, userAgent: 'ratchet-test' });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ratchet-machine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('readDisk', () => {
  it('reads the room of the disk of a folder', async () => {
    const { freeBytes, freeInodes, totalInodes } = await machine.readDisk(folder);

    expect(freeBytes).toBeGreaterThan(0);
    expect(freeInodes).toBeLessThanOrEqual(totalInodes);
    await expect(machine.readDisk(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('readEntry', () => {
  it('tells folders and files, their mode and their owner', async () => {
    await writeFile(join(folder, 'file'), 'four', { mode: 0o640 });
    await mkdir(join(folder, 'sub'));
    await chmod(join(folder, 'sub'), 0o711);
    await symlink('file', join(folder, 'link'));
    const file = { kind: 'file', isOwn: true, mode: 0o640, isReadable: true, isWritable: true, bytes: 4 };

    expect(await machine.readEntry(join(folder, 'file'))).toEqual(file);
    expect(await machine.readEntry(join(folder, 'link'))).toEqual(file);
    expect(await machine.readEntry(join(folder, 'sub'))).toMatchObject({ kind: 'folder', mode: 0o711 });
    expect(await machine.readEntry('/dev/null')).toMatchObject({ kind: 'other' });
  });

  it('knows what belongs to another user', async () => {
    const other = createMachine({ uid: UID + 1, fetch, userAgent: 'ratchet-test' });
    const none = createMachine({ uid: null, fetch, userAgent: 'ratchet-test' });

    expect(await other.readEntry(folder)).toMatchObject({ isOwn: false });
    expect(await none.readEntry(folder)).toMatchObject({ isOwn: true });
  });

  it.each(['missing', 'file/below'])('says that nothing is at %s', async (path) => {
    await writeFile(join(folder, 'file'), '');

    expect(await machine.readEntry(join(folder, path))).toBeNull();
  });
});

describe('reach', () => {
  it('tells the status, follows nothing and sends no credentials', async () => {
    const seen: (readonly [string | undefined, string | undefined])[] = [];
    const server = createServer((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      response.writeHead(302, { location: '/elsewhere' }).end('x'.repeat(100_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const host = `127.0.0.1:${typeof address === 'object' && address !== null ? String(address.port) : ''}`;

    expect(await machine.reach({ name: 'npm', url: `http://${host}/root` }, signal)).toEqual({
      ...{ name: 'npm', host, status: 302, why: '' },
    });
    expect(seen).toEqual([['/root', undefined]]);
  });

  it('says why nothing answers', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? String(address.port) : ''}/`;
    const failing =
      (error: Error): typeof fetch =>
      () =>
        Promise.reject(error);
    const reachWith = async (error: Error, given = signal): Promise<string> => {
      const one = createMachine({ uid: null, fetch: failing(error), userAgent: 'x' });
      return (await one.reach({ name: 'npm', url }, given)).why;
    };

    expect((await machine.reach({ name: 'npm', url }, signal)).why).toBe('it cannot be reached (ECONNREFUSED)');
    expect(await reachWith(new TypeError('fetch failed'))).toBe('it cannot be reached');
    expect(await reachWith(new Error('late'), AbortSignal.abort())).toBe('it did not answer in time');
  });
});

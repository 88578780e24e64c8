import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPackage } from '../../demo/scenarios/real/read-package.ts';
import { CannotPlayError } from '../../demo/scenarios/scenario.ts';

let folder: string;
let registry: Server;
let url: string;
let integrity: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-package-'));
  await mkdir(join(folder, 'package/lib'), { recursive: true });
  await writeFile(join(folder, 'package/package.json'), '{}');
  await writeFile(join(folder, 'package/lib/a.js'), 'ä\n');
  const { stdout } = await execa('tar', ['-cz', '-C', folder, 'package'], { encoding: 'buffer' });
  integrity = `sha512-${createHash('sha512').update(stdout).digest('base64')}`;
  registry = createServer((request, response) => {
    response.writeHead(request.url === '/a.tgz' ? 200 : 404);
    response.end(stdout);
  });
  await new Promise<void>((resolve) => void registry.listen(0, '127.0.0.1', resolve));
  const address = registry.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  url = `http://127.0.0.1:${String(address.port)}/a.tgz`;
});

afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true });
});

async function readError(wanted: Parameters<typeof readPackage>[0]): Promise<unknown> {
  return readPackage(wanted).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('readPackage', () => {
  it('returns the files of a tarball without its top folder', async () => {
    expect(await readPackage({ url, integrity })).toEqual({ 'package.json': '{}', 'lib/a.js': 'ä\n' });
  });

  it.each([
    [
      'another tarball than the pinned one',
      () => ({ url, integrity: 'sha512-other' }),
      /a\.tgz is not what was pinned/,
    ],
    ['an error of the registry', () => ({ url: `${url}x`, integrity }), /cannot be reached: .* answered with 404/],
    ['a registry that is not there', () => ({ url: 'http://127.0.0.1:1/a.tgz', integrity }), /127\.0\.0\.1:1, which/],
  ])('says why it cannot use %s', async (_what, wanted, message) => {
    const error = await readError(wanted());

    expect(error).toBeInstanceOf(CannotPlayError);
    expect(String(error)).toMatch(message);
  });
});

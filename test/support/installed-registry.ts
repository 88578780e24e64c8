import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';

const Manifest = z.looseObject({ name: z.string(), version: z.string() });
type Installed = z.infer<typeof Manifest> & { readonly folder: string };

/** A registry of npm on this machine that has what the checkout has installed for use, and nothing else. */
export async function startInstalledRegistry(
  project: string,
): Promise<{ readonly url: string; readonly asked: ReadonlySet<string>; readonly close: () => Promise<void> }> {
  const { stdout } = await execa('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: project, reject: false });
  const folders = stdout.split('\n').slice(1).filter(Boolean);
  const installed = await Promise.all(folders.map(readInstalled));
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const file = installed.find((one) => toTarball(one) === path);
    const versions = installed.filter(({ name }) => name === path);
    if (file === undefined && versions.length === 0) response.writeHead(404).end();
    else if (file === undefined) {
      asked.add(path);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(toDocument(versions, url)));
    } else {
      const args = ['-cz', '-C', file.folder, '--exclude=./node_modules', '--transform=s,^\\.,package,', '.'];
      const packed = execa('tar', args, { encoding: 'buffer', buffer: false });
      packed.stdout.pipe(response.setHeader('content-type', 'application/octet-stream'));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/`;
  return {
    ...{ url, asked },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function readInstalled(folder: string): Promise<Installed> {
  return { ...Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))), folder };
}

function toTarball({ name, version }: Installed): string {
  return `${name}/-/${name.replace(/^@[^/]*\//u, '')}-${version}.tgz`;
}

function toDocument(versions: readonly Installed[], url: string): object {
  const entries = versions.map((installed) => {
    const dist = { tarball: `${url}${toTarball(installed)}` };
    return [installed.version, { ...installed, folder: undefined, dist }] as const;
  });
  const [latest] = entries;
  return { name: versions[0]?.name, 'dist-tags': { latest: latest?.[0] }, versions: Object.fromEntries(entries) };
}

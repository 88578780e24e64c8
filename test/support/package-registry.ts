import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** A package of npm that tests publish. */
export interface TestPackage {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** A registry of npm on this machine. */
export interface PackageRegistry {
  /** With a slash at the end. */
  readonly url: string;
  /** Paths that were read. */
  readonly read: string[];
  /** The text of a package-lock.json that installs all packages, each with its address at `host`. */
  readonly toLockfile: (root: TestPackage, host: string) => string;
  readonly close: () => Promise<void>;
}

interface Published extends TestPackage {
  readonly tarball: Buffer;
  readonly integrity: string;
}

/** Publishes packages. `folder` is for their archives. */
export async function startPackageRegistry(folder: string, packages: readonly TestPackage[]): Promise<PackageRegistry> {
  const published: Published[] = [];
  for (const [index, given] of packages.entries()) published.push(await pack(join(folder, String(index)), given));
  const read: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    read.push(path);
    const file = published.find((given) => toTarballPath(given) === path);
    const found = published.find(({ name }) => name === path);
    if (file !== undefined) response.setHeader('content-type', 'application/octet-stream').end(file.tarball);
    else if (found !== undefined) response.setHeader('content-type', 'application/json').end(toDocument(found, url));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/`;
  return {
    url,
    read,
    toLockfile: (root, host) => toLockfile(root, published, host),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function toManifest({ name, version, dependencies = {}, scripts = {} }: TestPackage): object {
  return { name, version, dependencies, scripts };
}

async function pack(folder: string, given: TestPackage): Promise<Published> {
  const files = { ...given.files, 'package.json': JSON.stringify(toManifest(given)) };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'package', path)), { recursive: true });
    await writeFile(join(folder, 'package', path), text);
  }
  await execa('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  const tarball = await readFile(join(folder, 'package.tgz'));
  await rm(folder, { recursive: true });
  return { ...given, tarball, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}` };
}

function toTarballPath({ name, version }: TestPackage): string {
  return `${name}/-/${name.replace(/^@[^/]*\//u, '')}-${version}.tgz`;
}

function toDocument(given: Published, url: string): string {
  const dist = { tarball: `${url}${toTarballPath(given)}`, integrity: given.integrity };
  const versions = { [given.version]: { ...toManifest(given), dist } };
  return JSON.stringify({ name: given.name, 'dist-tags': { latest: given.version }, versions });
}

function toLockfile(root: TestPackage, published: readonly Published[], host: string): string {
  const { name, version } = root;
  const packages: Record<string, object> = { '': toManifest(root) };
  for (const given of published) {
    packages[`node_modules/${given.name}`] = {
      ...{ version: given.version, resolved: `${host}${toTarballPath(given)}`, integrity: given.integrity },
      dependencies: given.dependencies ?? {},
      hasInstallScript: given.scripts !== undefined,
    };
  }
  return JSON.stringify({ name, version, lockfileVersion: 3, requires: true, packages }, null, 2);
}

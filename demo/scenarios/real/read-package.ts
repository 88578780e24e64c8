import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { CannotPlayError } from '../scenario.ts';

/** One version of a package in a registry of npm. */
export interface PinnedPackage {
  readonly url: string;
  /** `sha512-` and the base64 digest of the tarball, as npm has it. */
  readonly integrity: string;
}

const TIMEOUT_MS = 60_000;

/**
 * Downloads the tarball of a package and returns its text files by path.
 * @throws CannotPlayError if the registry cannot be reached or sends another tarball than the pinned one.
 */
export async function readPackage(wanted: PinnedPackage): Promise<Readonly<Record<string, string>>> {
  const tarball = await download(wanted);
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-package-'));
  try {
    // Every path in a tarball of npm is below one folder.
    const argv = ['-xz', '--strip-components=1', '--no-same-owner', '-C', folder];
    await execa('tar', argv, { input: tarball, timeout: TIMEOUT_MS });
    return await readTexts(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download({ url, integrity }: PinnedPackage): Promise<Uint8Array> {
  const tarball = await fetchBytes(url).catch((error: unknown) => {
    throw new CannotPlayError(
      `This scenario reads packages of ${new URL(url).host}, which cannot be reached: ${describe(error)}.`,
    );
  });
  const found = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (found === integrity) return tarball;
  throw new CannotPlayError(`${url} is not what was pinned: its integrity is ${found}, not ${integrity}.`);
}

async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} was answered with ${String(response.status)}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** `fetch` says only "fetch failed"; the reason is the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

async function readTexts(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const)),
  );
}

import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isLossy } from '../../core/text/is-lossy.ts';
import type { EngineHost } from '../../ports/engine-host.ts';
import { readRegular } from './read-left.ts';

const HASHED_AT_ONCE = 32;

/**
 * Reads files of a person's checkout. `root` is absolute; `files` are those whose content is hashed. `surroundings` identifies all
 * else that tools may read there (null: nothing does).
 */
export function createCheckoutFiles(
  root: string,
  files: readonly string[],
  surroundings: () => Promise<string | null>,
): Pick<EngineHost, 'has' | 'readText' | 'contentHash'> {
  let hash: Promise<string | null> | null = null;
  return {
    has: (path) => hasFile(join(root, path)),
    readText: async (path, maxBytes) => {
      const bytes = await readCheckoutFile(join(root, path), maxBytes);
      return bytes === null ? null : new TextDecoder('utf-8').decode(bytes);
    },
    contentHash: () => (hash ??= hashAll(root, files, surroundings)),
  };
}

export async function hasFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Follows links: the checkout is the person's own. */
export function readCheckoutFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
  return readRegular(path, maxBytes, true).catch(() => null);
}

async function hashAll(
  root: string,
  files: readonly string[],
  surroundings: () => Promise<string | null>,
): Promise<string | null> {
  // What cannot be found cannot be hashed.
  if (files.some(isLossy)) return null;
  const rest = await surroundings();
  if (rest === null) return null;
  return createHash('sha256')
    .update(`${await hashFiles(root, files)}\0${rest}`)
    .digest('hex');
}

async function hashFiles(root: string, files: readonly string[]): Promise<string> {
  const all = createHash('sha256');
  for (let at = 0; at < files.length; at += HASHED_AT_ONCE) {
    const chunk = files.slice(at, at + HASHED_AT_ONCE);
    const hashes = await Promise.all(chunk.map((path) => hashFile(join(root, path))));
    for (const [index, path] of chunk.entries()) all.update(`${path}\0${hashes[index] ?? ''}\0`);
  }
  return all.digest('hex');
}

/** Hashes a link's target, as git does. A file that vanished counts as `gone`. */
async function hashFile(path: string): Promise<string> {
  try {
    const found = await lstat(path);
    const content = found.isSymbolicLink() ? await readlink(path) : await readFile(path);
    const mode = found.isSymbolicLink() ? 'link' : (found.mode & 0o100).toString();
    return `${mode}:${createHash('sha256').update(content).digest('hex')}`;
  } catch {
    return 'gone';
  }
}

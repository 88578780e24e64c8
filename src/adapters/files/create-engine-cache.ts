import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineCache, StoredInvocation } from '../../ports/engine-cache.ts';
import { parseStoredInvocation } from '../../schemas/stored-invocation.ts';

/** Options of `createEngineCache`. */
export interface EngineCacheOptions {
  /** Created on the first `put`. Nothing else writes there. */
  readonly folder: string;
  /** Above this number, the least recently used entries are deleted. */
  readonly maxEntries: number;
  /** Maximum size of an entry. A larger one is not stored. */
  readonly maxEntryBytes?: number;
  /** Maximum size of all entries together. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_ENTRY_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
const SUFFIX = '.json';
/** Suffix of an entry that is being written. An old one was left by a process that died. */
const TEMPORARY = '.tmp';
const TEMPORARY_MS = 60 * 60_000;

/** Creates a cache of engine runs, one file each. A damaged file, or one of another format, counts as missing. */
export function createEngineCache(options: EngineCacheOptions): EngineCache {
  const { folder } = options;
  const { maxEntryBytes = DEFAULT_MAX_ENTRY_BYTES } = options;
  return {
    get: async (key) => {
      const path = join(folder, toFileName(key));
      const stored = await read(path, maxEntryBytes);
      const now = new Date();
      if (stored !== null) await utimes(path, now, now).catch(() => undefined);
      return stored;
    },
    put: async (key, stored) => {
      const text = JSON.stringify(stored);
      if (Buffer.byteLength(text) > maxEntryBytes) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(folder, toFileName(key), text);
      await evict(options);
    },
  };
}

/** @throws RangeError for an invalid key: a key must not choose the file's place. */
function toFileName(key: string): string {
  if (!/^[0-9a-f]{64}$/u.test(key)) throw new RangeError(`not a key of a run: ${JSON.stringify(key)}`);
  return `${key}${SUFFIX}`;
}

async function read(path: string, maxBytes: number): Promise<StoredInvocation | null> {
  try {
    if ((await stat(path)).size > maxBytes) return null;
    return parseStoredInvocation(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Writes an entry atomically: readers see the old or the new one. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `${randomUUID()}${TEMPORARY}`);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

interface Entry {
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

async function evict({ folder, maxEntries, maxBytes = DEFAULT_MAX_BYTES }: EngineCacheOptions): Promise<void> {
  const entries = await listEntries(folder);
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += entry.bytes;
    if (index >= maxEntries || bytes > maxBytes) await rm(entry.path, { force: true });
  }
}

/** Lists the entries, most recently used first, without unfinished ones. Removes old unfinished ones. */
async function listEntries(folder: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    if (name.endsWith(SUFFIX)) entries.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    else if (name.endsWith(TEMPORARY) && Date.now() - found.mtimeMs > TEMPORARY_MS) await rm(path, { force: true });
  }
  return entries.toSorted((left, right) => right.usedAt - left.usedAt);
}

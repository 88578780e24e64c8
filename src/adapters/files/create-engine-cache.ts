import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineCache, StoredInvocation } from '../../ports/engine-cache.ts';
import { parseStoredInvocation } from '../../schemas/stored-invocation.ts';

/** Where runs are kept, and how much of them. */
export interface EngineCacheOptions {
  /** Made when something is put; nobody else writes there. */
  readonly folder: string;
  /** The least recently used ones go first. */
  readonly maxEntries: number;
  /** Of one entry: what is longer is not kept. */
  readonly maxEntryBytes?: number;
  /** Of all entries together. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_ENTRY_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
const SUFFIX = '.json';
/** Of an entry that is being written. One that is older than this was left by a process that is no more. */
const TEMPORARY = '.tmp';
const TEMPORARY_MS = 60 * 60_000;

/** Runs of engines as files, one each. What is damaged, or of another form, is as good as not there. */
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

/** @throws RangeError for a key that is none of ours: it must not choose where a file lies. */
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

/** Readers see the old entry or the new one, never a part of one. */
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

/** Most recently used first, without what is being written; what was left half-written is removed. */
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

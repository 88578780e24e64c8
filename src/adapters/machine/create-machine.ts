import { constants, type Stats } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import type { DiskFacts, EntryFacts, ReachFacts } from '../../core/model/machine-facts.ts';
import type { Machine } from '../../ports/machine.ts';

/** Options of `createMachine`. */
export interface MachineOptions {
  /** User id of this process; null where there are none. */
  readonly uid: number | null;
  readonly fetch: typeof fetch;
  readonly userAgent: string;
}

/** Reads disks, files and services of this machine. */
export function createMachine(options: MachineOptions): Pick<Machine, 'readDisk' | 'readEntry' | 'reach'> {
  return {
    readDisk,
    readEntry: (path) => readEntry(path, options.uid),
    reach: (service, signal) => reach(options, service, signal),
  };
}

async function readDisk(folder: string): Promise<DiskFacts> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  return { freeBytes: bavail * bsize, freeInodes: ffree, totalInodes: files };
}

async function readEntry(path: string, uid: number | null): Promise<EntryFacts | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null) return null;
  const may = (mode: number): Promise<boolean> =>
    access(path, mode).then(
      () => true,
      () => false,
    );
  return {
    kind: toKind(found),
    isOwn: uid === null || found.uid === uid,
    mode: found.mode & 0o777,
    isReadable: await may(constants.R_OK),
    isWritable: await may(constants.W_OK),
    bytes: found.size,
  };
}

function toKind(found: Stats): EntryFacts['kind'] {
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function reach(
  { fetch: fetchNow, userAgent }: MachineOptions,
  { name, url }: Parameters<Machine['reach']>[0],
  signal: AbortSignal,
): Promise<ReachFacts> {
  const { host } = new URL(url);
  try {
    const response = await fetchNow(url, { signal, redirect: 'manual', headers: { 'user-agent': userAgent } });
    await response.body?.cancel();
    return { name, host, status: response.status, why: '' };
  } catch (error) {
    return { name, host, status: null, why: signal.aborted ? 'it did not answer in time' : toReason(error) };
  }
}

/** `fetch` says only that it failed. The reason is its cause: a name that does not resolve, a port that nobody listens on. */
function toReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? 'it cannot be reached' : `it cannot be reached (${code})`;
}

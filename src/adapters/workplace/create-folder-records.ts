import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { Blobs } from './create-blobs.ts';
import { findIgnoredFolders } from './find-ignored.ts';
import type { Mine } from './give-entry.ts';
import { toBytes, toShown } from './raw-path.ts';
import { isMissing } from './resolve-path.ts';
import { type WalkedEntry, walkFolder } from './walk-folder.ts';

/** Records of a whole folder. See `Workplace.recordAll`. */
export interface FolderRecords {
  readonly record: (signal: AbortSignal) => Promise<string>;
  readonly restore: (id: string, signal: AbortSignal) => Promise<readonly string[]>;
}

const Entry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    path: z.string(),
    mode: z.int(),
    blob: z.string().regex(/^[0-9a-f]{64}$/u),
  }),
  z.strictObject({ kind: z.literal('link'), path: z.string(), target: z.string() }),
  z.strictObject({ kind: z.literal('folder'), path: z.string(), mode: z.int() }),
]);
type Entry = z.infer<typeof Entry>;
const Folder = z.strictObject({ mode: z.int(), ignored: z.array(z.string()), entries: z.array(Entry) });

const ID = /^[0-9a-f]{24}$/u;
const MODE_BITS = 0o7777;
const OWNER_ALL = 0o700;
const MAX_BYTES = 4n * 1024n ** 3n;

interface Ground {
  readonly root: string;
  /** Where contents and records are kept. It survives the process, and no command sees it. */
  readonly folder: string;
  readonly blobs: Blobs;
  readonly mine: Mine;
  /** Contents by path that were hashed before. */
  readonly known: Map<string, { readonly identity: string; readonly blob: string }>;
}

/** Creates the records of `root`, which are kept in `folder`. */
export function createFolderRecords(ground: Omit<Ground, 'known'>): FolderRecords {
  const own = { ...ground, known: new Map<string, never>() };
  return { record: (signal) => recordFolder(own, signal), restore: (id, signal) => restoreFolder(own, id, signal) };
}

async function recordFolder(ground: Ground, signal: AbortSignal): Promise<string> {
  const { root, folder } = ground;
  const ignored = await findIgnoredFolders(root, join(folder, 'ignored.git'), signal);
  const entries: Entry[] = [];
  let bytes = 0n;
  for await (const walked of walkFolder(
    root,
    { isLeftOut: (path) => ignored.has(path), opensForGood: false },
    signal,
  )) {
    if (walked.stats.isFile()) bytes += walked.stats.size;
    if (bytes > MAX_BYTES) {
      throw new WorkplaceError('TOO_LARGE', 'the folder is larger than 4 GiB, so a command cannot be undone');
    }
    entries.push(...(await toEntry(ground, walked)));
  }
  const id = randomBytes(12).toString('hex');
  const mode = (await lstat(root)).mode & MODE_BITS;
  await mkdir(join(folder, 'records'), { recursive: true, mode: 0o700 });
  const record = JSON.stringify({ mode, ignored: [...ignored], entries });
  await writeFile(toRecordPath(folder, id), record, { mode: 0o600, flush: true });
  return id;
}

async function restoreFolder(ground: Ground, id: string, signal: AbortSignal): Promise<readonly string[]> {
  const { root } = ground;
  const { mode, ignored, entries } = await readRecord(ground, id);
  await chmod(root, mode | OWNER_ALL);
  await clear(
    root,
    { entries: new Map(entries.map((entry) => [entry.path, entry])), ignored: new Set(ignored) },
    signal,
  );
  for (const entry of entries) {
    signal.throwIfAborted();
    await bringBack(ground, entry);
  }
  // Last, because a folder may be closed to its owner.
  for (const entry of entries.toReversed()) {
    if (entry.kind === 'folder') await chmod(toBytes(root, entry.path), entry.mode);
  }
  await chmod(root, mode);
  return ignored.map(toShown);
}

async function toEntry(ground: Ground, walked: WalkedEntry): Promise<readonly Entry[]> {
  const { path, stats } = walked;
  const mode = Number(stats.mode) & MODE_BITS;
  if (stats.isDirectory()) return [{ kind: 'folder', path, mode }];
  if (stats.isSymbolicLink()) {
    const target = await readlink(toBytes(ground.root, path), { encoding: 'buffer' });
    return [{ kind: 'link', path, target: target.toString('latin1') }];
  }
  // Sockets, pipes and devices have no content that could be brought back.
  return stats.isFile() ? [{ kind: 'file', path, mode, blob: await keep(ground, walked) }] : [];
}

async function keep({ root, blobs, known }: Ground, { path, stats }: WalkedEntry): Promise<string> {
  // A command cannot set the change time.
  const identity = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
  const before = known.get(path);
  if (before?.identity === identity) return before.blob;
  const blob = await blobs.keep(toBytes(root, path));
  known.set(path, { identity, blob });
  return blob;
}

async function readRecord({ folder }: Ground, id: string): Promise<z.infer<typeof Folder>> {
  if (!ID.test(id)) throw damaged();
  const text = await readFile(toRecordPath(folder, id), 'utf8').catch(() => null);
  const parsed = Folder.safeParse(text === null ? null : parseJson(text));
  if (!parsed.success) throw damaged();
  return parsed.data;
}

/** Removes what is new, and what became something else. */
async function clear(
  root: string,
  { entries, ignored }: { readonly entries: ReadonlyMap<string, Entry>; readonly ignored: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<void> {
  const removed: string[] = [];
  for await (const { path, stats } of walkFolder(
    root,
    { isLeftOut: (path) => ignored.has(path), opensForGood: true },
    signal,
  )) {
    if (!isOfKind(stats, entries.get(path))) removed.push(path);
  }
  for (const path of removed) await rm(toBytes(root, path), { recursive: true, force: true });
}

async function bringBack(ground: Ground, entry: Entry): Promise<void> {
  const path = toBytes(ground.root, entry.path);
  const stats = await lstat(path, { bigint: true }).catch(orNull);
  switch (entry.kind) {
    case 'folder':
      if (stats !== null) return;
      await mkdir(path, { mode: OWNER_ALL });
      return ground.mine.give(path);
    case 'link':
      if (stats !== null && (await readlink(path, { encoding: 'buffer' })).toString('latin1') === entry.target) return;
      await rm(path, { force: true });
      await symlink(Buffer.from(entry.target, 'latin1'), path);
      return ground.mine.give(path);
    case 'file':
      if (stats === null || (await keep(ground, { path: entry.path, stats })) !== entry.blob) {
        return ground.blobs.place(entry.blob, path, entry.mode);
      }
      if ((Number(stats.mode) & MODE_BITS) !== entry.mode) await chmod(path, entry.mode);
  }
}

function toRecordPath(folder: string, id: string): string {
  return join(folder, 'records', `${id}.json`);
}

function isOfKind(stats: BigIntStats, entry: Entry | undefined): boolean {
  switch (entry?.kind) {
    case 'file':
      return stats.isFile();
    case 'link':
      return stats.isSymbolicLink();
    case 'folder':
      return stats.isDirectory();
    case undefined:
      return false;
  }
}

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function damaged(): WorkplaceError {
  return new WorkplaceError('DISK_FAILED', 'the record of the folder is missing or damaged');
}

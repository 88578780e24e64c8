import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { toTemporaryName } from '../../core/execution/plan-path.ts';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { KeptByUndo } from '../../ports/workplace.ts';
import { toBytes, toShown } from '../../system/raw-path.ts';
import { removeTree } from '../../system/remove-tree.ts';
import type { WalkedEntry } from '../../system/walk-folder.ts';
import type { Blobs } from './create-blobs.ts';
import { findIgnoredFolders } from './find-ignored.ts';
import type { Mine } from './give-entry.ts';
import { closeFolders, MODE_BITS, OWNER_ALL, openFolder } from './open-folder.ts';
import { isMissing } from './resolve-path.ts';
import { type PlaceWalk, walkPlace } from './walk-folder.ts';

/** Records of a whole folder. See `Workplace.recordAll`. */
export interface FolderRecords {
  readonly record: (signal: AbortSignal) => Promise<string>;
  readonly restore: (id: string, signal: AbortSignal) => Promise<KeptByUndo>;
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
const Folder = z.strictObject({
  mode: z.int(),
  ignored: z.array(z.string()),
  /** Paths that belong to git. */
  git: z.array(z.string()),
  entries: z.array(Entry),
});

const ID = /^[0-9a-f]{24}$/u;
const MAX_BYTES = 4n * 1024n ** 3n;

interface Ground {
  readonly root: string;
  /** Where contents and records are kept. It survives the process, and no command sees it. */
  readonly folder: string;
  /** See `IgnoredIn`. */
  readonly repository: string;
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
  const mode = (await lstat(root)).mode & MODE_BITS;
  const found = await openAndRead(ground, signal);
  const id = randomBytes(12).toString('hex');
  await mkdir(join(folder, 'records'), { recursive: true, mode: 0o700 });
  await writeFile(toRecordPath(folder, id), JSON.stringify({ mode, ...found }), { mode: 0o600, flush: true });
  return id;
}

/** Reads a folder even if its own mode forbids that. */
async function openAndRead(ground: Ground, signal: AbortSignal): ReturnType<typeof readGround> {
  const opened = await openFolder(toBytes(ground.root, ''));
  try {
    return await readGround(ground, signal);
  } finally {
    await closeFolders(opened === null ? [] : [opened]);
  }
}

async function readGround(ground: Ground, signal: AbortSignal): Promise<Omit<z.infer<typeof Folder>, 'mode'>> {
  const { root, folder, repository } = ground;
  const gitDir = join(folder, 'ignored.git');
  const ignored = await findIgnoredFolders({ root, gitDir, repository }, signal);
  const entries: Entry[] = [];
  const git: string[] = [];
  let bytes = 0n;
  const options: PlaceWalk = {
    isLeftOut: ({ path }) => ignored.has(path),
    opensForGood: false,
    onHidden: (path, what) => {
      if (what === 'git') git.push(path);
    },
  };
  for await (const walked of walkPlace(root, options, signal)) {
    if (walked.stats.isFile()) bytes += walked.stats.size;
    if (bytes > MAX_BYTES) {
      throw new WorkplaceError('TOO_LARGE', 'the folder is larger than 4 GiB, so a command cannot be undone');
    }
    entries.push(...(await toEntry(ground, walked)));
  }
  return { ignored: [...ignored], git, entries };
}

async function restoreFolder(ground: Ground, id: string, signal: AbortSignal): Promise<KeptByUndo> {
  const { root } = ground;
  const record = await readRecord(ground, id);
  const { mode, ignored, entries } = record;
  await chmod(root, mode | OWNER_ALL);
  const git = await clear(root, record, signal);
  for (const entry of entries) {
    signal.throwIfAborted();
    await bringBack(ground, entry);
  }
  // Last, because a folder may be closed to its owner.
  for (const entry of entries.toReversed()) {
    if (entry.kind === 'folder') await chmod(toBytes(root, entry.path), entry.mode);
  }
  await chmod(root, mode);
  return { ignored: ignored.map(toShown), newGit: git.map(toShown) };
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

/**
 * Removes what is new, what became something else, and what a killed process left over. Opens all folders for what is brought back.
 * Returns what of git is new: it stays.
 */
async function clear(
  root: string,
  record: Pick<z.infer<typeof Folder>, 'entries' | 'ignored' | 'git'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const entries = new Map(record.entries.map((entry) => [entry.path, entry]));
  const [ignored, git] = [new Set(record.ignored), new Set(record.git)];
  const isNew = ({ path, stats }: WalkedEntry): boolean => !isOfKind(stats, entries.get(path));
  const removed: string[] = [];
  const newGit: string[] = [];
  const options: PlaceWalk = {
    // New folders go as a whole: they may be deeper and larger than can be walked.
    isLeftOut: (entry) => ignored.has(entry.path) || isNew(entry),
    opensForGood: true,
    onHidden: (path, what) => {
      if (what === 'temporary') removed.push(path);
      else if (!git.has(path)) newGit.push(path);
    },
  };
  for await (const entry of walkPlace(root, options, signal)) if (isNew(entry)) removed.push(entry.path);
  await removeAll(root, removed);
  return newGit;
}

/** Folders are moved together first, because one program removes them, and their names need not be text. */
async function removeAll(root: string, paths: readonly string[]): Promise<void> {
  const trash = join(root, toTemporaryName(randomBytes(9).toString('hex')));
  await mkdir(trash, { mode: OWNER_ALL });
  for (const [index, path] of paths.entries()) {
    const bytes = toBytes(root, path);
    if ((await lstat(bytes)).isDirectory()) {
      await openFolder(bytes);
      await rename(bytes, join(trash, String(index)));
    } else await rm(bytes);
  }
  if (!(await removeTree(trash))) throw new WorkplaceError('DISK_FAILED', `${trash} cannot be removed`);
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

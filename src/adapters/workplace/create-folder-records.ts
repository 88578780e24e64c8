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
const MAX_BYTES = 4n * 1024n ** 3n;

/** `folder`: where contents and records are kept. It survives the process, and no command sees it. */
export function createFolderRecords(
  root: string,
  folder: string,
  { blobs, mine }: { blobs: Blobs; mine: Mine },
): FolderRecords {
  const known = new Map<string, { readonly identity: string; readonly blob: string }>();
  const gitDir = join(folder, 'ignored.git');
  const toPath = (id: string): string => join(folder, 'records', `${id}.json`);

  async function keep({ path, stats }: WalkedEntry): Promise<string> {
    // A command cannot set the change time.
    const identity = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    const before = known.get(path);
    if (before?.identity === identity) return before.blob;
    const blob = await blobs.keep(toBytes(root, path));
    known.set(path, { identity, blob });
    return blob;
  }

  async function toEntry(walked: WalkedEntry): Promise<readonly Entry[]> {
    const { path, stats } = walked;
    const mode = Number(stats.mode) & MODE_BITS;
    if (stats.isDirectory()) return [{ kind: 'folder', path, mode }];
    if (stats.isSymbolicLink()) {
      const target = await readlink(toBytes(root, path), { encoding: 'buffer' });
      return [{ kind: 'link', path, target: target.toString('latin1') }];
    }
    // Sockets, pipes and devices have no content that could be brought back.
    return stats.isFile() ? [{ kind: 'file', path, mode, blob: await keep(walked) }] : [];
  }

  async function read(id: string): Promise<z.infer<typeof Folder>> {
    if (!ID.test(id)) throw damaged();
    const text = await readFile(toPath(id), 'utf8').catch(() => null);
    const parsed = Folder.safeParse(text === null ? null : parseJson(text));
    if (!parsed.success) throw damaged();
    return parsed.data;
  }

  /** Removes what is new, and what became something else. */
  async function clear(
    entries: ReadonlyMap<string, Entry>,
    ignored: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const walk = walkFolder(root, { isLeftOut: (path) => ignored.has(path), opensForGood: true }, signal);
    const removed: string[] = [];
    for await (const { path, stats } of walk) if (!isOfKind(stats, entries.get(path))) removed.push(path);
    for (const path of removed) await rm(toBytes(root, path), { recursive: true, force: true });
  }

  async function bringBack(entry: Entry): Promise<void> {
    const path = toBytes(root, entry.path);
    const stats = await lstat(path, { bigint: true }).catch(orNull);
    if (entry.kind === 'folder') {
      if (stats !== null) return;
      await mkdir(path, { mode: 0o700 });
      await mine.give(path);
    } else if (entry.kind === 'link') {
      const isSame =
        stats !== null && (await readlink(path, { encoding: 'buffer' })).toString('latin1') === entry.target;
      if (isSame) return;
      await rm(path, { force: true });
      await symlink(Buffer.from(entry.target, 'latin1'), path);
      await mine.give(path);
    } else if (stats === null || (await keep({ path: entry.path, stats })) !== entry.blob) {
      await blobs.place(entry.blob, path, entry.mode);
    } else if ((Number(stats.mode) & MODE_BITS) !== entry.mode) {
      await chmod(path, entry.mode);
    }
  }

  return {
    record: async (signal) => {
      const ignored = await findIgnoredFolders(root, gitDir, signal);
      const entries: Entry[] = [];
      let bytes = 0n;
      for await (const walked of walkFolder(
        root,
        { isLeftOut: (path) => ignored.has(path), opensForGood: false },
        signal,
      )) {
        if (walked.stats.isFile()) bytes += walked.stats.size;
        if (bytes > MAX_BYTES)
          throw new WorkplaceError('TOO_LARGE', 'the folder is larger than 4 GiB, so a command cannot be undone');
        entries.push(...(await toEntry(walked)));
      }
      const id = randomBytes(12).toString('hex');
      const mode = Number((await lstat(root)).mode) & MODE_BITS;
      await mkdir(join(folder, 'records'), { recursive: true, mode: 0o700 });
      await writeFile(toPath(id), JSON.stringify({ mode, ignored: [...ignored], entries }), {
        mode: 0o600,
        flush: true,
      });
      return id;
    },
    restore: async (id, signal) => {
      const { mode, ignored, entries } = await read(id);
      await chmod(root, mode | 0o700);
      await clear(new Map(entries.map((entry) => [entry.path, entry])), new Set(ignored), signal);
      for (const entry of entries) await bringBack(entry);
      for (const entry of entries.toReversed()) {
        if (entry.kind === 'folder') await chmod(toBytes(root, entry.path), entry.mode);
      }
      await chmod(root, mode);
      return ignored.map(toShown);
    },
  };
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

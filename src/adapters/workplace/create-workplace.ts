import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, rm, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { FileMode, FileRecord, PreImage, Workplace, WorkplaceCommand } from '../../ports/workplace.ts';
import { atOnce, createBlobs } from './create-blobs.ts';
import { createFolderRecords } from './create-folder-records.ts';
import { createGroundLock } from './create-ground-lock.ts';
import { createMine } from './give-entry.ts';
import { isMissing, refuse, resolvePath } from './resolve-path.ts';

/** Options of `createWorkplace`. */
export interface WorkplaceOptions {
  /** Absolute path of the folder, links resolved. Its entries belong to the user of `slot`. */
  readonly root: string;
  /** Where records are kept. Below a folder that only this user can enter. */
  readonly records: string;
  /** For output and homes of commands. The user of `slot` can pass through it. */
  readonly scratch: string;
  readonly sandbox: Pick<Sandbox, 'run' | 'giveToSlot' | 'toolsDir'>;
  readonly slot: SandboxSlot;
  /** The environment of commands, in addition to HOME and PATH; it may replace them. */
  readonly env: Readonly<Record<string, string>>;
}

/** Absolute path of the folder for commands. */
export const PLACE = '/workspace';
const HOME = '/home/agent';
const MODE_BITS = 0o7777;
const NEW_FILE_MODE = 0o644;
const NEW_FOLDER_MODE = 0o755;

/** A workplace over a folder of this machine, whose commands run in a sandbox. */
export function createWorkplace(options: WorkplaceOptions): Workplace {
  const { root, slot } = options;
  const mine = createMine(slot);
  const blobs = createBlobs(join(options.records, 'blobs'), mine);
  const records = createFolderRecords(root, options.records, { blobs, mine });
  const lock = createGroundLock();
  /** Commands at work, and the record from before the first of them. */
  let running = 0;
  let lastRecord: string | null = null;

  const toHost = (path: string): string => join(root, path);

  async function findNewFolders(path: string): Promise<readonly string[]> {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const stats = await lstat(toHost(folder)).catch(orNull);
      if (stats === null) missing.unshift(folder);
      else if (!stats.isDirectory()) throw new WorkplaceError('WRONG_KIND', `${show(folder)} is no folder`);
    }
    return missing;
  }

  async function makeFolders(path: string): Promise<void> {
    for (const folder of await findNewFolders(path)) {
      await mkdir(toHost(folder), { mode: NEW_FOLDER_MODE });
      await mine.give(Buffer.from(toHost(folder)));
    }
  }

  async function toPreImage(path: string): Promise<PreImage | null> {
    const stats = await lstat(toHost(path)).catch(orNull);
    if (stats === null) return null;
    if (stats.isSymbolicLink()) {
      return { kind: 'link', target: (await readlink(toHost(path), { encoding: 'buffer' })).toString('base64') };
    }
    if (!stats.isFile()) throw notAFile(path);
    return { kind: 'file', mode: stats.mode & MODE_BITS, blob: await blobs.keep(Buffer.from(toHost(path))) };
  }

  async function restore({ path, was, newFolders }: FileRecord): Promise<void> {
    // What a record names has no links. One that is there now was put there by somebody else.
    const real = await resolvePath(root, path, 'entry');
    if (real !== path) throw refuse(path, 'a folder above it became a link');
    const there = await lstat(toHost(path)).catch(orNull);
    if (there?.isDirectory() === true) throw new WorkplaceError('WRONG_KIND', `${show(path)} is a folder now`);
    if (was === null) {
      await rm(toHost(path), { force: true });
      for (const folder of newFolders.toReversed()) await removeIfEmpty(toHost(folder));
      return;
    }
    await makeFolders(path);
    const bytes = Buffer.from(toHost(path));
    if (was.kind === 'file') await blobs.place(was.blob, bytes, was.mode);
    else {
      await atOnce(bytes, async (temporary) => {
        await symlink(Buffer.from(was.target, 'base64'), temporary);
        await mine.give(temporary);
      });
    }
  }

  return {
    run: (command, signal) =>
      lock.shared(async () => {
        running += 1;
        try {
          return await runCommand(options, command, signal);
        } finally {
          running -= 1;
          if (running === 0) lastRecord = null;
        }
      }),
    readFile: (path, maxBytes) =>
      lock.alone(async () => readRegular(path, toHost(await resolvePath(root, path, 'target')), maxBytes)),
    has: (path) =>
      lock.alone(async () => (await lstat(toHost(await resolvePath(root, path, 'entry'))).catch(orNull)) !== null),
    writeFile: (path, content, mode) =>
      lock.alone(async () => {
        const real = await resolvePath(root, path, 'target');
        const before = await lstat(toHost(real)).catch(orNull);
        if (before !== null && !before.isFile()) throw notAFile(path);
        await makeFolders(real);
        const bits = toBits(mode) ?? (before === null ? NEW_FILE_MODE : before.mode & MODE_BITS);
        await atOnce(Buffer.from(toHost(real)), async (temporary) => {
          const file = await open(temporary, 'wx', 0o600);
          try {
            await file.writeFile(content);
            await file.chmod(bits);
            await file.sync();
          } finally {
            await file.close();
          }
          await mine.give(temporary);
        });
      }),
    removeFile: (path) =>
      lock.alone(async () => {
        const real = toHost(await resolvePath(root, path, 'entry'));
        const stats = await lstat(real).catch(orNull);
        if (stats === null) return false;
        if (!stats.isFile() && !stats.isSymbolicLink()) throw notAFile(path);
        await rm(real);
        return true;
      }),
    record: (path, of) =>
      lock.alone(async () => {
        const real = await resolvePath(root, path, of);
        return { path: real, was: await toPreImage(real), newFolders: await findNewFolders(real) };
      }),
    restore: (record) => lock.alone(() => restore(record)),
    recordAll: async (signal) => {
      if (running > 0 && lastRecord !== null) return lastRecord;
      return lock.alone(async () => (lastRecord = await records.record(signal)));
    },
    restoreAll: (id, signal) => lock.alone(() => records.restore(id, signal)),
  };
}

async function runCommand(
  { root, scratch, sandbox, slot, env }: WorkplaceOptions,
  { argv, cwd, timeoutMs, maxOutputBytes }: WorkplaceCommand,
  signal: AbortSignal,
): ReturnType<Sandbox['run']> {
  const folder = join(scratch, randomBytes(9).toString('hex'));
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true, mode: 0o711 });
  try {
    await sandbox.giveToSlot(home, slot);
    return await sandbox.run(
      {
        ...{ argv, slot, timeoutMs, maxOutputBytes, stdin: '' },
        env: {
          HOME,
          PATH: `${sandbox.toolsDir}/bin:/usr/local/bin:/usr/bin:/bin`,
          LANG: 'C.UTF-8',
          TMPDIR: '/tmp',
          ...env,
        },
        cwd: cwd === '.' ? PLACE : `${PLACE}/${cwd}`,
        mounts: [
          { source: root, target: PLACE, writable: true },
          { source: home, target: HOME, writable: true },
        ],
        stdoutPath: join(folder, 'stdout'),
        stderrPath: join(folder, 'stderr'),
        sharesSlot: true,
      },
      signal,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readRegular(path: string, host: string, maxBytes: number): Promise<Uint8Array | null> {
  const stats = await lstat(host).catch(orNull);
  if (stats === null) return null;
  if (!stats.isFile()) throw notAFile(path);
  if (stats.size > maxBytes) throw new WorkplaceError('TOO_LARGE', `${show(path)} is longer than ${maxBytes} bytes`);
  const file = await open(host, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const isLeft = error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'ENOENT');
    if (!isLeft) throw error;
  }
}

function toBits(mode: FileMode | null): number | null {
  return mode === null ? null : Number.parseInt(mode.slice(-3), 8);
}

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function notAFile(path: string): WorkplaceError {
  return new WorkplaceError('WRONG_KIND', `${show(path)} is no regular file`);
}

function show(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lchown, lstat, open, readFile, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { PreImage, Workplace, WorkplaceCommand, WorkplaceOutcome } from '../../ports/workplace.ts';
import { createTurns } from './create-turns.ts';
import { makeSafePath, toSafeFolder, toSafePath } from './safe-path.ts';

export interface WorkplaceOptions {
  /** Absolute, links resolved. Belongs to the slot. */
  readonly root: string;
  /** For contents that an undo needs, and for output. Never mounted. */
  readonly blobs: string;
  readonly sandbox: Sandbox;
  readonly slot: SandboxSlot;
  /** The whole environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Records and restores the whole place. */
  readonly snapshots: {
    readonly take: (signal: AbortSignal) => Promise<string>;
    readonly restore: (id: string, signal: AbortSignal) => Promise<void>;
  };
}

/** Where commands see the place. */
const ROOT = '/workspace';
const EXECUTABLE_BITS = 0o111;

/**
 * A folder of this machine, whose commands run in a sandbox. Files are read and written by Ratchet itself, and only while no command runs:
 * a command could otherwise put a link in the way between a look and the deed.
 */
export function createWorkplace(options: WorkplaceOptions): Workplace {
  const { root, blobs, slot, snapshots } = options;
  const takeTurn = createTurns();
  let broken: string | null = null;

  const own = async (path: string): Promise<void> => {
    if (slot.uid !== null && slot.gid !== null) await lchown(path, slot.uid, slot.gid);
  };
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
    takeTurn(async () => {
      if (broken !== null) throw new WorkplaceError(broken);
      return work();
    });

  async function put(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const target = await makeSafePath(root, path, own);
    const temporary = join(dirname(target), `.ratchet-${randomBytes(10).toString('hex')}.tmp`);
    await write(temporary);
    await own(temporary);
    await rename(temporary, target);
  }

  async function record(path: string): Promise<PreImage | null> {
    const found = await toSafePath(root, path);
    const status = found === null ? null : await lstat(found).catch(() => null);
    if (found === null || status === null) return null;
    if (status.isSymbolicLink()) return { kind: 'link', target: await readlink(found) };
    if (!status.isFile()) throw new WorkplaceError(`${path} is no regular file`);
    const blob = randomBytes(15).toString('hex');
    await copyFile(found, join(blobs, blob), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    // The type knows only whether it is executable. All of the mode is kept here.
    await chmod(join(blobs, blob), status.mode & 0o777);
    return { kind: 'file', mode: (status.mode & EXECUTABLE_BITS) === 0 ? '100644' : '100755', blob };
  }

  return {
    run: (command, signal) =>
      inTurn(async () => {
        const outcome = await runCommand(options, command, signal);
        if (outcome.processesLeft > 0) broken = 'a command left processes that could not be ended';
        return outcome;
      }),
    readFile: (path, maxBytes) => inTurn(async () => readSafely(await toSafePath(root, path), maxBytes)),
    writeFile: (path, content, mode) =>
      inTurn(async () => {
        const before = await toSafePath(root, path);
        const status = before === null ? null : await lstat(before).catch(() => null);
        if (status?.isDirectory() === true) throw new WorkplaceError(`${path} is a folder`);
        const old = status?.isFile() === true ? status.mode & 0o777 : 0o644;
        const bits = mode === null ? old : mode === '100755' ? 0o755 : 0o644;
        await put(path, async (temporary) => {
          await writeFile(temporary, content, { flag: 'wx' });
          await chmod(temporary, bits);
        });
      }),
    removeFile: (path) =>
      inTurn(async () => {
        const found = await toSafePath(root, path);
        if (found === null) throw new WorkplaceError(`${path} does not exist`);
        await unlink(found);
      }),
    record: (path) => inTurn(async () => ({ path, was: await record(path) })),
    recordAll: (signal) => inTurn(() => snapshots.take(signal)),
    restore: ({ path, was }) =>
      inTurn(async () => {
        if (was === null) {
          const found = await toSafePath(root, path);
          if (found !== null) await rm(found, { force: true });
          return;
        }
        await put(path, async (temporary) => {
          if (was.kind === 'link') return symlink(was.target, temporary);
          await copyFile(join(blobs, was.blob), temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
          await chmod(temporary, (await lstat(join(blobs, was.blob))).mode & 0o777);
        });
      }),
    restoreAll: (id, signal) => inTurn(() => snapshots.restore(id, signal)),
  };
}

async function runCommand(
  { root, blobs, sandbox, slot, env }: WorkplaceOptions,
  { argv, cwd, timeoutMs, maxOutputBytes }: WorkplaceCommand,
  signal: AbortSignal,
): Promise<WorkplaceOutcome> {
  const folder = await toSafeFolder(root, cwd);
  const id = randomBytes(10).toString('hex');
  const [stdoutPath, stderrPath] = [join(blobs, `${id}.out`), join(blobs, `${id}.err`)];
  try {
    const end = await sandbox.run(
      {
        ...{ argv, env, timeoutMs, maxOutputBytes, slot, stdoutPath, stderrPath, stdin: '' },
        cwd: `${ROOT}${folder.slice(root.length)}`,
        mounts: [{ source: root, target: ROOT, writable: true }],
      },
      signal,
    );
    const [stdout, stderr] = await Promise.all([stdoutPath, stderrPath].map(async (path) => readOutput(path)));
    return { ...end, stdout: stdout ?? '', stderr: stderr ?? '' };
  } finally {
    await Promise.all([stdoutPath, stderrPath].map(async (path) => rm(path, { force: true })));
  }
}

/** Missing where the command could not be started. */
async function readOutput(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function readSafely(path: string | null, maxBytes: number): Promise<Uint8Array | null> {
  if (path === null) return null;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const status = await file.stat();
    return status.isFile() && status.size <= maxBytes ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}

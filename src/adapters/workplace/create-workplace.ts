import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { Workplace, WorkplaceCommand } from '../../ports/workplace.ts';
import { createBlobs } from './create-blobs.ts';
import { createFiles } from './create-files.ts';
import { createFolderRecords } from './create-folder-records.ts';
import { createGroundLock } from './create-ground-lock.ts';
import { createMine } from './give-entry.ts';

/** Options of `createWorkplace`. */
export interface WorkplaceOptions {
  /** Absolute path of the folder, links resolved. Its entries belong to the user of `slot`. */
  readonly root: string;
  /** Where records are kept. Below a folder that only this user can enter. */
  readonly records: string;
  /** The folder whose repository says which files are tracked. Those are recorded in ignored folders, too. */
  readonly repository: string;
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
const PASS_THROUGH_MODE = 0o711;

/** A workplace over a folder of this machine, whose commands run in a sandbox. */
export function createWorkplace(options: WorkplaceOptions): Workplace {
  const { root, records: folder, repository } = options;
  const mine = createMine(options.slot);
  const files = createFiles({ root, mine, blobs: createBlobs(join(folder, 'blobs'), mine) });
  const records = createFolderRecords({
    ...{ root, folder, repository, mine },
    blobs: createBlobs(join(folder, 'blobs'), mine),
  });
  const lock = createGroundLock();
  let isTrusted = true;
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
    lock.alone(async () => {
      // A process that could not be ended may change what is looked at.
      if (!isTrusted) throw new WorkplaceError('NOT_TRUSTED', 'a command left processes that could not be ended');
      return work();
    });
  /** Commands at work, and the record from before the first of them. */
  let running = 0;
  let lastRecord: string | null = null;
  return {
    run: (command, signal) =>
      lock.shared(async () => {
        running += 1;
        try {
          const end = await runCommand(options, command, signal);
          isTrusted &&= end.processesLeft === 0;
          return end;
        } finally {
          running -= 1;
          if (running === 0) lastRecord = null;
        }
      }),
    readFile: (path, maxBytes) => alone(() => files.read(path, maxBytes)),
    has: (path) => alone(() => files.has(path)),
    writeFile: async (path, content, mode) => {
      const settle = await alone(() => files.write(path, content, mode));
      await settle();
    },
    removeFile: (path) => alone(() => files.remove(path)),
    record: (path, of) => alone(() => files.record(path, of)),
    restore: (record) => alone(() => files.restore(record)),
    recordAll: async (signal) => {
      if (running > 0 && lastRecord !== null) return lastRecord;
      return alone(async () => (lastRecord = await records.record(signal)));
    },
    restoreAll: (id, signal) => alone(() => records.restore(id, signal)),
  };
}

async function runCommand(
  { root, scratch, sandbox, slot, env }: WorkplaceOptions,
  { argv, cwd, timeoutMs, maxOutputBytes, stdin = '', onStdout }: WorkplaceCommand,
  signal: AbortSignal,
): ReturnType<Sandbox['run']> {
  const folder = join(scratch, randomBytes(9).toString('hex'));
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true, mode: PASS_THROUGH_MODE });
  try {
    await sandbox.giveToSlot(home, slot);
    return await sandbox.run(
      {
        ...{ argv, slot, timeoutMs, maxOutputBytes, stdin },
        ...(onStdout === undefined ? {} : { onStdout }),
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

import { randomBytes } from 'node:crypto';
import { lchown, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkplaceError } from '../../core/model/errors.ts';
import type { Sandbox, SandboxSlot } from '../../ports/sandbox.ts';
import type { Workplace, WorkplaceCommand, WorkplaceOutcome } from '../../ports/workplace.ts';
import { createPlaceFiles } from './create-place-files.ts';
import { createTurns } from './create-turns.ts';
import { toSafeFolder } from './safe-path.ts';

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
  const files = createPlaceFiles({ root, blobs, own });
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
    takeTurn(async () => {
      if (broken !== null) throw new WorkplaceError(broken);
      return work();
    });

  return {
    run: (command, signal) =>
      inTurn(async () => {
        const outcome = await runCommand(options, command, signal);
        if (outcome.processesLeft > 0) broken = 'a command left processes that could not be ended';
        return outcome;
      }),
    readFile: (path, maxBytes) => inTurn(() => files.readFile(path, maxBytes)),
    writeFile: (path, content, mode) => inTurn(() => files.writeFile(path, content, mode)),
    removeFile: (path) => inTurn(() => files.removeFile(path)),
    record: (path) => inTurn(() => files.record(path)),
    restore: (recorded) => inTurn(() => files.restore(recorded)),
    recordAll: (signal) => inTurn(() => snapshots.take(signal)),
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

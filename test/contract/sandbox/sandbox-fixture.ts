import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import {
  type BubblewrapOptions,
  createBubblewrapSandbox,
} from '../../../src/adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createUnsafeSandbox } from '../../../src/adapters/sandbox/create-unsafe-sandbox.ts';
import { prepareToolsDir } from '../../../src/adapters/sandbox/prepare-tools-dir.ts';
import type { Sandbox, SandboxCommand, SandboxOutcome, SandboxSlot } from '../../../src/ports/sandbox.ts';
import { createTempFolder, createTestLog } from '../../support/git-repository.ts';
import { NEVER } from '../../support/never.ts';

/** A real sandbox over a temporary folder, with one slot in use. */
export interface SandboxFixture {
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly slot: SandboxSlot;
  /** Host folder that is mounted at /workspace. */
  readonly workDir: string;
  /** Runs a command with workspace and home mounted. */
  readonly run: (
    argv: readonly string[],
    change?: Partial<SandboxCommand>,
    signal?: AbortSignal,
  ) => Promise<SandboxOutcome>;
  /** Runs a shell script. */
  readonly sh: (script: string, change?: Partial<SandboxCommand>, signal?: AbortSignal) => Promise<SandboxOutcome>;
  /** What the last run wrote to its stdout file. */
  readonly readStdout: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Deadline of a command for which a test names no other. It only ends one that hangs: a busy machine needs a minute to start one. */
export const TIMEOUT_MS = 120_000;

/** Whether these tests run as root, and so with a uid per slot. */
export const IS_ROOT = process.getuid?.() === 0;

/** Group of all slots in tests. */
export const SLOT_GID = 299_999;

/** Test files run at the same time: none may use another's uids. */
export function uniqueUidBase(): number {
  return 300_000 + (process.pid % 100_000) * 16;
}

/** Options of a bubblewrap sandbox over `root`. */
export async function toBubblewrapOptions(root: string): Promise<BubblewrapOptions> {
  const newId = createTestIds();
  const dataDir = join(root, 'data');
  const { toolsDir } = await prepareToolsDir({ dataDir, nodePath: process.execPath, newId });
  const base = { slots: 2, uidBase: uniqueUidBase(), gid: SLOT_GID, isRoot: IS_ROOT };
  return { ...base, toolsDir, dataDir, log: createTestLog(), newId, graceMs: 200 };
}

/** Ids in order. */
export function createTestIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `id-${String(process.pid)}-${String(count)}`;
  };
}

/** Makes `SandboxFixture`. */
export async function createSandboxFixture(
  kind: 'bubblewrap' | 'unsafe' = 'bubblewrap',
  change?: Partial<BubblewrapOptions>,
): Promise<SandboxFixture> {
  const { path: root, remove } = await createTempFolder();
  const options = { ...(await toBubblewrapOptions(root)), ...change };
  const sandbox = kind === 'bubblewrap' ? createBubblewrapSandbox(options) : createUnsafeSandbox(options);
  const slot = await sandbox.acquireSlot(NEVER);
  const workDir = join(root, 'data', 'work');
  const home = join(root, 'data', 'home');
  for (const folder of [workDir, home]) {
    await mkdir(folder);
    await sandbox.giveToSlot(folder, slot);
  }
  const stdoutPath = join(root, 'stdout.log');
  const run: SandboxFixture['run'] = (argv, more, signal = NEVER) =>
    sandbox.run(
      {
        argv,
        env: { PATH: `${sandbox.toolsDir}/bin:/usr/bin:/bin`, HOME: '/home/agent', LC_ALL: 'C' },
        cwd: '/workspace',
        stdin: '',
        mounts: [
          { source: workDir, target: '/workspace', writable: true },
          { source: home, target: '/home/agent', writable: true },
        ],
        slot,
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: 1024 * 1024,
        stdoutPath,
        stderrPath: join(root, 'stderr.log'),
        ...more,
      },
      signal,
    );
  return {
    root,
    sandbox,
    slot,
    workDir,
    run,
    sh: (script, more, signal) => run(['/bin/sh', '-c', script], more, signal),
    readStdout: () => readFile(stdoutPath, 'utf8'),
    remove,
  };
}

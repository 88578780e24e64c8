import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { createRunFiles } from '../adapters/plan-folders/create-run-files.ts';
import { createStore } from '../adapters/store/create-store.ts';
import { sha256 } from '../core/hash/sha256.ts';
import { ConfigError, toError } from '../core/model/errors.ts';
import type { RunFilesStore } from '../ports/plan-folders.ts';
import type { Store } from '../ports/store.ts';
import { findStateFolder } from '../system/find-state-folder.ts';
import { type HeldLock, holdLock } from '../system/hold-lock.ts';

/** What local runs of plans leave on this machine. */
export interface PlanState {
  /** Absolute, links resolved. For this user alone. */
  readonly folder: string;
  /** Where copies and tools lie. Users of sandboxes can pass through it. */
  readonly copies: string;
  readonly store: Store;
  readonly runs: RunFilesStore;
  readonly newId: () => string;
  /** Right to use a run; null: another process has it. It ends with this process, however that ends. */
  readonly holdRun: (runId: string) => HeldLock | null;
  readonly close: () => void;
}

const DATABASE = 'plans.db';
const PRIVATE_MODE = 0o700;
const PASS_THROUGH_MODE = 0o711;
const ROOTS_COPIES = '/var/lib/ratchet-plans';
const OPEN_TIMEOUT_MS = 10_000;
const RETRY_MS = 20;

/** Opens the state folder of this user. @throws ConfigError if there is no place for it, or it cannot be used. */
export async function openPlanState({
  variables,
  isRoot,
  migrationsDir,
}: {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly migrationsDir: string;
}): Promise<PlanState> {
  const wanted = findStateFolder(variables);
  if (wanted === null) throw new ConfigError(['there is no place for the state of runs: set HOME or XDG_STATE_HOME']);
  const folder = await makeStateFolder(wanted, isRoot);
  const copies = isRoot ? await makeRootsCopies(folder) : folder;
  const locks = join(folder, 'locks');
  await mkdir(locks, { recursive: true, mode: PRIVATE_MODE });
  const store = await openStore({ folder, locks, migrationsDir });
  return {
    ...{ folder, copies, store },
    runs: createRunFiles({ folder: join(folder, 'runs'), copies: join(copies, 'copies') }),
    newId: () => randomBytes(15).toString('hex'),
    holdRun: (runId) => holdLock(join(locks, `${runId}.lock`)),
    close: () => {
      store.close();
    },
  };
}

/** @throws ConfigError if it cannot be made, or closed to others. */
async function makeStateFolder(wanted: string, isRoot: boolean): Promise<string> {
  const parts = wanted.split(sep);
  try {
    // Each by itself: `recursive` never ends where a file system refuses with ENOENT, as /proc does.
    for (let count = 2; count <= parts.length; count += 1) {
      await mkdir(parts.slice(0, count).join(sep), { mode: PRIVATE_MODE }).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      });
    }
    const folder = await realpath(wanted);
    // Its owner could always open it again. Everybody but root is refused by `chmod`.
    if (isRoot && (await stat(folder)).uid !== 0) throw new Error(`${folder} is not a folder of root`);
    await chmod(folder, PRIVATE_MODE);
    return folder;
  } catch (error) {
    throw new ConfigError([
      `the folder ${wanted} for the state of runs cannot be used (${toError(error).message}): set XDG_STATE_HOME to another one`,
    ]);
  }
}

/** One process at a time: a database that is being made is empty for a moment, and one that stayed empty was never used. */
async function openStore({
  folder,
  locks,
  migrationsDir,
}: {
  readonly folder: string;
  readonly locks: string;
  readonly migrationsDir: string;
}): Promise<Store> {
  const path = join(folder, DATABASE);
  const lock = await waitForLock(join(locks, 'database'));
  try {
    if ((await stat(path).catch(() => null))?.size === 0) {
      for (const name of [path, `${path}-wal`, `${path}-shm`]) await rm(name, { force: true });
    }
    return createStore({ path, migrationsDir });
  } finally {
    lock.release();
  }
}

async function waitForLock(path: string): Promise<HeldLock> {
  const until = Date.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    const lock = holdLock(path);
    if (lock !== null) return lock;
    if (Date.now() > until)
      throw new ConfigError([`another process has been opening the state of runs for long: ${path}`]);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** The sandboxes of root run as users of their own. They must be able to reach their copies, and the home of root is closed to them. */
async function makeRootsCopies(folder: string): Promise<string> {
  const beside = `${folder}-copies`;
  const copies = (await isPassable(dirname(folder))) ? beside : join(ROOTS_COPIES, sha256(folder).slice(0, 16));
  for (const path of [...(copies === beside ? [] : [ROOTS_COPIES]), copies, join(copies, 'copies')]) {
    await mkdir(path, { recursive: true });
    const { uid } = await lstat(path);
    if (uid !== 0) throw new ConfigError([`${path} is not a folder of root`]);
    await chmod(path, PASS_THROUGH_MODE);
  }
  return copies;
}

async function isPassable(folder: string): Promise<boolean> {
  const above = folder.split(sep).map((_, index, parts) => parts.slice(0, index + 1).join(sep) || sep);
  const modes = await Promise.all(above.map(async (path) => (await stat(path)).mode));
  return modes.every((mode) => (mode & 0o001) !== 0);
}

import { randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvariantError } from '../../core/model/errors.ts';
import type { RunId } from '../../core/model/ids.ts';
import type { Mount, SandboxSlot } from '../../ports/sandbox.ts';
import type { DependencyKey, SessionFiles } from '../../ports/session-files.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { makeReadOnly } from './make-read-only.ts';
import { readLeft, readOutput } from './read-left.ts';
import { hasPrepared, readPrepared } from './read-prepared.ts';

/** Where files lie and how much of them is kept. */
export interface SessionFilesOptions {
  /** Holds `sessions/`, `artifacts/` and `dependencies/`; only what agents need is traversable to others. */
  readonly dataDir: string;
  /** Prepared dependencies of all pull requests together, in entries (one per lockfile state). */
  readonly maxDependencySets: number;
  /** Group of the sandbox's uids; null where the service is not root. */
  readonly slotGid: number | null;
}

/** Marks a complete set of dependencies; written last, so that a half-made one is never used. */
const COMPLETE = '.complete';

/** Session files on the local disk. */
export function createSessionFiles(options: SessionFilesOptions): SessionFiles {
  const { dataDir } = options;
  const artifactsOf = (runId: RunId): string => join(dataDir, 'artifacts', runId);
  return {
    async makeFolder(runId, name) {
      const folder = join(dataDir, 'sessions', runId, checkName(name));
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o755 });
      return folder;
    },
    async writeFile(folder, name, text) {
      const path = join(folder, checkName(name));
      await writeFile(path, text, { mode: 0o644 });
      return path;
    },
    readLeft,
    readOutput,
    readPrepared,
    hasPrepared,
    async artifactsFolder(runId) {
      const folder = artifactsOf(runId);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    async removeTracked(workDir, paths) {
      // A submodule may have such a name too: it is checked out as a folder.
      for (const path of paths) await rm(join(workDir, path), { recursive: true, force: true });
    },
    findDependencies: async (key, target) => findDependencies(toSetFolder(dataDir, key), target),
    keepDependencies: async (key, made) => keepDependencies(options, toSetFolder(dataDir, key), made),
    async sweep(before) {
      await removeOlder(join(dataDir, 'artifacts'), before);
      await evictSets(join(dataDir, 'dependencies'), options.maxDependencySets);
    },
  };
}

/** A name of ours, never a path: what comes from outside is not allowed to choose where a file lies. */
function checkName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    throw new InvariantError(`not a file name of ours: ${JSON.stringify(name)}`);
  return name;
}

function toSetFolder(dataDir: string, key: DependencyKey): string {
  return join(dataDir, 'dependencies', `${String(key.repositoryId)}-${String(key.number)}-${checkName(key.hash)}`);
}

async function findDependencies(folder: string, target: string): Promise<readonly Mount[] | null> {
  const names = await readdir(folder).catch(() => null);
  if (!names?.includes(COMPLETE)) return null;
  const now = new Date();
  await utimes(folder, now, now);
  return toMounts(folder, names, target);
}

function toMounts(folder: string, names: readonly string[], target: string): readonly Mount[] {
  return names
    .filter((name) => name !== COMPLETE)
    .sort()
    .map((name) => ({ source: join(folder, name), target: `${target}/${name}`, writable: false }));
}

async function keepDependencies(
  options: SessionFilesOptions,
  folder: string,
  made: {
    readonly checkout: string;
    readonly tracked: readonly string[];
    readonly target: string;
    readonly slot: SandboxSlot;
  },
): Promise<readonly Mount[]> {
  const trackedTop = new Set(made.tracked.map((path) => path.split('/', 1)[0]));
  const names = (await readdir(made.checkout)).filter((name) => !trackedTop.has(name) && !isReserved(name));
  const temporary = `${folder}.${randomUUID()}`;
  await mkdir(temporary, { recursive: true, mode: 0o750 });
  for (const name of names) {
    // A link could point anywhere on the host once it is followed as a mount source: only real folders and files are kept.
    const entry = await lstat(join(made.checkout, name));
    if (!entry.isDirectory() && !entry.isFile()) continue;
    await moveOrCopy(join(made.checkout, name), join(temporary, name));
  }
  if (options.slotGid !== null) await makeReadOnly(temporary, { uid: 0, gid: options.slotGid });
  await writeFile(join(temporary, COMPLETE), '');
  await removeAltogether(folder);
  await rename(temporary, folder);
  return toMounts(folder, await readdir(folder), made.target);
}

/** Names that mean something to git or to us, whoever made them. */
function isReserved(name: string): boolean {
  return name === COMPLETE || name.toLowerCase() === '.git';
}

async function moveOrCopy(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch {
    await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true });
  }
}

/** Removes what is older; one folder that cannot be removed keeps none of the others. */
async function removeOlder(parent: string, before: number): Promise<void> {
  const folders = await listByAge(parent);
  await removeAll(folders.filter(({ usedAt }) => usedAt < before));
}

async function evictSets(parent: string, keep: number): Promise<void> {
  await removeAll((await listByAge(parent)).slice(keep));
}

interface AgedFolder {
  readonly folder: string;
  readonly usedAt: number;
}

/** Newest first; what vanishes meanwhile is left out. */
async function listByAge(parent: string): Promise<readonly AgedFolder[]> {
  const names = await readdir(parent).catch(() => []);
  const folders = await Promise.all(
    names.map(async (name) => {
      const folder = join(parent, name);
      const status = await stat(folder).catch(() => null);
      return status === null ? [] : [{ folder, usedAt: status.mtimeMs }];
    }),
  );
  return folders.flat().sort((left, right) => right.usedAt - left.usedAt);
}

/** @throws Error when something is left. */
async function removeAltogether(folder: string): Promise<void> {
  if (!(await removeTree(folder))) throw new Error('a folder could not be removed');
}

async function removeAll(folders: readonly AgedFolder[]): Promise<void> {
  const results = await Promise.allSettled(folders.map(({ folder }) => removeAltogether(folder)));
  const failures = results.filter((result) => result.status === 'rejected').map((result): unknown => result.reason);
  if (failures.length > 0)
    throw new AggregateError(failures, `${String(failures.length)} folders could not be removed`);
}

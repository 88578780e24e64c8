import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { Mount } from '../../ports/sandbox.ts';
import type { DependencyKey, PreparedDependencies } from '../../ports/site.ts';
import { listByAge, removeAll, removeAltogether } from '../../system/aged-folders.ts';
import { makeReadOnly } from './make-read-only.ts';
import { hasPrepared, readPrepared } from './read-prepared.ts';
import { findRealEntry } from './real-path.ts';

/** Options of `createDependencySets`. */
export interface DependencySetsOptions {
  /** The parent of `dependencies/`. */
  readonly dataDir: string;
  /** Maximum number of sets of all pull requests together. Each lockfile state has one set. */
  readonly maxDependencySets: number;
  /** Group of the sandbox's uids. Null if the service does not run as root. */
  readonly slotGid: number | null;
}

/** Prepared dependencies in folders on this machine. */
export interface DependencySets {
  readonly find: (key: DependencyKey) => Promise<PreparedDependencies | null>;
  /** Moves what was created in `checkout` into a set and makes it read-only. See `PreparedDependencies.paths`. */
  readonly keep: (key: DependencyKey, checkout: string, tracked: readonly string[]) => Promise<PreparedDependencies>;
  /**
   * Read-only mounts that place entries of a set below `root`, where `work` is on this machine. An entry has no place where `work`
   * has a link: bubblewrap would follow it.
   */
  readonly toMounts: (
    chosen: Pick<PreparedDependencies, 'key' | 'paths'>,
    place: { readonly root: string; readonly work: string },
  ) => Promise<readonly Mount[]>;
  readonly sweep: () => Promise<void>;
}

/** Marks a complete set, and lists its entries as JSON. Written last, so that an incomplete set is never used. */
const COMPLETE = '.complete';

/** Creates the dependency sets below the data folder. */
export function createDependencySets({ dataDir, maxDependencySets, slotGid }: DependencySetsOptions): DependencySets {
  const parent = join(dataDir, 'dependencies');
  const toFolder = ({ repositoryId, number, hash }: DependencyKey): string =>
    join(parent, `${String(repositoryId)}-${String(number)}-${requireOwnName(hash)}`);
  return {
    find: async (key) => {
      const folder = toFolder(key);
      const paths = await readEntries(folder);
      if (paths === null || !(await isOpenTo(folder, slotGid))) return null;
      const now = new Date();
      await utimes(folder, now, now);
      return toPrepared(key, folder, paths);
    },
    keep: async (key, checkout, tracked) => {
      const folder = toFolder(key);
      const temporary = `${folder}.${randomUUID()}`;
      // The sandbox's user must enter this folder to reach the mount sources below it.
      await mkdir(parent, { recursive: true, mode: 0o711 });
      await mkdir(temporary, { mode: 0o750 });
      const paths = await moveMade(checkout, temporary, tracked);
      if (slotGid !== null) await makeReadOnly(temporary, { uid: 0, gid: slotGid });
      await writeFile(join(temporary, COMPLETE), JSON.stringify(paths));
      await removeAltogether(folder);
      await rename(temporary, folder);
      return toPrepared(key, folder, paths);
    },
    toMounts: async ({ key, paths }, { root, work }) => {
      const folder = toFolder(key);
      const mounts: Mount[] = [];
      for (const path of paths) {
        if ((await findRealEntry(work, path)) === 'behind_link') continue;
        mounts.push({ source: join(folder, path), target: `${root}/${path}`, writable: false });
      }
      return mounts;
    },
    sweep: async () => removeAll((await listByAge(parent)).slice(maxDependencySets)),
  };
}

/** null: there is no complete set. */
async function readEntries(folder: string): Promise<readonly string[] | null> {
  const text = await readFile(join(folder, COMPLETE), 'utf8').catch(() => null);
  if (text === null) return null;
  // Sets of earlier versions have an empty mark, and only entries at the root.
  if (text === '') return (await readdir(folder)).filter((name) => name !== COMPLETE).toSorted();
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.filter((path) => typeof path === 'string') : null;
}

/** Sandboxes cannot enter a set that was kept when they had another group. */
async function isOpenTo(folder: string, gid: number | null): Promise<boolean> {
  return gid === null || (await stat(folder)).gid === gid;
}

function toPrepared(key: DependencyKey, folder: string, paths: readonly string[]): PreparedDependencies {
  /** The entry that contains a path, and the rest of the path; null if there is none. */
  const split = (path: string): readonly [string, string] | null => {
    const name = paths.find((entry) => path === entry || path.startsWith(`${entry}/`));
    return name === undefined ? null : [join(folder, name), path.slice(name.length + 1) || '.'];
  };
  return {
    key,
    paths,
    has: async (path) => {
      const found = split(path);
      return found !== null && hasPrepared(...found);
    },
    readFile: async (path, maxBytes) => {
      const found = split(path);
      return found === null ? null : readPrepared(...found, maxBytes);
    },
  };
}

const MOVABLE: readonly string[] = ['folder', 'file'];

/** Moves the entries, and returns their paths, sorted. */
async function moveMade(checkout: string, into: string, tracked: readonly string[]): Promise<readonly string[]> {
  const trackedTop = new Set(tracked.map((path) => path.split('/', 1)[0]));
  const atRoot = (await readdir(checkout)).filter((name) => !trackedTop.has(name) && !isReserved(name));
  const moved: string[] = [];
  for (const path of [...atRoot, ...toNested(tracked)]) {
    // A link as a mount source could point anywhere on the host.
    if (!MOVABLE.includes(await findRealEntry(checkout, path))) continue;
    await mkdir(dirname(join(into, path)), { recursive: true });
    await moveOrCopy(join(checkout, path), join(into, path));
    moved.push(path);
  }
  return moved.toSorted();
}

/** Where package managers put packages of workspaces: beside tracked files, in folders without any. */
function toNested(tracked: readonly string[]): readonly string[] {
  const folders = new Set(tracked.filter((path) => path.includes('/')).map(dirname));
  const committed = tracked.filter((path) => path.includes('/node_modules/'));
  const isCommitted = (folder: string): boolean => committed.some((path) => path.startsWith(`${folder}/`));
  return [...folders].map((folder) => `${folder}/node_modules`).filter((path) => !isCommitted(path));
}

/** Names with a meaning for git or Ratchet. */
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

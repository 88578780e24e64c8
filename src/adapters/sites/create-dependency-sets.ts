import { randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { Mount } from '../../ports/sandbox.ts';
import type { DependencyKey, PreparedDependencies } from '../../ports/site.ts';
import { listByAge, removeAll, removeAltogether } from '../../system/aged-folders.ts';
import { makeReadOnly } from './make-read-only.ts';
import { hasPrepared, readPrepared } from './read-prepared.ts';

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
  /** Moves the top-level entries of `checkout` that contain no `tracked` path into a set and makes it read-only. */
  readonly keep: (key: DependencyKey, checkout: string, tracked: readonly string[]) => Promise<PreparedDependencies>;
  /** Read-only mounts that place entries of a set below `root`. */
  readonly toMounts: (chosen: Pick<PreparedDependencies, 'key' | 'paths'>, root: string) => readonly Mount[];
  readonly sweep: () => Promise<void>;
}

/** Marks a complete set. Written last, so that an incomplete set is never used. */
const COMPLETE = '.complete';

/** Creates the dependency sets below the data folder. */
export function createDependencySets({ dataDir, maxDependencySets, slotGid }: DependencySetsOptions): DependencySets {
  const parent = join(dataDir, 'dependencies');
  const toFolder = ({ repositoryId, number, hash }: DependencyKey): string =>
    join(parent, `${String(repositoryId)}-${String(number)}-${requireOwnName(hash)}`);
  return {
    find: async (key) => {
      const folder = toFolder(key);
      const names = await readdir(folder).catch(() => null);
      if (!names?.includes(COMPLETE)) return null;
      const now = new Date();
      await utimes(folder, now, now);
      return toPrepared(key, folder, names);
    },
    keep: async (key, checkout, tracked) => {
      const folder = toFolder(key);
      const temporary = `${folder}.${randomUUID()}`;
      // The sandbox's user must enter this folder to reach the mount sources below it.
      await mkdir(parent, { recursive: true, mode: 0o711 });
      await mkdir(temporary, { mode: 0o750 });
      await moveMade(checkout, temporary, tracked);
      if (slotGid !== null) await makeReadOnly(temporary, { uid: 0, gid: slotGid });
      await writeFile(join(temporary, COMPLETE), '');
      await removeAltogether(folder);
      await rename(temporary, folder);
      return toPrepared(key, folder, await readdir(folder));
    },
    toMounts: ({ key, paths }, root) =>
      paths.map((path) => ({ source: join(toFolder(key), path), target: `${root}/${path}`, writable: false })),
    sweep: async () => removeAll((await listByAge(parent)).slice(maxDependencySets)),
  };
}

function toPrepared(key: DependencyKey, folder: string, names: readonly string[]): PreparedDependencies {
  const paths = names.filter((name) => name !== COMPLETE).toSorted();
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

async function moveMade(checkout: string, into: string, tracked: readonly string[]): Promise<void> {
  const trackedTop = new Set(tracked.map((path) => path.split('/', 1)[0]));
  const names = (await readdir(checkout)).filter((name) => !trackedTop.has(name) && !isReserved(name));
  for (const name of names) {
    // Keep only real folders and files: a link as a mount source could point anywhere on the host.
    const entry = await lstat(join(checkout, name));
    if (entry.isDirectory() || entry.isFile()) await moveOrCopy(join(checkout, name), join(into, name));
  }
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

import { randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOwnName } from '../../core/text/require-own-name.ts';
import type { Mount } from '../../ports/sandbox.ts';
import type { DependencyKey, PreparedDependencies } from '../../ports/site.ts';
import { listByAge, removeAll, removeAltogether } from '../../system/aged-folders.ts';
import { makeReadOnly } from './make-read-only.ts';
import { hasPrepared, readPrepared } from './read-prepared.ts';

/** Where dependencies lie and how much of them is kept. */
export interface DependencySetsOptions {
  /** Holds `dependencies/`. */
  readonly dataDir: string;
  /** Prepared dependencies of all pull requests together, in entries (one per lockfile state). */
  readonly maxDependencySets: number;
  /** Group of the sandbox's uids; null where the service is not root. */
  readonly slotGid: number | null;
}

/** Prepared dependencies in folders of this machine. */
export interface DependencySets {
  readonly find: (key: DependencyKey) => Promise<PreparedDependencies | null>;
  /** Moves the top-level entries of `checkout` that `tracked` has none of into a set, read-only. */
  readonly keep: (key: DependencyKey, checkout: string, tracked: readonly string[]) => Promise<PreparedDependencies>;
  /** Read-only mounts of entries of a set below `root`. */
  readonly toMounts: (chosen: Pick<PreparedDependencies, 'key' | 'paths'>, root: string) => readonly Mount[];
  readonly sweep: () => Promise<void>;
}

/** Marks a complete set of dependencies; written last, so that a half-made one is never used. */
const COMPLETE = '.complete';

/** Sets below the data folder. */
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
      // The sandbox's user passes through it to what is mounted from below.
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
  /** The entry that holds a path, and the rest of the path; null: none does. */
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
    // A link could point anywhere on the host once it is followed as a mount source: only real folders and files are kept.
    const entry = await lstat(join(checkout, name));
    if (entry.isDirectory() || entry.isFile()) await moveOrCopy(join(checkout, name), join(into, name));
  }
}

/** Names that mean something to git or to us. */
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

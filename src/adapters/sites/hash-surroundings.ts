import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isLossy } from '../../core/text/is-lossy.ts';

/** Written by git and by tools while they run; what they hold follows from other files. */
const CACHES: ReadonlySet<string> = new Set([
  ...['.git', '__pycache__', '.cache', '.vite', '.vite-temp', '.mypy_cache', '.ruff_cache', '.pytest_cache', '.turbo'],
  ...['.eslintcache', '.stylelintcache', '.DS_Store'],
]);
const CACHE_FILE = /\.(?:tsbuildinfo|pyc)$/u;
/** Settings that tools also read above the root and in the home folder of the person. */
const SETTINGS: readonly string[] = [
  ...['.eslintrc', '.eslintrc.js', '.eslintrc.cjs', '.eslintrc.json', '.eslintrc.yml', '.eslintrc.yaml'],
  ...['eslint.config.js', 'eslint.config.mjs', 'eslint.config.cjs', 'eslint.config.ts', 'biome.json', 'biome.jsonc'],
  ...[
    '.shellcheckrc',
    'shellcheckrc',
    '.pylintrc',
    'pylintrc',
    'ruff.toml',
    '.ruff.toml',
    'pyproject.toml',
    'setup.cfg',
  ],
  ...['.mypy.ini', 'mypy.ini', '.stylelintrc', '.stylelintrc.json', '.oxlintrc.json', 'tsconfig.json', 'package.json'],
  ...['node_modules/.package-lock.json', '.config/shellcheckrc', '.config/pylintrc', '.config/mypy/config'],
  ...['.config/ruff/ruff.toml', '.config/ruff/.ruff.toml', '.config/ruff/pyproject.toml', '.config/flake8'],
];
const MAX_ENTRIES = 200_000;
/** Configuration that may take in further files, wherever they lie. */
const CONFIGURATION =
  /^(?:tsconfig.*\.json|.*\.config\.[cm]?[jt]s|\.\w+rc(?:\.\w+)?|\.?biome\.jsonc?|pyproject\.toml|setup\.cfg|\.?(?:mypy|pytest)\.ini|\.?ruff\.toml)$/u;
const UPWARDS = /(?:\.\.[/\\])+(?!node_modules\b)/gu;
const MAX_CONFIGURATION_BYTES = 256 * 1024;

export interface SurroundingsInput {
  /** Absolute path without links. */
  readonly root: string;
  /** Paths whose content is hashed elsewhere. */
  readonly files: readonly string[];
  /** The home folder of the person; null: unknown. */
  readonly home: string | null;
  readonly maxEntries?: number;
}

/**
 * Identifies what tools may read beside the files of the repository: what git ignores, installed packages, submodules, settings above
 * the root. Not by content, which would take seconds, but by size, times and number of each file, so it never stays the same when a
 * file changes. null: there is too much, a link leads out of the root to a folder, or a configuration names a path out of the root.
 */
export async function hashSurroundings(input: SurroundingsInput): Promise<string | null> {
  const { root, files, home, maxEntries = MAX_ENTRIES } = input;
  const own = new Set(files);
  if (await namesOutside(root, files)) return null;
  const hash = createHash('sha256');
  const folders = [''];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found = await listFolder(root, folder, own);
    entries += found.length;
    if (entries > maxEntries) return null;
    for (const { path, isFolder, mark } of found) {
      if (mark === null) return null;
      if (isFolder) folders.push(path);
      else hash.update(`${path}\0${mark}\0`);
    }
  }
  for (const path of listSettings(root, home)) hash.update(`${path}\0${await toSettingsMark(path)}\0`);
  return hash.digest('hex');
}

/** Whether a configuration has a relative path that leaves the root, such as one that a tsconfig extends. */
async function namesOutside(root: string, files: readonly string[]): Promise<boolean> {
  const isOutside = async (path: string): Promise<boolean> => {
    const { size } = await stat(join(root, path)).catch(() => ({ size: 0 }));
    if (size > MAX_CONFIGURATION_BYTES) return true;
    const text = await readFile(join(root, path), 'utf8').catch(() => '');
    const depth = path.split('/').length - 1;
    return [...text.matchAll(UPWARDS)].some(([steps]) => steps.length / 3 > depth);
  };
  const found = await Promise.all(files.filter((path) => CONFIGURATION.test(basename(path))).map(isOutside));
  return found.includes(true);
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  /** null: it cannot be identified. */
  readonly mark: string | null;
}

async function listFolder(root: string, folder: string, own: ReadonlySet<string>): Promise<readonly Entry[]> {
  const listed = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const found = listed
    .filter(({ name }) => !CACHES.has(name) && !CACHE_FILE.test(name))
    .map((entry) => ({ entry, path: folder === '' ? entry.name : `${folder}/${entry.name}` }))
    .filter(({ path }) => !own.has(path));
  const entries = found.map(async ({ entry, path }): Promise<Entry> => {
    if (entry.isDirectory()) return { path, isFolder: true, mark: isLossy(path) ? null : '' };
    return {
      path,
      isFolder: false,
      mark: entry.isSymbolicLink() ? await toLinkMark(root, path) : await toFileMark(join(root, path)),
    };
  });
  return (await Promise.all(entries)).toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

async function toFileMark(path: string): Promise<string | null> {
  if (isLossy(path)) return null;
  return lstat(path, { bigint: true }).then(toMark, () => 'gone');
}

/** A link to a file counts with the file. A link to a folder below the root says nothing new. */
async function toLinkMark(root: string, path: string): Promise<string | null> {
  const absolute = join(root, path);
  const target = await readlink(absolute).catch(() => 'gone');
  const found = await stat(absolute, { bigint: true }).catch(() => null);
  if (found === null) return target;
  if (!found.isDirectory()) return `${target} ${toMark(found)}`;
  const real = await realpath(absolute).catch(() => '/');
  return real === root || real.startsWith(`${root}/`) ? target : null;
}

function toMark({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino, mode].join(' ');
}

function listSettings(root: string, home: string | null): readonly string[] {
  const folders = home === null ? [] : [home];
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders.flatMap((folder) => SETTINGS.map((name) => join(folder, name)));
}

async function toSettingsMark(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(toMark, () => '');
}

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../core/model/errors.ts';

/** The root of the checkout and the folder that typed paths are relative to. Both absolute, with links resolved. */
export interface PathGround {
  readonly root: string;
  readonly folder: string;
}

/**
 * Typed paths, relative to the root. The root itself is `.`.
 * @throws ConfigError with one line per path that does not exist or lies outside the root.
 */
export async function toScopePaths(
  paths: readonly string[],
  { root, folder, what }: PathGround & { readonly what: string },
): Promise<readonly string[]> {
  const problems: string[] = [];
  const found = new Array<string>();
  for (const path of paths) {
    const inside = await toRootPath(path, { root, folder });
    const isThere = (await lstat(resolve(folder, path)).catch(() => null)) !== null;
    if (inside === null) problems.push(`${what}: ${path} lies outside of ${root}`);
    else if (!isThere) problems.push(`${what}: there is no ${path}`);
    else found.push(inside);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

/**
 * Configuration files by engine, relative to the root. The plan checks whether they exist.
 * @throws ConfigError for a path outside the root.
 */
export async function toConfigPaths(
  configs: Readonly<Record<string, string>>,
  ground: PathGround,
): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(configs).map(async ([id, file]) => {
    const path = await toRootPath(file, ground);
    if (path === null) throw new ConfigError([`configuration of ${id}: ${file} lies outside of ${ground.root}`]);
    return [id, path] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * The path as typed if it lies below the root. Otherwise its folder is resolved, because a link may lead to the
 * checkout. A path that is itself a link stays that link, as in git. Null outside the root.
 */
async function toRootPath(path: string, { root, folder }: PathGround): Promise<string | null> {
  const absolute = resolve(folder, path);
  const typed = toInside(absolute, root);
  if (typed !== null) return typed;
  const isRoot = (await toReal(absolute)) === root;
  return isRoot ? '.' : toInside(join(await toReal(dirname(absolute)), basename(absolute)), root);
}

/** A path that does not exist is returned unchanged. */
async function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function toInside(absolute: string, root: string): string | null {
  const inside = relative(root, absolute).replaceAll(sep, '/');
  if (inside === '..' || inside.startsWith('../')) return null;
  return inside === '' ? '.' : inside;
}

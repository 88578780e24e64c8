import { lstat } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { ConfigError } from '../core/model/errors.ts';

/** Where paths were typed, and what they are to be told from. Both absolute. */
export interface PathGround {
  readonly root: string;
  readonly folder: string;
}

/**
 * Paths as they were typed, relative to the root. The root itself is `.`.
 * @throws ConfigError with a line for each that does not exist or lies outside of the root.
 */
export async function toScopePaths(
  paths: readonly string[],
  { root, folder, what }: PathGround & { readonly what: string },
): Promise<readonly string[]> {
  const problems: string[] = [];
  const found = new Array<string>();
  for (const path of paths) {
    const inside = toRootPath(path, { root, folder });
    const isThere = (await lstat(resolve(folder, path)).catch(() => null)) !== null;
    if (inside === null) problems.push(`${what}: ${path} lies outside of ${root}`);
    else if (!isThere) problems.push(`${what}: there is no ${path}`);
    else found.push(inside);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

/** Configuration files by engine, relative to the root; whether they are there is for the plan to say. */
export function toConfigPaths(
  configs: Readonly<Record<string, string>>,
  ground: PathGround,
): Readonly<Record<string, string>> {
  const entries = Object.entries(configs).map(([id, file]) => {
    const path = toRootPath(file, ground);
    if (path === null) throw new ConfigError([`configuration of ${id}: ${file} lies outside of ${ground.root}`]);
    return [id, path] as const;
  });
  return Object.fromEntries(entries);
}

function toRootPath(path: string, { root, folder }: PathGround): string | null {
  const inside = relative(root, resolve(folder, path)).replaceAll(sep, '/');
  if (inside === '..' || inside.startsWith('../')) return null;
  return inside === '' ? '.' : inside;
}

import { lstat, mkdir, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { isGitFolder } from '../../core/judge/unsafe-entries.ts';
import { WorkplaceError } from '../../core/model/errors.ts';

/**
 * The absolute path of an entry of the place, with the links above it resolved; the entry itself may be a link. null: a folder above it is
 * missing. `root` has no links. @throws WorkplaceError if the path is outside of the place, or in a `.git`.
 */
export async function toSafePath(root: string, path: string): Promise<string | null> {
  const segments = toSegments(path);
  const parent = await realpath(join(root, ...segments.slice(0, -1))).catch(() => null);
  if (parent === null) {
    await refuseLinksOut(root, segments);
    return null;
  }
  return join(toInside(root, parent, path), basename(path));
}

/** The same, with the missing folders above the entry made. `own` is called for each of them. */
export async function makeSafePath(
  root: string,
  path: string,
  own: (folder: string) => Promise<void>,
): Promise<string> {
  let folder = root;
  for (const segment of toSegments(path).slice(0, -1)) {
    const next = join(folder, segment);
    const status = await lstat(next).catch(() => null);
    if (status === null) {
      await mkdir(next);
      await own(next);
      folder = next;
      continue;
    }
    const real = await realpath(next).catch(() => null);
    if (real === null) throw new WorkplaceError(`${path}: a link above it leads nowhere`);
    folder = toInside(root, real, path);
    if (!(await lstat(folder)).isDirectory()) throw new WorkplaceError(`${path}: ${segment} is no folder`);
  }
  return join(folder, basename(path));
}

function toSegments(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (path.startsWith('/') || segments.length === 0 || path.includes('\0') || segments.includes('..')) {
    throw new WorkplaceError(`${JSON.stringify(path)} is no path inside of the folder`);
  }
  if (segments.some(isGitFolder)) throw new WorkplaceError(`${path}: a .git is not for the steps of a plan`);
  return segments;
}

function toInside(root: string, real: string, path: string): string {
  if (real !== root && !real.startsWith(`${root}${sep}`))
    throw new WorkplaceError(`${path} leaves the folder through a link`);
  if (real.slice(root.length).split(sep).some(isGitFolder)) {
    throw new WorkplaceError(`${path}: a .git is not for the steps of a plan`);
  }
  return real;
}

/** Which of the folders above a path exist must stay inside as well. */
async function refuseLinksOut(root: string, segments: readonly string[]): Promise<void> {
  for (let length = segments.length - 1; length > 0; length -= 1) {
    const real = await realpath(join(root, ...segments.slice(0, length))).catch(() => null);
    if (real === null) continue;
    toInside(root, real, segments.join('/'));
    return;
  }
}

/** The folder that a command starts in. @throws WorkplaceError if it is none inside of the place. */
export async function toSafeFolder(root: string, cwd: string): Promise<string> {
  if (cwd === '.' || cwd === '' || cwd === './') return root;
  const path = await toSafePath(root, cwd);
  const real = path === null ? null : await realpath(path).catch(() => null);
  if (real === null || !(await lstat(real)).isDirectory()) throw new WorkplaceError(`${cwd} is no folder`);
  return toInside(root, real, cwd);
}

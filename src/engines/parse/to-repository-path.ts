import { posix } from 'node:path';

/** Also behind the slash of an address: `file:///C:/a.c`. */
const DRIVE = /^\/?[A-Za-z]:\//u;

/**
 * A path as a tool names it (absolute, or relative to the folder that it ran in; `file:` addresses, either separator) relative to
 * the root; null for what lies outside of the root, a drive of Windows among it, and for the root itself.
 */
export function toRepositoryPath(
  raw: string,
  { root, cwd }: { readonly root: string; readonly cwd: string },
): string | null {
  const path = raw.startsWith('file://') ? decode(raw.slice('file://'.length)) : raw.replaceAll('\\', '/');
  if (DRIVE.test(path)) return null;
  const relative = posix.relative(root, posix.resolve(root, cwd, path));
  return relative === '' || relative === '..' || relative.startsWith('../') ? null : relative;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

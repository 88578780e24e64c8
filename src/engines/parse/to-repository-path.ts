import { posix } from 'node:path';
import type { ParseInput } from '../../core/model/engine.ts';

/** What a path in a tool's output is relative to. */
export type Roots = Pick<ParseInput, 'root' | 'cwd'>;

/** A Windows drive, also after the slash of a URL (`file:///C:/a.c`). */
const DRIVE = /^\/?[A-Za-z]:\//u;

/**
 * Converts a path in a tool's output (absolute, or relative to the folder that it ran in; `file:` URLs, either separator) to a
 * path relative to the root; null for the root itself and for paths outside of it, such as on a Windows drive.
 */
export function toRepositoryPath(raw: string, { root, cwd }: Roots): string | null {
  const path = raw.startsWith('file://') ? decodePath(raw.slice('file://'.length)) : raw.replaceAll('\\', '/');
  if (DRIVE.test(path)) return null;
  const relative = posix.relative(root, posix.resolve(root, cwd, path));
  return relative === '' || relative === '..' || relative.startsWith('../') ? null : relative;
}

/** A percent-encoded path; as it is if its encoding is broken. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

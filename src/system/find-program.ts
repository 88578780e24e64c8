import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** Folders that every sandbox has. */
const SYSTEM_FOLDERS = ['/usr/', '/bin/', '/sbin/', '/lib/', '/lib64/'] as const;
/** Folders that contain much more than a program. Only the file itself is mounted from there. */
const WIDE_FOLDER = /^\/(?:[^/]+)?$|^\/home\/[^/]+$|^\/var\/[^/]+$/;

/** Folders searched for a bare program name, as on the sandbox's PATH. */
export const SEARCH_PATH = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

/** A read-only mount of a program's files, at the same path. */
export interface ProgramMount {
  readonly source: string;
  readonly target: string;
  readonly writable: false;
}

/** The real path of a program; null if no executable file is found. */
export function findProgram(name: string, searchPath: readonly string[]): string | null {
  const candidates = isAbsolute(name) ? [name] : searchPath.map((folder) => join(folder, name));
  if (name.includes('/') && !isAbsolute(name)) return null;
  for (const candidate of candidates) {
    const path = resolveFile(candidate);
    if (path !== null && isExecutable(path)) return path;
  }
  return null;
}

/** The real path of a regular file; null if there is none. */
export function resolveFile(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : null;
  } catch {
    return null;
  }
}

/**
 * The read-only mount for a program, given its real path. Mounts the program's folder, since a script may need files
 * next to it, but only the file from a home folder and the like. From a package of npm it mounts all packages that were
 * installed with it, since a launcher may start a program of another one. Null if every sandbox has the program.
 */
export function toProgramMount(realPath: string): ProgramMount | null {
  if (SYSTEM_FOLDERS.some((folder) => realPath.startsWith(folder))) return null;
  const [above, ...packages] = realPath.split(/(?<=\/node_modules)\//u);
  const folder = packages.length > 0 && above !== undefined ? above : dirname(realPath);
  const source = WIDE_FOLDER.test(folder) ? realPath : folder;
  return { source, target: source, writable: false };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

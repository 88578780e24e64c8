import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Agent } from '../../ports/agent.ts';
import type { Mount } from '../../ports/sandbox.ts';

/** Every sandbox has these already. */
const SYSTEM_FOLDERS = ['/usr/', '/bin/', '/sbin/', '/lib/', '/lib64/'] as const;
/** Folders that hold much more than a program: only the file itself is mounted from there. */
const WIDE_FOLDER = /^\/(?:[^/]+)?$|^\/home\/[^/]+$|^\/var\/[^/]+$/;

/** An agent that is started from files of this machine. */
export interface HostAgent extends Agent {
  /** Read-only mounts that its programs need; throws where `check` says that they are missing. */
  readonly mounts: () => readonly Mount[];
}

/** The file that a program's name means, links resolved; null when there is none that can be executed. */
export function findProgram(name: string, searchPath: readonly string[]): string | null {
  const candidates = isAbsolute(name) ? [name] : searchPath.map((folder) => join(folder, name));
  if (name.includes('/') && !isAbsolute(name)) return null;
  for (const candidate of candidates) {
    const path = resolveFile(candidate);
    if (path !== null && isExecutable(path)) return path;
  }
  return null;
}

/** The real path of a regular file; null when it is none. */
export function resolveFile(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : null;
  } catch {
    return null;
  }
}

/**
 * The read-only mount that brings a program (its real path) into the sandbox: its folder, since a script has files beside
 * it; the file alone where the folder is a home or the like. null when the sandbox has it anyway.
 */
export function toProgramMount(realPath: string): Mount | null {
  if (SYSTEM_FOLDERS.some((folder) => realPath.startsWith(folder))) return null;
  const folder = dirname(realPath);
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

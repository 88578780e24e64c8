import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, normalize } from 'node:path';
import type { Mount, SandboxSlot } from '../../ports/sandbox.ts';

/** Folders of the sandbox profile. A mount there would replace a part of it. */
const RESERVED = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/proc', '/dev', '/sys', '/tmp'] as const;
const EXECUTE_BITS = { owner: 0o100, group: 0o010, other: 0o001 } as const;

/**
 * Returns in one line why the mounts cannot be used, or null. A source must be free of symbolic links, because an agent
 * could have created one (T25). The slot's uid must be able to enter every parent folder: bwrap runs as that uid and
 * would only report "Can't find source path".
 */
export async function findMountProblem(
  mounts: readonly Mount[],
  slot: SandboxSlot,
  toolsDir: string,
): Promise<string | null> {
  const tools: Mount = { source: toolsDir, target: toolsDir, writable: false };
  for (const mount of [tools, ...mounts]) {
    const problem = findTargetProblem(mount) ?? (await findSourceProblem(mount, slot));
    if (problem !== null) return problem;
  }
  return null;
}

function findTargetProblem({ target }: Mount): string | null {
  if (!isAbsolute(target) || normalize(target) !== target || target.endsWith('/')) {
    return `the mount target ${JSON.stringify(target)} is not a plain absolute path`;
  }
  const reserved = RESERVED.find((folder) => target === folder || (folder !== '/tmp' && isBelow(target, folder)));
  return reserved === undefined ? null : `the mount target ${target} would replace a part of ${reserved}`;
}

async function findSourceProblem({ source, target }: Mount, slot: SandboxSlot): Promise<string | null> {
  try {
    if ((await realpath(source)) !== source) {
      return `the mount source ${source} (for ${target}) is a symbolic link, or lies behind one`;
    }
    return await findClosedFolder(source, slot);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return `the mount source ${source} (for ${target}) cannot be reached (${code})`;
  }
}

async function findClosedFolder(source: string, slot: SandboxSlot): Promise<string | null> {
  if (slot.uid === null || slot.gid === null) return null;
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder);
    if ((mode & toExecuteBit({ uid, gid }, slot)) === 0) {
      return `the sandbox's user ${slot.uid} cannot pass through ${folder}: give it mode 0711, or move the data folder`;
    }
    if (folder === '/') return null;
  }
}

function toExecuteBit(owner: { readonly uid: number; readonly gid: number }, slot: SandboxSlot): number {
  if (owner.uid === slot.uid) return EXECUTE_BITS.owner;
  return owner.gid === slot.gid ? EXECUTE_BITS.group : EXECUTE_BITS.other;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

import { readdir, realpath } from 'node:fs/promises';
import { findMountProblem } from '../adapters/sandbox/check-mounts.ts';
import { ConfigError } from '../core/model/errors.ts';
import { toNamesText } from '../core/text/words.ts';
import type { Mount, SandboxSlot } from '../ports/sandbox.ts';

/** Toolchains of the operator, and how sites show them. */
export interface FoundToolchains {
  /** As the operator names them: sites find their programs there. */
  readonly folders: readonly string[];
  /** Each folder at its own path and at the one without links, by which its files may name each other. */
  readonly mounts: readonly Mount[];
}

/** Sites show it anyway. */
const SYSTEM = '/usr';
/** Of a folder with more programs, only so many are looked at. */
const MAX_PROGRAMS = 5_000;

/**
 * The folders of RATCHET_TOOLCHAINS.
 * @throws ConfigError if the sandbox's user cannot reach one, it has no `bin`, or its programs lie where no site sees them.
 */
export async function findToolchains(
  folders: readonly string[],
  { toolsDir, slot }: { readonly toolsDir: string; readonly slot: SandboxSlot },
): Promise<FoundToolchains> {
  const mounts: Mount[] = [];
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => null);
    if (real === null) throw new ConfigError([`RATCHET_TOOLCHAINS: ${folder} cannot be read`]);
    const targets = [...new Set([folder, real])].filter((target) => !isBelow(target, SYSTEM));
    const own = targets.map((target): Mount => ({ source: real, target, writable: false }));
    const problem = await findMountProblem(own, slot, toolsDir);
    if (problem !== null) throw new ConfigError([`RATCHET_TOOLCHAINS: ${problem}`]);
    mounts.push(...own);
  }
  const visible = [SYSTEM, ...mounts.map(({ source }) => source)];
  for (const folder of folders) {
    const lost = await findLostPrograms(folder, visible);
    if (lost.length === 0) continue;
    const why = `${toNamesText(lost)} in ${folder}/bin lead out of the folder, where no sandbox sees them`;
    throw new ConfigError([`RATCHET_TOOLCHAINS: ${why}: name the folder with the files, too, or copy them`]);
  }
  return { folders, mounts };
}

/** Programs whose files are on this machine, and below none of the visible folders. */
async function findLostPrograms(folder: string, visible: readonly string[]): Promise<readonly string[]> {
  const bin = `${folder}/bin`;
  const names = await readdir(bin).catch(() => null);
  if (names === null) throw new ConfigError([`RATCHET_TOOLCHAINS: ${bin} cannot be read`]);
  const lost: string[] = [];
  for (const name of names.slice(0, MAX_PROGRAMS)) {
    const real = await realpath(`${bin}/${name}`).catch(() => null);
    if (real !== null && !visible.some((one) => isBelow(real, one))) lost.push(name);
  }
  return lost;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

import type { MergeTool } from '../../ports/merge-tool.ts';
import type { Mount } from '../../ports/sandbox.ts';
import { findProgram, toProgramMount } from '../../system/find-program.ts';
import type { ReadVersion } from '../../system/read-version.ts';

const MERGIRAF = 'mergiraf';

/** A merge tool whose program is on this machine. */
export interface HostMergeTool extends MergeTool {
  /** Read-only mounts that its program needs. */
  readonly mounts: readonly Mount[];
}

/** Whether there is a merge tool. `isWanted`: the operator named its program. */
export type FoundMergeTool =
  | { readonly kind: 'found'; readonly tool: HostMergeTool }
  | { readonly kind: 'off' }
  | { readonly kind: 'missing'; readonly isWanted: boolean; readonly why: string };

/** Where to look for the program. */
export interface MergirafPlace {
  /** An absolute path; `off`: none is used; null: it is looked for in `searchPath`. */
  readonly program: string | null;
  readonly searchPath: readonly string[];
  readonly readVersion: (program: string) => Promise<ReadVersion>;
}

/**
 * Finds mergiraf. `mergiraf merge BASE LEFT RIGHT` prints the merged file with the line ends of the left one. It exits with 0 if
 * no conflict is left, with 1 if some are, and with 255 if it failed. It reads no configuration, and knows a language by the
 * name of the file. What it does not know, it merges line by line.
 */
export async function findMergiraf({ program, searchPath, readVersion }: MergirafPlace): Promise<FoundMergeTool> {
  if (program === 'off') return { kind: 'off' };
  const isWanted = program !== null;
  const found = findProgram(program ?? MERGIRAF, searchPath);
  if (found === null) {
    const why = isWanted ? `${program} was not found, or cannot be executed` : `there is no ${MERGIRAF} on the PATH`;
    return { kind: 'missing', isWanted, why };
  }
  const read = await readVersion(found);
  if (read.kind === 'failed') return { kind: 'missing', isWanted, why: read.why };
  return { kind: 'found', tool: createMergiraf(found, read.version) };
}

function createMergiraf(program: string, version: string): HostMergeTool {
  const mount = toProgramMount(program);
  return {
    ...{ name: MERGIRAF, programs: `merge tool: ${MERGIRAF}`, version },
    mounts: mount === null ? [] : [mount],
    command: ({ base, ours, theirs, path }) => [
      ...[program, 'merge', `--path-name=${path}`, '--base-name=base', '--left-name=ours', '--right-name=theirs'],
      ...['--', base, ours, theirs],
    ],
  };
}

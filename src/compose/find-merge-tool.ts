import { type FoundMergeTool, findMergiraf } from '../adapters/merge-tools/create-mergiraf.ts';
import type { Environment } from '../config/environment.ts';
import { SEARCH_PATH } from '../system/find-program.ts';
import { createVersionReader } from '../system/read-version.ts';

/** Looks for the program that merges by structure, where sites find programs or where the operator says. */
export async function findMergeTool(
  { structuralMerge: program, toolchains }: Pick<Environment, 'structuralMerge' | 'toolchains'>,
  nodePath: string,
): Promise<FoundMergeTool> {
  const searchPath = [...SEARCH_PATH, ...toolchains.map((folder) => `${folder}/bin`)];
  return findMergiraf({ program, searchPath, readVersion: createVersionReader(nodePath) });
}
